/** The steps of the demo: payments, a refund, a virtual account, an escrow, a ramp and a payment link. */
import { Clock, Data, Effect, Schedule, Schema } from "effect"
import type { CountryCode } from "../../domain/Country.ts"
import type { CurrencyCode } from "../../domain/Currency.ts"
import { amount, KE, kenyanPhone, KES, mpesa, mpesaPayin, payer_details } from "../actions/TriggerAction.ts"
import { type ApiClient, call, type Refused } from "../shared/ApiClient.ts"
import type { RunningSandbox } from "../client/RunCommand.ts"
import { Streams } from "../shared/Terminal.ts"

/** Where the server reaches the demo. */
export interface Receiver {
  /** 0: any that is free. */
  readonly port: number
  /** With a certificate, over TLS. */
  readonly identity?: { readonly cert: string; readonly key: string }
  readonly addressAt: (port: number) => string
}

/** The server that the demo is played on: a sandbox, or one in live mode with fakes as its third parties. */
export interface DemoServer extends RunningSandbox {
  readonly mode: "sandbox" | "live"
  readonly receiver: Receiver
  /** Opens the page of a third party as a customer does. */
  readonly openPage: (url: string, signal: AbortSignal) => Promise<unknown>
}

/** An event that must come, and the id of what it is about. */
export type Expected = readonly [eventType: string, id: string]

/** The reason why a step of the demo failed. */
export class StepFailed extends Data.TaggedError("StepFailed")<{ readonly message: string }> {}

export interface Shown {
  /** Action and result in words. */
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

/** Repeats a failing check for 30 seconds. Simulators and fakes complete each leg of a payment within seconds. */
export const retried =
  (what: string) =>
  <A, E, R>(check: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    check.pipe(
      Effect.retry(
        Schedule.spaced("150 millis").pipe(
          Schedule.upTo("30 seconds"),
          Schedule.tapInput(() => drawWaiting(what))
        )
      ),
      Effect.ensuring(drawWaiting(""))
    )

const until = <A>(what: string, read: Effect.Effect<A, Refused, ApiClient>, isSo: (read: A) => boolean) =>
  Effect.filterOrFail(
    read,
    isSo,
    () => new StepFailed({ message: `The demo timed out while it waited for ${what}.` })
  ).pipe(retried(what))

export const curl = ({ apiKey, baseUrl }: DemoServer, path: string): string =>
  `curl -s '${baseUrl}${path}' -H 'Authorization: NONE' -H 'X-Api-Key: ${apiKey}'`

const reachesStatus = Effect.fnUntraced(function* (payment_id: string, what: string) {
  yield* until(what, call("payments", "byId", { path: { payment_id } }), (record) => record.status === "completed")
})

const attemptsOf = Effect.fnUntraced(function* (payment_id: string) {
  const { data } = yield* call("payments", "timeline", { path: { payment_id } })
  return data.items.flatMap((item) => (item.kind === "attempt" ? [item] : []))
})

/** The providers that a payment went to, in order. */
const wentTo = (payment_id: string) =>
  Effect.map(attemptsOf(payment_id), (attempts) => `by ${attempts.map(({ provider }) => provider).join(", then ")}`)

const of = (text: string) => ({ amount: amount(text), target_amount: amount(text) })

export const payin = Effect.fnUntraced(function* (sandbox: DemoServer) {
  const { response } = yield* call("paymentsInit", "initiate", { payload: { ...mpesaPayin, ...of("5000.00") } })
  const { payment_id } = response
  yield* reachesStatus(payment_id, "the payin to complete")
  const shown: Shown = {
    what: `5000.00 KES collected from an M-Pesa phone ${yield* wentTo(payment_id)}, completed`,
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}`),
    events: [["payment.completed", payment_id]]
  }
  return { ...shown, paymentId: payment_id }
})

const Declined = Schema.Struct({ code: Schema.String, payment_id: Schema.String })

const [UGX, UG] = ["UGX" as CurrencyCode, "UG" as CountryCode]
const DECLINED_PHONE = "+256772120001"

/** Simulators decline by the phone number, fakes by the last two digits of the amount. */
const declinedOrder = {
  ...mpesaPayin,
  ...of("50001.0"),
  currency: UGX,
  target_currency: UGX,
  country: UG,
  mobile_money_details: { provider: "mtn", phone_number: DECLINED_PHONE }
}

export const declined = Effect.fnUntraced(function* (sandbox: DemoServer) {
  const refused = yield* Effect.flip(call("paymentsInit", "initiate", { payload: declinedOrder })).pipe(
    Effect.mapError(() => new StepFailed({ message: `Phone ${DECLINED_PHONE} was not refused.` }))
  )
  if (!Schema.is(Declined)(refused.body)) return yield* refused
  const { code, payment_id } = refused.body
  const attempt = (yield* attemptsOf(payment_id)).find(({ outcome }) => outcome === "declined")
  if (attempt === undefined) return yield* new StepFailed({ message: "The timeline shows no declined attempt." })
  return {
    what: `phone ${DECLINED_PHONE} refused with ${refused.status} ${code}; the timeline says: ${attempt.provider} declined, ${attempt.reason}`,
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}/timeline`),
    events: [["payment.failed", payment_id]]
  } satisfies Shown
})

