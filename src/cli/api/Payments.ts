/** `corridor payments` by API: who resolves or gives back does it in their own name. */
import { Effect, Either, Option } from "effect"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import { amountIn, decodeOption, refuse } from "../shared/CommandInput.ts"
import {
  Reason,
  type Sought,
  type TypedVerdict,
  type Verdict,
  wantedFilter,
  wantedVerdict
} from "../shared/PaymentInput.ts"
import { decisionsText, paymentTable, paymentText, type Summary, summaryText } from "../shown/Payments.ts"
import { type Answer, Calls } from "./Calls.ts"
import { onApi } from "./OnApi.ts"

type Payment = Answer<"payments", "byId">

const shown = (payment: Payment): Summary & Pick<Payment, "created_at"> => ({
  ...payment,
  money: `${payment.amount.text} ${payment.currency}`,
  refunded: `${payment.refunded_amount.text} ${payment.currency}`
})

const CANDIDATES = 10

const referredTo = Effect.fnUntraced(function* (given: string) {
  const { call } = yield* Calls
  const { data } = yield* call("payments", "transactions", {
    urlParams: { reference: given, limit: CANDIDATES + 1 }
  })
  const [payment, ...others] = data
  if (payment === undefined) return yield* refuse(`There is no payment with this id or reference: ${given}.`)
  if (others.length === 0) return payment
  const ids = data.slice(0, CANDIDATES).map(({ payment_id }) => payment_id)
  const more = data.length > CANDIDATES ? " and others" : ""
  return yield* refuse(`${given} may mean several payments, write more of it: ${ids.join(", ")}${more}.`)
})

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A whole id needs no right to list payments. */
const named = (given: string) =>
  UUID.test(given)
    ? Effect.flatMap(Calls, ({ call }) =>
        call("payments", "byId", { path: { payment_id: given } }).pipe(
          Effect.catchIf(
            ({ status }) => status === 404,
            () => call("payments", "byTransaction", { path: { transaction_id: given } })
          )
        )
      )
    : referredTo(given)

const showOne = Effect.fnUntraced(function* (given: string) {
  const { call } = yield* Calls
  const payment = yield* named(given)
  const { data } = yield* call("payments", "timeline", { path: { payment_id: payment.payment_id } })
  return { data: { ...payment, timeline: data.items }, ...paymentText(shown(payment), data.items) }
})

export const show = (input: { readonly id: string; readonly json: boolean }) => onApi(input.json, showOne(input.id))

const listSome = Effect.fnUntraced(function* (filter: Effect.Effect.Success<ReturnType<typeof wantedFilter>>) {
  const { call } = yield* Calls
  const { limit, org, ...rest } = filter
  const { data } = yield* call("payments", "transactions", { urlParams: { ...rest, limit, org_id: org } })
  return { data, ...paymentTable(data.map(shown)) }
})

export const list = (input: Sought & { readonly json: boolean }) =>
  Effect.flatMap(wantedFilter(input), (filter) => onApi(input.json, listSome(filter)))

const resolveOne = Effect.fnUntraced(function* (
  payment_id: string,
  { amount, item, movementId, outcome, reason }: Verdict
) {
  const { call } = yield* Calls
  const data = yield* call("resolutions", "resolve", {
    path: { payment_id },
    payload: {
      ...{ outcome, reason },
      ...(item === undefined ? {} : { item_id: item }),
      ...(movementId === undefined ? {} : { movement_id: movementId }),
      ...(amount === undefined ? {} : { amount: new WireNumber(toWireText(amount)) })
    }
  })
  return { data, text: `Settled by hand.\n${summaryText(shown(data))}` }
})

const decisionsOn = Effect.fnUntraced(function* (payment_id: string, item: Option.Option<string>) {
  const { call } = yield* Calls
  const { data } = yield* call("resolutions", "decisions", { path: { payment_id } })
  const items = data.items.filter(({ item_id }) => Option.isNone(item) || item_id === item.value)
  return { data: items, text: decisionsText(payment_id, items) }
})

export const resolve = Effect.fnUntraced(function* (input: TypedVerdict) {
  const verdict = yield* wantedVerdict(input)
  yield* Option.match(verdict, {
    onNone: () => onApi(input.json, decisionsOn(input.id, input.item)),
    onSome: (wanted) => onApi(input.json, resolveOne(input.id, wanted))
  })
})

const giveBack = Effect.fnUntraced(function* (payment_id: string, reason: string, item: Option.Option<string>) {
  const { call } = yield* Calls
  const payload = { reason, ...(Option.isNone(item) ? {} : { item_id: item.value }) }
  const data = yield* call("resolutions", "giveBack", { path: { payment_id }, payload })
  return { data, text: `Given back.\n${summaryText(shown(data))}` }
})

const ALL = "all"

const wantedAmount = (given: string) =>
  given === ALL
    ? Effect.succeedNone
    : Either.match(amountIn(given, `a decimal number such as 500.00, or ${ALL}`), {
        onLeft: (why) => refuse(`--amount ${why}.`),
        onRight: (amount) => Effect.succeedSome(new WireNumber(toWireText(amount)))
      })

/** To whoever paid: a completed payin, or what is left of it. */
const payBack = Effect.fnUntraced(function* (payment_id: string, reason: string, amount: Option.Option<WireNumber>) {
  const { call } = yield* Calls
  yield* call("paymentsInit", "action", {
    path: { payment_id },
    payload: { action: "refund", reason, ...(Option.isNone(amount) ? {} : { amount: amount.value }) }
  })
  const data = yield* call("payments", "byId", { path: { payment_id } })
  return { data, text: `The refund is under way.\n${summaryText(shown(data))}` }
})

export const refund = Effect.fnUntraced(function* (input: {
  readonly id: string
  readonly reason: string
  readonly amount: Option.Option<string>
  readonly item: Option.Option<string>
  readonly json: boolean
}) {
  const reason = yield* decodeOption("--reason", Reason, input.reason)
  if (Option.isNone(input.amount)) return yield* onApi(input.json, giveBack(input.id, reason, input.item))
  if (Option.isSome(input.item)) return yield* refuse("--item: what a payer gets back by --amount is of no item.")
  const amount = yield* wantedAmount(input.amount.value)
  yield* onApi(input.json, payBack(input.id, reason, amount))
})
