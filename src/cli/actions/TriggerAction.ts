/** `corridor trigger`: makes an event happen in a sandbox, by what really leads to it, with the sandbox's test values. */
import { Clock, Effect, Option, Schedule } from "effect"
import type { CountryCode } from "../../domain/Country.ts"
import type { CurrencyCode } from "../../domain/Currency.ts"
import { WireNumber } from "../../domain/Decimal.ts"
import type { EventType } from "../../domain/EventTypes.ts"
import type { Invalid } from "../../domain/Failure.ts"
import type { Triggerable } from "../commands/ServerCommands.ts"
import { refuse } from "../shared/CommandInput.ts"
import { Streams } from "../shared/Terminal.ts"
import { properties } from "../shared/Table.ts"
import { type ApiClient, call, type Refused } from "../shared/ApiClient.ts"

/** Ids in the data of the event. */
type Subject = Readonly<Record<string, string>>

interface Caller {
  readonly org_id: string
  readonly user_id: string
}

export const KES = "KES" as CurrencyCode
export const KE = "KE" as CountryCode
export const amount = (text: string) => new WireNumber(text)

const patience = Schedule.spaced("300 millis").pipe(Schedule.upTo("20 seconds"))

const happened = (type: EventType, subject: Subject, { org_id }: Caller) =>
  Effect.gen(function* () {
    const { data } = yield* call("webhookLog", "events", { urlParams: { org_id, event_type: type, limit: 50 } })
    const found = data.find((event) => Object.entries(subject).every(([name, id]) => event.data[name] === id))
    return found === undefined ? yield* Effect.fail("not yet" as const) : found
  }).pipe(
    Effect.retry({ schedule: patience, while: (error) => error === "not yet" }),
    Effect.catchIf(
      (error) => error === "not yet",
      () => refuse(`${type} did not come within 20 seconds: see "corridor logs tail".`)
    )
  )

const CUSTOMER = "+254712345678"

export const payer_details = { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: CUSTOMER }
export const mpesa = { provider: "mpesa", phone_number: CUSTOMER }

/** 1500 KES by M-Pesa. */
export const mpesaPayin = {
  amount: amount("1500.00"),
  target_amount: amount("1500.00"),
  currency: KES,
  target_currency: KES,
  country: KE,
  payment_method: "mobile_money",
  direction: "payin",
  payer_details,
  mobile_money_details: mpesa
} as const

/** A beneficiary paid by M-Pesa. */
export const kenyanPhone = {
  account_type: "mobile_money",
  beneficiary_type: "individual",
  country: KE,
  currency: KES,
  fname: "Ada",
  lname: "Okafor",
  momo_details: mpesa
} as const

const payin = (phone: string, { org_id }: Caller) =>
  Effect.gen(function* () {
    const payload = {
      ...mpesaPayin,
      org_id,
      description: "corridor trigger",
      payer_details: { ...payer_details, phone },
      mobile_money_details: { ...mpesa, phone_number: phone }
    }
    const { response } = yield* call("paymentsInit", "initiate", { payload })
    return { payment_id: response.payment_id }
  })

const ACCEPTED_THEN_FAILS = "+254712340004"
const ASKS_FOR_PASSWORD = "+254712340002"

const act = (action: "refund" | "cancel", { payment_id }: { readonly payment_id: string }) =>
  call("paymentsInit", "action", {
    path: { payment_id },
    payload: { action, ...(action === "refund" ? { reason: "corridor trigger" } : {}) }
  })

const account = ({ org_id, user_id }: Caller) =>
  Effect.gen(function* () {
    const { data } = yield* call("virtualAccounts", "create", {
      payload: { org_id, user_id, currency: KES, customer_id: "trigger" }
    })
    return { account_id: data.account_id }
  })

