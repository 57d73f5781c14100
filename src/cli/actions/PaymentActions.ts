/** `corridor payments` and `corridor queue` */
import { type BigDecimal, Effect, Either, Option, Schema } from "effect"
import { Flow } from "../../domain/Corridor.ts"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import { type PaymentStatus, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { ApiClient, orNotFound, type Refused } from "../client/ApiClient.ts"
import { onServer, onTarget } from "../client/RunCommand.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { amountIn, decodeInput, decodeOption, refuse, type IdInput, type OrgInput } from "../shared/CommandInput.ts"
import { decisionsText, paymentTable, paymentText, queueTable, summaryText } from "./PaymentText.ts"

const runReading = onTarget("payments")
const runSettling = onTarget("settlements")

const CANDIDATES = 10

const findByReference = Effect.fnUntraced(function* (given: string) {
  const { call } = yield* ApiClient
  const { data } = yield* call("payments", "transactions", {
    urlParams: { reference: given, limit: CANDIDATES + 1 }
  })
  const [payment, ...others] = data
  if (payment === undefined) return yield* refuse(`There is no payment with this id or reference: ${given}.`)
  if (others.length === 0) return payment
  const ids = data.slice(0, CANDIDATES).map(({ payment_id }) => payment_id)
  const more = data.length > CANDIDATES ? " and others" : ""
  return yield* refuse(`${given} matches several payments, write more of it: ${ids.join(", ")}${more}.`)
})

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isNotFound = ({ status }: Refused): boolean => status === 404

/** A whole id needs no right to list payments. */
const findPayment = (given: string) =>
  UUID.test(given)
    ? Effect.flatMap(ApiClient, ({ call }) =>
        call("payments", "byId", { path: { payment_id: given } }).pipe(
          Effect.catchIf(isNotFound, () => call("payments", "byTransaction", { path: { transaction_id: given } })),
          Effect.catchIf(isNotFound, () => findByReference(given))
        )
      )
    : findByReference(given)

const showOne = Effect.fnUntraced(function* (given: string) {
  const { call } = yield* ApiClient
  const payment = yield* findPayment(given)
  const { data } = yield* call("payments", "timeline", { path: { payment_id: payment.payment_id } })
  return { data: { ...payment, timeline: data.items }, ...paymentText(payment, data.items) }
})

export const show = (input: IdInput) => runReading(input.json, showOne(input.id))

interface TypedFilter {
  readonly status: Option.Option<PaymentStatus>
  readonly direction: Option.Option<Flow>
  readonly reference: Option.Option<string>
  readonly org: Option.Option<string>
  readonly limit: string
}

const whole = () => ({ message: "is not a whole number from 1 to 100", override: true })

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Filter = Schema.Struct({
  status: maybe(Schema.Literal(...paymentStatuses)),
  direction: maybe(Flow),
  reference: maybe(Schema.NonEmptyString),
  org: maybe(Schema.NonEmptyString),
  limit: Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 100)).annotations({ message: whole })
})

const filterFrom = ({ limit, ...options }: TypedFilter) => {
  const given = Object.entries(options).flatMap(([name, value]) =>
    Option.isSome(value) ? [[name, value.value] as const] : []
  )
  return decodeInput(Filter, { ...Object.fromEntries(given), limit } as typeof Filter.Encoded)
}

const listSome = Effect.fnUntraced(function* (filter: Effect.Effect.Success<ReturnType<typeof filterFrom>>) {
  const { call } = yield* ApiClient
  const { limit, org, ...rest } = filter
  const { data } = yield* call("payments", "transactions", { urlParams: { ...rest, limit, org_id: org } })
  return { data, ...paymentTable(data) }
})

export const list = (input: TypedFilter & { readonly json: boolean }) =>
  Effect.flatMap(filterFrom(input), (filter) => runReading(input.json, listSome(filter)))

const listQueue = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { all } = yield* ApiClient
  const data = yield* all("payments", "queue", { urlParams: { org_id: Option.getOrUndefined(org) } })
  return { data, ...queueTable(data) }
})

export const queue = (input: OrgInput) => runReading(input.json, listQueue(input.org))

const noSuchPayment = (given: string) => orNotFound(`There is no payment with the id ${given}.`)

type Outcome = "completed" | "failed"

const Reason = Schema.Trim.pipe(Schema.minLength(1), Schema.maxLength(500))

/** The options of `corridor payments resolve`. */
interface TypedDecision {
  readonly id: string
  readonly as: Option.Option<Outcome>
  readonly reason: Option.Option<string>
  readonly item: Option.Option<string>
  readonly movement: Option.Option<string>
  readonly amount: Option.Option<string>
  readonly json: boolean
}

interface Decision {
  readonly outcome: Outcome
  readonly reason: string
  readonly item: string | undefined
  readonly movementId: string | undefined
  readonly amount: BigDecimal.BigDecimal | undefined
}