export const payout = Effect.fnUntraced(function* (sandbox: DemoServer) {
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
  return {
    what: `1500.00 KES paid out as ${target_amount.text} UGX to an MTN phone ${yield* wentTo(payment_id)}, at the locked rate ${rate.text}`,
    ids: { payment_id, org_rate_id },
    curl: curl(sandbox, `/payments/${payment_id}`),
    events: [["payment.completed", payment_id]]
  } satisfies Shown
})

export const refund = Effect.fnUntraced(function* (sandbox: DemoServer, payment_id: string) {
  const payload = { action: "refund", amount: amount("1500.00"), reason: "The customer sent one part back" } as const
  yield* call("paymentsInit", "action", { path: { payment_id }, payload })
  const read = call("payments", "byId", { path: { payment_id } })
  yield* until("the refund to complete", read, (record) => record.refunded_amount.text === "1500.00")
  const attempts = (yield* attemptsOf(payment_id)).filter(({ leg }) => leg === "refund")
  return {
    what: `1500.00 KES of the payin refunded by ${attempts.map(({ provider }) => provider).join(", then ")}`,
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}/timeline`)
  } satisfies Shown
})

export const virtualAccount = Effect.fnUntraced(function* (sandbox: DemoServer) {
  const { data: opened } = yield* call("virtualAccounts", "create", {
    payload: { org_id: sandbox.orgId, user_id: sandbox.userId, currency: KES, customer_id: "demo" }
  })
  const path = { account_id: opened.account_id }
  const { response } = yield* call("paymentsInit", "initiate", {
    payload: { ...mpesaPayin, ...of("10000.00"), virtual_account_id: opened.account_id }
  })
  yield* reachesStatus(response.payment_id, "the payin into the virtual account")
  const deposits = yield* until(
    "the deposit",
    call("virtualAccounts", "transactions", { path, urlParams: {} }),
    (page) => page.data.length > 0
  )
  const { data: payee } = yield* call("beneficiaries", "create", { payload: kenyanPhone })
  const { data: withdrawal } = yield* call("virtualAccounts", "withdraw", {
    path,
    payload: { amount: amount("1500.00"), beneficiary_id: payee.beneficiary_id, description: "Rent for March" }
  })
  const { transaction_id } = withdrawal
  const read = call("virtualAccounts", "transaction", { path: { transaction_id } })
  yield* until("the withdrawal to be paid", read, ({ data }) => data.status === "completed")
  const { data } = yield* call("virtualAccounts", "get", { path })
  const into = yield* wentTo(response.payment_id)
  const shown: Shown = {
    what: `10000.00 KES paid in ${into}, 1500.00 KES withdrawn to a phone, ${data.balance.text} KES left`,
    ids: { ...path, transaction_id },
    curl: curl(sandbox, `/virtual-accounts/${path.account_id}/transactions`),
    events: [
      ["virtual_account.deposit", deposits.data[0]!.transaction_id],
      ["virtual_account.withdrawal", transaction_id]
    ]
  }
  return { ...shown, accountId: path.account_id }
})

const split = (name: string, share: string) => ({ name, split_type: "percentage", split_value: amount(share) }) as const

export const escrow = Effect.fnUntraced(function* (sandbox: DemoServer, account_id: string) {
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
  return {
    what: `4000.00 KES set aside and disbursed to two parties: ${shares.join(", ")}`,
    ids: { escrow_id, milestone_id },
    curl: curl(sandbox, `/virtual-accounts/escrow/${escrow_id}`)
  } satisfies Shown
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

/** True if the sandbox speaks to fakes of third parties. */
export const hasThirdParties = Effect.gen(function* () {
  const { data } = yield* call("paymentsInit", "preview", { payload: fallbackOrder })
  const asked = data.candidates.map(({ provider }) => provider)
  return asked[0] === "stripe" && asked.includes("adyen")
}).pipe(Effect.orElseSucceed(() => false))

export const fallback = Effect.fnUntraced(function* (sandbox: DemoServer) {
  const { response } = yield* call("paymentsInit", "initiate", { payload: fallbackOrder })
  const { payment_id, redirect_url } = response
  yield* Effect.tryPromise({
    try: (signal) => sandbox.openPage(String(redirect_url), signal),
    catch: (error) => new StepFailed({ message: `The page of the third party could not be opened: ${String(error)}` })
  })
  yield* reachesStatus(payment_id, "the payment at Adyen's page to complete")
  const [refused, taken] = yield* attemptsOf(payment_id)
  if (refused?.outcome !== "declined" || taken?.outcome !== "accepted") {
    return yield* new StepFailed({ message: "The timeline does not show one that declined and one that took it." })
  }
  return {
    what: `49.21 EUR by card: ${refused.provider} declined (${refused.reason}), ${taken.provider} took it on its own page, completed`,
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}/timeline`),
    events: [["payment.completed", payment_id]]
  } satisfies Shown
})

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"