const deposit = (caller: Caller) =>
  Effect.gen(function* () {
    const opened = yield* account(caller)
    const { data } = yield* call("virtualAccounts", "simulateDeposit", {
      path: opened,
      payload: { amount: amount("10000.00") }
    })
    return { ...opened, transaction_id: data.transaction_id }
  })

const withdrawal = (caller: Caller) =>
  Effect.gen(function* () {
    const { account_id } = yield* deposit(caller)
    const { data: payee } = yield* call("beneficiaries", "create", {
      payload: { ...kenyanPhone, org_id: caller.org_id }
    })
    const { data } = yield* call("virtualAccounts", "withdraw", {
      path: { account_id },
      payload: { amount: amount("1500.00"), beneficiary_id: payee.beneficiary_id }
    })
    return { account_id, transaction_id: data.transaction_id }
  })

const frozen = (caller: Caller) =>
  Effect.gen(function* () {
    const opened = yield* account(caller)
    yield* call("virtualAccounts", "freeze", { path: opened, payload: { reason: "corridor trigger" } })
    return opened
  })

const completed = (caller: Caller) =>
  Effect.tap(payin(CUSTOMER, caller), (subject) => happened("payment.completed", subject, caller))

const triggers: Readonly<
  Record<Triggerable, (caller: Caller) => Effect.Effect<Subject, Refused | Invalid, ApiClient>>
> = {
  "payment.completed": (caller: Caller) => payin(CUSTOMER, caller),
  "payment.processing": (caller: Caller) => payin(CUSTOMER, caller),
  "transaction.updated": (caller: Caller) => payin(CUSTOMER, caller),
  "payment.failed": (caller: Caller) => payin(ACCEPTED_THEN_FAILS, caller),
  "payment.canceled": (caller: Caller) =>
    Effect.tap(payin(ASKS_FOR_PASSWORD, caller), (subject) => act("cancel", subject)),
  "payment.refunded": (caller: Caller) => Effect.tap(completed(caller), (subject) => act("refund", subject)),
  "virtual_account.deposit": deposit,
  "virtual_account.withdrawal": withdrawal,
  "virtual_account.frozen": frozen,
  "virtual_account.unfrozen": (caller: Caller) =>
    Effect.tap(frozen(caller), (path) => call("virtualAccounts", "unfreeze", { path }))
}

/** Checked before anything is created. */
const mayTrigger = (type: Triggerable, role: string) =>
  role === "admin" || !/frozen$/.test(type)
    ? Effect.void
    : refuse(`${type} takes a platform admin, who alone freezes accounts: give --token, and --org ORG.`)

const callerOf = Effect.fnUntraced(function* (type: Triggerable, org: Option.Option<string>) {
  const { data } = yield* call("session", "me", { urlParams: { org_id: Option.getOrUndefined(org) } })
  if (data.mode === "live")
    return yield* refuse("Events are triggered in a sandbox only: in live mode payments move real money.")
  yield* mayTrigger(type, data.role)
  if (data.organization === null) return yield* refuse("Say for which organisation: --org ORG.")
  const { org_id } = data.organization
  if (data.role !== "admin" && data.user_id !== null) return { org_id, user_id: data.user_id }
  const { data: people } = yield* call("users", "list", { urlParams: { org_id, limit: 1 } })
  const [member] = people
  return member === undefined
    ? yield* refuse("This organisation has no members yet.")
    : { org_id, user_id: member.user_id }
})

export const trigger = Effect.fnUntraced(function* (type: Triggerable, org: Option.Option<string>) {
  const caller = yield* callerOf(type, org)
  const { err, watched } = yield* Streams
  const start = yield* Clock.currentTimeMillis
  if (watched) err(`Waiting for ${type} …\n`)
  const subject: Subject = yield* triggers[type](caller)
  const event = yield* happened(type, subject, caller)
  const took = (yield* Clock.currentTimeMillis) - start
  return {
    data: event,
    text: `${type} happened after ${took} ms.\n${properties([["Event", event.event_id], ...Object.entries(subject)])}`
  }
})