/** None: list the possible decisions. */
const decisionFrom = Effect.fnUntraced(function* (typed: TypedDecision) {
  if (Option.isNone(typed.as)) {
    if (Option.isSome(typed.reason)) return yield* refuse("--as: say completed or failed, or leave --reason out.")
    return Option.none<Decision>()
  }
  if (Option.isNone(typed.reason)) return yield* refuse("--reason: say how you know.")
  const reason = yield* decodeOption("--reason", Reason, typed.reason.value)
  const amount = Option.map(typed.amount, (given) => amountIn(given, "a decimal number such as 500.00"))
  if (Option.isSome(amount) && Either.isLeft(amount.value)) return yield* refuse(`--amount ${amount.value.left}.`)
  return Option.some<Decision>({
    amount: Option.getOrUndefined(Option.flatMap(amount, Either.getRight)),
    outcome: typed.as.value,
    reason,
    item: Option.getOrUndefined(typed.item),
    movementId: Option.getOrUndefined(typed.movement)
  })
})

const resolveOne = Effect.fnUntraced(function* (
  payment_id: string,
  { amount, item, movementId, outcome, reason }: Decision
) {
  const { call } = yield* ApiClient
  const payload = {
    ...{ outcome, reason },
    ...(item === undefined ? {} : { item_id: item }),
    ...(movementId === undefined ? {} : { movement_id: movementId }),
    ...(amount === undefined ? {} : { amount: new WireNumber(toWireText(amount)) })
  }
  const data = yield* noSuchPayment(payment_id)(call("resolutions", "resolve", { path: { payment_id }, payload }))
  return { data, text: `Settled by hand.\n${summaryText(data)}` }
})

const decisionsOn = Effect.fnUntraced(function* (payment_id: string, item: Option.Option<string>) {
  const { call } = yield* ApiClient
  const { data } = yield* noSuchPayment(payment_id)(call("resolutions", "decisions", { path: { payment_id } }))
  const items = data.items.filter(({ item_id }) => Option.isNone(item) || item_id === item.value)
  return { data: items, text: decisionsText(payment_id, items) }
})

export const resolve = Effect.fnUntraced(function* (input: TypedDecision) {
  const decision = yield* decisionFrom(input)
  yield* Option.match(decision, {
    onNone: () => runSettling(input.json, decisionsOn(input.id, input.item)),
    onSome: (wanted) => runSettling(input.json, resolveOne(input.id, wanted))
  })
})

const giveBack = Effect.fnUntraced(function* (payment_id: string, reason: string, item: Option.Option<string>) {
  const { call } = yield* ApiClient
  const payload = { reason, ...(Option.isNone(item) ? {} : { item_id: item.value }) }
  const data = yield* noSuchPayment(payment_id)(call("resolutions", "giveBack", { path: { payment_id }, payload }))
  return { data, text: `Given back.\n${summaryText(data)}` }
})

const ALL = "all"

const amountFrom = (given: string) =>
  given === ALL
    ? Effect.succeedNone
    : Either.match(amountIn(given, `a decimal number such as 500.00, or ${ALL}`), {
        onLeft: (why) => refuse(`--amount ${why}.`),
        onRight: (amount) => Effect.succeedSome(new WireNumber(toWireText(amount)))
      })

/** Refunds a completed payin to its payer, in whole or in part. */
const refundPayer = Effect.fnUntraced(function* (
  payment_id: string,
  reason: string,
  amount: Option.Option<WireNumber>
) {
  const { call } = yield* ApiClient
  yield* call("paymentsInit", "action", {
    path: { payment_id },
    payload: { action: "refund", reason, ...(Option.isNone(amount) ? {} : { amount: amount.value }) }
  })
  const data = yield* call("payments", "byId", { path: { payment_id } })
  return { data, text: `The refund is under way.\n${summaryText(data)}` }
})

export const refund = Effect.fnUntraced(function* (input: {
  readonly id: string
  readonly reason: string
  readonly amount: Option.Option<string>
  readonly item: Option.Option<string>
  readonly json: boolean
}) {
  if (Option.isSome(input.amount) && (yield* isLocal)) {
    return yield* refuse(
      "--amount: a payer is refunded by API, in a person's own name: add --url and --token (or --api-key)."
    )
  }
  const reason = yield* decodeOption("--reason", Reason, input.reason)
  if (Option.isNone(input.amount)) return yield* runSettling(input.json, giveBack(input.id, reason, input.item))
  if (Option.isSome(input.item))
    return yield* refuse("--item cannot be combined with --amount: a refund of the payer belongs to no item.")
  const amount = yield* amountFrom(input.amount.value)
  yield* onServer(input.json, refundPayer(input.id, reason, amount))
})
