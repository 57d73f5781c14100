/** The steps of the demo: payments, a refund, a virtual account, an escrow, a ramp and a payment link. */
import { Clock, Data, Effect, Schedule, Schema } from "effect"
import type { CountryCode } from "../../domain/Country.ts"
import type { CurrencyCode } from "../../domain/Currency.ts"
import { amount, KE, kenyanPhone, KES, mpesa, mpesaPayin, payer_details } from "../actions/TriggerAction.ts"
import { ApiClient, type Refused } from "../client/ApiClient.ts"
import type { RunningSandbox } from "../client/RunCommand.ts"
import { Streams } from "../shared/Terminal.ts"

/** An event that must come, and the id of what it is about. */
export type Expected = readonly [eventType: string, id: string]

/** The reason why a step of the demo failed. */
export class StepFailed extends Data.TaggedError("StepFailed")<{ readonly message: string }> {}

export interface Shown {
  /** What was done, and the result. */
  readonly what: string
  readonly ids: Readonly<Record<string, string>>
  /** Reads the result. */
  readonly curl: string | null
  /** Webhooks that the step causes. */
  readonly events?: ReadonlyArray<Expected>
}

const WHEEL = ["|", "/", "-", "\\"] as const
const TURN_MILLIS = 150

/** Draws on standard error, on a terminal only. An empty text clears the line. */
const drawWaiting = (what: string): Effect.Effect<void> =>
  Effect.zipWith(Clock.currentTimeMillis, Streams, (now, { err, watched }) => {
    if (!watched) return
    const spoke = WHEEL[Math.floor(now / TURN_MILLIS) % WHEEL.length]
    err(what === "" ? "\r\u001b[K" : `\r\u001b[K${spoke} waiting for ${what}`)
  })

/** Repeats a failing check for 12 seconds. The sandbox completes each leg of a payment within about a second. */
export const retried =
  (what: string) =>
  <A, E, R>(check: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    check.pipe(
      Effect.retry(
        Schedule.spaced("150 millis").pipe(
          Schedule.upTo("12 seconds"),
          Schedule.tapInput(() => drawWaiting(what))
        )
      ),
      Effect.ensuring(drawWaiting(""))
    )

const until = <A>(what: string, read: Effect.Effect<A, Refused>, isSo: (read: A) => boolean) =>
  Effect.filterOrFail(read, isSo, () => new StepFailed({ message: `The demo waited in vain for ${what}.` })).pipe(
    retried(what)
  )

export const curl = ({ apiKey, baseUrl }: RunningSandbox, path: string): string =>
  `curl -s '${baseUrl}${path}' -H 'Authorization: NONE' -H 'X-Api-Key: ${apiKey}'`

const reachesStatus = Effect.fnUntraced(function* (payment_id: string, what: string, status = "completed") {
  const { call } = yield* ApiClient
  yield* until(what, call("payments", "byId", { path: { payment_id } }), (record) => record.status === status)
})

const attemptsOf = Effect.fnUntraced(function* (payment_id: string) {
  const { call } = yield* ApiClient
  const { data } = yield* call("payments", "timeline", { path: { payment_id } })
  return data.items.flatMap((item) => (item.kind === "attempt" ? [item] : []))
})

const DECLINED_ACCOUNT = "1100220001"

export const payin = Effect.fnUntraced(function* (sandbox: RunningSandbox) {
  const { call } = yield* ApiClient
  const { response } = yield* call("paymentsInit", "initiate", { payload: mpesaPayin })
  const { payment_id } = response
  yield* reachesStatus(payment_id, "the payin to complete")
  const shown: Shown = {
    what: "1500.00 KES collected from an M-Pesa phone, completed",
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}`),
    events: [["payment.completed", payment_id]]
  }
  return { ...shown, paymentId: payment_id }
})

const Declined = Schema.Struct({ code: Schema.String, payment_id: Schema.String })

/** By bank transfer, which no other provider serves here. */
export const declined = Effect.fnUntraced(function* (sandbox: RunningSandbox) {
  const { call } = yield* ApiClient
  const { mobile_money_details: _none, ...order } = mpesaPayin
  const bank = { account_number: DECLINED_ACCOUNT, bank_code: "01", bank_name: "KCB" }
  const payload = {
    ...order,
    payment_method: "bank_transfer" as const,
    bank_details: { ...bank, account_name: "Wanjiru Kamau" },
    bank_account: bank
  }
  const refused = yield* Effect.flip(call("paymentsInit", "initiate", { payload })).pipe(
    Effect.mapError(() => new StepFailed({ message: `Bank account ${DECLINED_ACCOUNT} was not refused.` }))
  )
  if (!Schema.is(Declined)(refused.body)) return yield* refused
  const { code, payment_id } = refused.body
  const attempt = (yield* attemptsOf(payment_id)).find(({ outcome }) => outcome === "declined")
  if (attempt === undefined) return yield* new StepFailed({ message: "The timeline shows no declined attempt." })
  const shown: Shown = {
    what: `bank account ${DECLINED_ACCOUNT} refused with ${refused.status} ${code}; the timeline says: ${attempt.provider} declined, ${attempt.reason}`,
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}/timeline`),
    events: [["payment.failed", payment_id]]
  }
  return shown
})

