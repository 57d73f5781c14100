/** Payments of the demo: collected, refused, paid out in another currency, given back. */
import { Effect, Schema } from "effect"
import { type Calls, dataOf, Decimal, StepFailed } from "./DemoClient.ts"
import type { Expected } from "./DemoReceiver.ts"
import type { RunningSandbox } from "../shared/RunningSandbox.ts"
import { WireNumber } from "../../domain/Decimal.ts"

/** One step of the demo. */
export interface Shown {
  /** What was done and what came of it, in a sentence. */
  readonly what: string
  readonly ids: Readonly<Record<string, string>>
  /** To look at it. */
  readonly curl: string | null
  /** The webhooks that must come of it. */
  readonly events?: ReadonlyArray<Expected>
}

export interface Step extends Pick<Shown, "what" | "ids" | "curl"> {
  readonly step: string
  readonly ok: boolean
}

const LOOK = "      "

export const textOf = ({ curl, ids, ok, step, what }: Step): string => {
  const named = Object.entries(ids).map(([name, id]) => `${name} ${id}`)
  const about = named.length === 0 ? "" : ` (${named.join(", ")})`
  return [`${ok ? "ok  " : "FAIL"}  ${step}: ${what}${about}`, ...(curl === null ? [] : [`${LOOK}${curl}`])].join("\n")
}

export const INITIATE = "/payments-init/initiate"

const Initiated = Schema.Struct({ response: Schema.Struct({ payment_id: Schema.String }) })
export const Recorded = Schema.Struct({ status: Schema.String })
const Refused = Schema.Struct({ code: Schema.String, payment_id: Schema.String })
export const Timeline = dataOf({
  items: Schema.Array(
    Schema.Struct({
      kind: Schema.String,
      provider: Schema.optional(Schema.String),
      outcome: Schema.optional(Schema.NullOr(Schema.String)),
      reason: Schema.optional(Schema.NullOr(Schema.String))
    })
  )
})
const Rate = dataOf({ org_rate_id: Schema.String, rate: Decimal, target_amount: Decimal })
const Beneficiary = dataOf({ beneficiary_id: Schema.String })