export const onRamp = Effect.fnUntraced(function* (sandbox: DemoServer) {
  const { data } = yield* call("rates", "lookup", { urlParams: { fromCurrency: KES, toCurrency: "USDC" } })
  const { response } = yield* call("ramps", "ramp", {
    payload: {
      fiat_currency: KES,
      fiat_amount: amount("13000.00"),
      client_rate: data.rate,
      crypto_currency: "USDC",
      crypto_network: "POLYGON",
      country: KE,
      wallet_address: WALLET,
      mobile_money_details: mpesa
    }
  })
  const { crypto_amount, payment_id } = response
  yield* reachesStatus(payment_id, "both legs of the on-ramp")
  return {
    what: `13000.00 KES exchanged for ${crypto_amount.text} USDC on POLYGON at ${WALLET} ${yield* wentTo(payment_id)}`,
    ids: { payment_id },
    curl: curl(sandbox, `/payments/${payment_id}/timeline`),
    events: [["payment.completed", payment_id]]
  } satisfies Shown
})

export const paymentLink = Effect.fnUntraced(function* (sandbox: DemoServer) {
  const { orgId: org_id } = sandbox
  const { data } = yield* call("paymentLinks", "create", {
    path: { org_id },
    payload: { amount: amount("1500.00"), currency: KES, description: "Invoice 1042", amount_type: "fixed" }
  })
  return {
    what: `1500.00 KES to be paid in a browser at ${data.url}`,
    ids: { link_id: data.link_id },
    curl: curl(sandbox, `/orgs/${org_id}/payment-links/${data.link_id}`)
  } satisfies Shown
})