export const payout = Effect.fnUntraced(function* (sandbox: RunningSandbox) {
  const { call } = yield* ApiClient
  const [UGX, UG] = ["UGX" as CurrencyCode, "UG" as CountryCode]
  const momo = { provider: "mtn", phone_number: "+256772123456" }
  const ugandan = { ...kenyanPhone, country: UG, currency: UGX, momo_details: momo }
  const { data: payee } = yield* call("beneficiaries", "create", { payload: ugandan })
  const { data } = yield* call("rates", "lookup", {
    urlParams: { fromCurrency: KES, toCurrency: UGX, amount: 1500 }
  })
  const { org_rate_id, rate } = data
  const target_amount = data.target_amount!
  const { response } = yield* call("paymentsInit", "initiate", {
    payload: {
      amount: amount("1500.00"),
      target_amount,
      currency: KES,
      target_currency: UGX,
      org_rate_id,
      country: UG,
      payment_method: "mobile_money",
      direction: "payout",
      beneficiary_id: payee.beneficiary_id,
      mobile_money_details: momo
    }
  })
  const { payment_id } = response
  yield* reachesStatus(payment_id, "the payout to complete")
  const shown: Shown = {
    what: `1500.00 KES paid out as ${target_amount.text} UGX to an MTN phone, at the locked rate ${rate.text}`,
    ids: { payment_id, org_rate_id },
    curl: curl(sandbox, `/payments/${payment_id}`),
    events: [["payment.completed", payment_id]]
  }
  return shown
})