export const payer_details = { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" }

const shillings = { amount: 1500, target_amount: 1500, currency: "KES", target_currency: "KES", country: "KE" }

const DECLINED_CARD = "4000000000000002"

export const finished = (calls: Calls, paymentId: string, what: string, status = "completed") =>
  calls.until(what, `/payments/${paymentId}`, Recorded, (record) => record.status === status)

export const kenyanPhone = {
  account_type: "mobile_money",
  beneficiary_type: "individual",
  country: "KE",
  currency: "KES",
  fname: "Ada",
  lname: "Okafor",
  momo_details: { provider: "mpesa", phone_number: "+254712345678" }
}

export const newBeneficiary = (calls: Calls, body: object) =>
  Effect.map(calls.make("/beneficiaries", body, Beneficiary), ({ data }) => data.beneficiary_id)

export const payin = Effect.fn("Demo.payin")(function* (calls: Calls) {
  const mobile_money_details = { provider: "mpesa", phone_number: payer_details.phone }
  const about = { payment_method: "mobile_money", direction: "payin", payer_details, mobile_money_details }
  const { response } = yield* calls.act(INITIATE, { ...shillings, ...about }, Initiated)
  const { payment_id } = response
  yield* finished(calls, payment_id, "the payin to complete")
  const shown: Shown = {
    what: "1500.00 KES collected from an M-Pesa phone, completed",
    ids: { payment_id },
    curl: calls.curl(`/payments/${payment_id}`),
    events: [["payment.completed", payment_id]]
  }
  return { ...shown, paymentId: payment_id }
})

export const declinedCard = Effect.fn("Demo.declinedCard")(function* (calls: Calls) {
  const card_details = { card_number: DECLINED_CARD, expiry_month: "12", expiry_year: "2035", cvv: "123" }
  const about = { payment_method: "card", direction: "payin", payer_details, card_details }
  const { code, payment_id } = yield* calls.act(INITIATE, { ...shillings, ...about }, Refused, 502)
  const path = `/payments/${payment_id}/timeline`
  const { data } = yield* calls.get(path, Timeline)
  const attempt = data.items.find(({ kind, outcome }) => kind === "attempt" && outcome === "declined")
  if (attempt === undefined) return yield* new StepFailed({ message: "The timeline shows no declined attempt." })
  const shown: Shown = {
    what: `card ${DECLINED_CARD} refused with 502 ${code}; the timeline says: ${attempt.provider} declined, ${attempt.reason}`,
    ids: { payment_id },
    curl: calls.curl(path),
    events: [["payment.failed", payment_id]]
  }
  return shown
})

export const payout = Effect.fn("Demo.payout")(function* (calls: Calls) {
  const momo = { provider: "mtn", phone_number: "+256772123456" }
  const ugandan = { ...kenyanPhone, country: "UG", currency: "UGX", momo_details: momo }
  const beneficiary_id = yield* newBeneficiary(calls, ugandan)
  const asked = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=UGX&amount=1500"
  const { data } = yield* calls.get(asked, Rate)
  const { org_rate_id, rate, target_amount } = data
  const { response } = yield* calls.act(
    INITIATE,
    {
      amount: 1500,
      target_amount,
      currency: "KES",
      target_currency: "UGX",
      org_rate_id,
      country: "UG",
      payment_method: "mobile_money",
      direction: "payout",
      beneficiary_id,
      mobile_money_details: momo
    },
    Initiated
  )
  const { payment_id } = response
  yield* finished(calls, payment_id, "the payout to complete")
  const shown: Shown = {
    what: `1500.00 KES paid out as ${target_amount.text} UGX to an MTN phone, at the locked rate ${rate.text}`,
    ids: { payment_id, org_rate_id },
    curl: calls.curl(`/payments/${payment_id}`),
    events: [["payment.completed", payment_id]]
  }
  return shown
})

export const refund = Effect.fn("Demo.refund")(function* (calls: Calls, payment_id: string) {
  const body = { action: "refund", reason: "The customer changed their mind" }
  yield* calls.act(`/payments-init/${payment_id}/action`, body, Initiated)
  yield* finished(calls, payment_id, "the refund to complete", "refunded")
  const shown: Shown = {
    what: "the payin given back in full, refunded",
    ids: { payment_id },
    curl: calls.curl(`/payments/${payment_id}/timeline`)
  }
  return shown
})

/** A virtual account of the demo, and an escrow that it funds. */
const Account = dataOf({ account_id: Schema.String, balance: Decimal })
const Transaction = dataOf({ transaction_id: Schema.String, status: Schema.String })
const Milestone = Schema.Struct({ milestone_id: Schema.String })
const Escrow = dataOf({ escrow_id: Schema.String, milestones: Schema.NonEmptyArray(Milestone) })
const Paid = dataOf({ parties: Schema.Array(Schema.Struct({ name: Schema.String, balance: Decimal })) })

export const virtualAccount = Effect.fn("Demo.virtualAccount")(function* (calls: Calls, sandbox: RunningSandbox) {
  const wanted = { org_id: sandbox.orgId, user_id: sandbox.userId, currency: "KES", customer_id: "demo" }
  const opened = yield* calls.make("/virtual-accounts/internal/bank", wanted, Account)
  const { account_id } = opened.data
  const path = `/virtual-accounts/${account_id}`
  const deposit = yield* calls.act(`${path}/simulate-deposit`, { amount: 10_000 }, Transaction)
  const beneficiary_id = yield* newBeneficiary(calls, kenyanPhone)
  const asked = { amount: 1500, beneficiary_id, description: "Rent for March" }
  const withdrawal = yield* calls.act(`${path}/withdraw`, asked, Transaction)
  const { transaction_id } = withdrawal.data
  const done = `/virtual-accounts/transactions/${transaction_id}`
  yield* calls.until("the withdrawal to be paid", done, Transaction, ({ data }) => data.status === "completed")
  const { data } = yield* calls.get(path, Account)
  const shown: Shown = {
    what: `10000.00 KES deposited, 1500.00 KES withdrawn to a phone, ${data.balance.text} KES left`,
    ids: { account_id, transaction_id },
    curl: calls.curl(`${path}/transactions`),
    events: [
      ["virtual_account.deposit", deposit.data.transaction_id],
      ["virtual_account.withdrawal", transaction_id]
    ]
  }
  return { ...shown, accountId: account_id }
})

const split = (name: string, split_value: number) => ({ name, split_type: "percentage", split_value })

export const escrow = Effect.fn("Demo.escrow")(function* (calls: Calls, account_id: string) {
  const foundation = {
    label: "Foundation",
    sequence: 1,
    expected_disbursement: 4000,
    parties: [split("Jenga Builders", 66.6), split("Surveyor", 33.4)]
  }
  const wanted = {
    name: "Clinic in Kisumu",
    currency: "KES",
    account_id,
    parties: [{ name: "Jenga Builders" }, { name: "Surveyor" }],
    milestones: [foundation]
  }
  const { data } = yield* calls.make("/virtual-accounts/escrow", wanted, Escrow)
  const path = `/virtual-accounts/escrow/${data.escrow_id}`
  const [{ milestone_id }] = data.milestones
  yield* calls.act(`${path}/fund`, { amount: 4000 }, Schema.Unknown)
  yield* calls.act(`${path}/milestones/${milestone_id}/disburse`, {}, Schema.Unknown)
  const paid = yield* calls.get(path, Paid)
  const shares = paid.data.parties.map(({ balance, name }) => `${balance.text} to ${name}`)
  const shown: Shown = {
    what: `4000.00 KES set aside and disbursed to two parties: ${shares.join(", ")}`,
    ids: { escrow_id: data.escrow_id, milestone_id },
    curl: calls.curl(path)
  }
  return shown
})

/** Where the sandbox speaks to fakes of third parties: a card payment that Stripe declines and Adyen takes. */
const Preview = dataOf({ candidates: Schema.Array(Schema.Struct({ provider: Schema.String })) })

const Redirected = Schema.Struct({
  response: Schema.Struct({ payment_id: Schema.String, redirect_url: Schema.String })
})

/** Its last two digits ask Stripe's fake alone to decline. */
const amount = new WireNumber("49.21")

const order = {
  amount,
  target_amount: amount,
  currency: "EUR",
  target_currency: "EUR",
  country: "DE",
  payment_method: "card",
  direction: "payin",
  payer_details,
  card_details: { card_number: "4242424242424242", expiry_month: "12", expiry_year: "2035", cvv: "123" }
}

/** Whether there are third parties to show. */
export const hasThirdParties = Effect.fn("Demo.hasThirdParties")(
  function* (calls: Calls) {
    const { data } = yield* calls.act("/payments-init/route-preview", order, Preview)
    const asked = data.candidates.map(({ provider }) => provider)
    return asked[0] === "stripe" && asked.includes("adyen")
  },
  Effect.orElseSucceed(() => false)
)

const visited = (url: string) =>
  Effect.tryPromise({
    try: (signal) => fetch(url, { signal }),
    catch: (error) => new StepFailed({ message: `The page of the third party could not be opened: ${String(error)}` })
  })

export const fallback = Effect.fn("Demo.fallback")(function* (calls: Calls) {
  const { response } = yield* calls.act(INITIATE, order, Redirected)
  const { payment_id, redirect_url } = response
  yield* visited(redirect_url)
  yield* finished(calls, payment_id, "the payment at Adyen's page to complete")
  const path = `/payments/${payment_id}/timeline`
  const { data } = yield* calls.get(path, Timeline)
  const attempts = data.items.filter(({ kind }) => kind === "attempt")
  const [refused, taken] = attempts
  if (refused?.outcome !== "declined" || taken?.outcome !== "accepted") {
    return yield* new StepFailed({ message: "The timeline does not show one that declined and one that took it." })
  }
  const shown: Shown = {
    what: `49.21 EUR by card: ${refused.provider} declined (${refused.reason}), ${taken.provider} took it on its own page, completed`,
    ids: { payment_id },
    curl: calls.curl(path),
    events: [["payment.completed", payment_id]]
  }
  return shown
})

/** A crypto on-ramp of the demo, and a payment link to open in a browser. */
const RampRate = dataOf({ rate: Decimal })
const Ramp = Schema.Struct({ response: Schema.Struct({ payment_id: Schema.String, crypto_amount: Decimal }) })
const Link = dataOf({ link_id: Schema.String, url: Schema.String })

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"

export const onRamp = Effect.fn("Demo.onRamp")(function* (calls: Calls) {
  const { data } = yield* calls.get("/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USDT", RampRate)
  const wanted = {
    fiat_currency: "KES",
    fiat_amount: 13_000,
    client_rate: data.rate,
    crypto_currency: "USDT",
    crypto_network: "POLYGON",
    country: "KE",
    wallet_address: WALLET,
    mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" }
  }
  const { response } = yield* calls.act("/payments-init/ramp", wanted, Ramp)
  const { crypto_amount, payment_id } = response
  yield* finished(calls, payment_id, "both legs of the on-ramp")
  const shown: Shown = {
    what: `13000.00 KES collected, ${crypto_amount.text} USDT settled to ${WALLET} on POLYGON`,
    ids: { payment_id },
    curl: calls.curl(`/payments/${payment_id}/timeline`),
    events: [["payment.completed", payment_id]]
  }
  return shown
})

export const paymentLink = Effect.fn("Demo.paymentLink")(function* (calls: Calls, { orgId }: RunningSandbox) {
  const path = `/orgs/${orgId}/payment-links`
  const wanted = { amount: 1500, currency: "KES", description: "Invoice 1042", amount_type: "fixed" }
  const { data } = yield* calls.make(path, wanted, Link)
  const shown: Shown = {
    what: `1500.00 KES to be paid in a browser at ${data.url}`,
    ids: { link_id: data.link_id },
    curl: calls.curl(`${path}/${data.link_id}`)
  }
  return shown
})