export const refund = Effect.fnUntraced(function* (sandbox: RunningSandbox, payment_id: string) {
  const { call } = yield* ApiClient
  const payload = { action: "refund", reason: "The customer changed their mind" } as const
  yield* call("paymentsInit", "action", { path: { payment_id }, payload })
  yield* reachesStatus(payment_id, "the refund to complete", "refunded")
  const shown: Shown = {
    what: "the payin given back in full, refunded",
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}/timeline`)
  }
  return shown
})

export const virtualAccount = Effect.fnUntraced(function* (sandbox: RunningSandbox) {
  const { call } = yield* ApiClient
  const { data: opened } = yield* call("virtualAccounts", "create", {
    payload: { org_id: sandbox.orgId, user_id: sandbox.userId, currency: KES, customer_id: "demo" }
  })
  const path = { account_id: opened.account_id }
  const { data: deposit } = yield* call("virtualAccounts", "simulateDeposit", {
    path,
    payload: { amount: amount("10000.00") }
  })
  const { data: payee } = yield* call("beneficiaries", "create", { payload: kenyanPhone })
  const { data: withdrawal } = yield* call("virtualAccounts", "withdraw", {
    path,
    payload: { amount: amount("1500.00"), beneficiary_id: payee.beneficiary_id, description: "Rent for March" }
  })
  const { transaction_id } = withdrawal
  const read = call("virtualAccounts", "transaction", { path: { transaction_id } })
  yield* until("the withdrawal to be paid", read, ({ data }) => data.status === "completed")
  const { data } = yield* call("virtualAccounts", "get", { path })
  const shown: Shown = {
    what: `10000.00 KES deposited, 1500.00 KES withdrawn to a phone, ${data.balance.text} KES left`,
    ids: { ...path, transaction_id },
    curl: curl(sandbox, `/virtual-accounts/${path.account_id}/transactions`),
    events: [
      ["virtual_account.deposit", deposit.transaction_id],
      ["virtual_account.withdrawal", transaction_id]
    ]
  }
  return { ...shown, accountId: path.account_id }
})

const split = (name: string, share: string) => ({ name, split_type: "percentage", split_value: amount(share) }) as const

export const escrow = Effect.fnUntraced(function* (sandbox: RunningSandbox, account_id: string) {
  const { call } = yield* ApiClient
  const { data } = yield* call("escrow", "create", {
    payload: {
      name: "Clinic in Kisumu",
      currency: KES,
      account_id,
      parties: [{ name: "Jenga Builders" }, { name: "Surveyor" }],
      milestones: [
        {
          label: "Foundation",
          sequence: 1,
          expected_disbursement: amount("4000.00"),
          parties: [split("Jenga Builders", "66.6"), split("Surveyor", "33.4")]
        }
      ]
    }
  })
  const { escrow_id } = data
  const { milestone_id } = data.milestones[0]!
  yield* call("escrow", "fund", { path: { escrow_id }, payload: { amount: amount("4000.00") } })
  yield* call("escrow", "disburse", { path: { escrow_id, milestone_id }, payload: {} })
  const { data: paid } = yield* call("escrow", "get", { path: { escrow_id } })
  const shares = paid.parties.map(({ balance, name }) => `${balance.text} to ${name}`)
  const shown: Shown = {
    what: `4000.00 KES set aside and disbursed to two parties: ${shares.join(", ")}`,
    ids: { escrow_id, milestone_id },
    curl: curl(sandbox, `/virtual-accounts/escrow/${escrow_id}`)
  }
  return shown
})

/** A card payment that Stripe's fake alone declines, by the last two digits of the amount. */
const fallbackOrder = {
  amount: amount("49.21"),
  target_amount: amount("49.21"),
  currency: "EUR" as CurrencyCode,
  target_currency: "EUR" as CurrencyCode,
  country: "DE" as CountryCode,
  payment_method: "card",
  direction: "payin",
  payer_details,
  card_entry: "hosted"
} as const

/** Whether the sandbox speaks to fakes of third parties. */
export const hasThirdParties = Effect.gen(function* () {
  const { call } = yield* ApiClient
  const { data } = yield* call("paymentsInit", "preview", { payload: fallbackOrder })
  const asked = data.candidates.map(({ provider }) => provider)
  return asked[0] === "stripe" && asked.includes("adyen")
}).pipe(Effect.orElseSucceed(() => false))

export const fallback = Effect.fnUntraced(function* (sandbox: RunningSandbox) {
  const { call } = yield* ApiClient
  const { response } = yield* call("paymentsInit", "initiate", { payload: fallbackOrder })
  const { payment_id, redirect_url } = response
  yield* Effect.tryPromise({
    try: (signal) => fetch(String(redirect_url), { signal }),
    catch: (error) => new StepFailed({ message: `The page of the third party could not be opened: ${String(error)}` })
  })
  yield* reachesStatus(payment_id, "the payment at Adyen's page to complete")
  const [refused, taken] = yield* attemptsOf(payment_id)
  if (refused?.outcome !== "declined" || taken?.outcome !== "accepted") {
    return yield* new StepFailed({ message: "The timeline does not show one that declined and one that took it." })
  }
  const shown: Shown = {
    what: `49.21 EUR by card: ${refused.provider} declined (${refused.reason}), ${taken.provider} took it on its own page, completed`,
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}/timeline`),
    events: [["payment.completed", payment_id]]
  }
  return shown
})

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"

export const onRamp = Effect.fnUntraced(function* (sandbox: RunningSandbox) {
  const { call } = yield* ApiClient
  const { data } = yield* call("rates", "lookup", { urlParams: { fromCurrency: KES, toCurrency: "USDT" } })
  const { response } = yield* call("ramps", "ramp", {
    payload: {
      fiat_currency: KES,
      fiat_amount: amount("13000.00"),
      client_rate: data.rate,
      crypto_currency: "USDT",
      crypto_network: "POLYGON",
      country: KE,
      wallet_address: WALLET,
      mobile_money_details: mpesa
    }
  })
  const { crypto_amount, payment_id } = response
  yield* reachesStatus(payment_id, "both legs of the on-ramp")
  const shown: Shown = {
    what: `13000.00 KES collected, ${crypto_amount.text} USDT settled to ${WALLET} on POLYGON`,
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}/timeline`),
    events: [["payment.completed", payment_id]]
  }
  return shown
})

export const paymentLink = Effect.fnUntraced(function* (sandbox: RunningSandbox) {
  const { call } = yield* ApiClient
  const { orgId: org_id } = sandbox
  const { data } = yield* call("paymentLinks", "create", {
    path: { org_id },
    payload: { amount: amount("1500.00"), currency: KES, description: "Invoice 1042", amount_type: "fixed" }
  })
  const shown: Shown = {
    what: `1500.00 KES to be paid in a browser at ${data.url}`,
    ids: { link_id: data.link_id },
    curl: curl(sandbox, `/orgs/${org_id}/payment-links/${data.link_id}`)
  }
  return shown
})
