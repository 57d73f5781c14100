/** `corridor payments` beside the database. */
import { Effect, Option, Schema } from "effect"
import { PaymentId, TransactionId } from "../../domain/Identifiers.ts"
import { PaymentRecord, TimelineItem } from "../../contract/api/Payments.ts"
import { idOrNil } from "../../domain/Ids.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { recordOf } from "../../payments/read/PaymentRecord.ts"
import { Payments } from "../../payments/read/Payments.ts"
import { refundedAmount } from "../../payments/record/PaymentEvents.ts"
import { Resolution } from "../../payments/suspense/Resolution.ts"
import { decodeOption, refuse } from "../shared/Input.ts"
import { organizationNamed } from "../shared/LookUp.ts"
import { onApp } from "../shared/OnApp.ts"
import { permitFor } from "../shared/Operator.ts"
import { type Outcome, Reason, type Sought, wantedFilter } from "../shared/PaymentInput.ts"
import { paymentTable, paymentText, summaryText } from "../shown/Payments.ts"

const noSuchPayment = (given: string) => refuse(`There is no payment with the id ${given}.`)

const encodeRecord = Schema.encodeSync(PaymentRecord)
const encodeItems = Schema.encodeSync(Schema.Array(TimelineItem))

const shown = (payment: Payment) => ({
  ...payment,
  money: payment.amount.toString(),
  refunded: refundedAmount(payment).toString()
})

const summary = (payment: Payment): string => summaryText(shown(payment))

const CANDIDATES = 10

/** By whatever somebody was told: a reference, or as much of an id as names one payment. */
const referredTo = Effect.fnUntraced(function* (given: string) {
  const payments = yield* Payments
  const window = { after: Option.none(), take: CANDIDATES + 1 }
  const found = yield* payments.list(yield* permitFor("transactions"), { reference: given }, window)
  const [payment, ...others] = found
  if (payment === undefined) return yield* refuse(`There is no payment with this id or reference: ${given}.`)
  if (others.length === 0) return payment
  const shown = found.slice(0, CANDIDATES).map(({ payment_id }) => payment_id)
  const more = found.length > CANDIDATES ? " and others" : ""
  return yield* refuse(`${given} may mean several payments, write more of it: ${shown.join(", ")}${more}.`)
})

const showOne = Effect.fn("Cli.showPayment")(function* (given: string) {
  const payments = yield* Payments
  const permit = yield* permitFor("any")
  const payment = yield* payments.find(permit, idOrNil(PaymentId)(given)).pipe(
    Effect.orElse(() => payments.findByTransaction(permit, idOrNil(TransactionId)(given))),
    Effect.orElse(() => referredTo(given))
  )
  const items = yield* Effect.orDie(payments.timeline(permit, payment.payment_id))
  return {
    data: { ...encodeRecord(recordOf(payment)), timeline: encodeItems(items) },
    ...paymentText(shown(payment), items)
  }
})

export const show = (input: { readonly id: string; readonly json: boolean }) => onApp(input.json, showOne(input.id))

const listSome = Effect.fn("Cli.listPayments")(function* (
  filter: Effect.Effect.Success<ReturnType<typeof wantedFilter>>
) {
  const payments = yield* Payments
  const { limit, org, ...rest } = filter
  const scope = org === undefined ? Option.none() : Option.some((yield* organizationNamed(org)).org_id)
  const permit = yield* permitFor("transactions", scope)
  const found = yield* payments.list(permit, rest, { after: Option.none(), take: limit })
  return { data: found.map((payment) => encodeRecord(recordOf(payment))), ...paymentTable(found.map(shown)) }
})

export const list = (input: Sought & { readonly json: boolean }) =>
  Effect.flatMap(wantedFilter(input), (filter) => onApp(input.json, listSome(filter)))

interface TypedVerdict {
  readonly id: string
  readonly as: Outcome
  readonly reason: string
  readonly item: Option.Option<string>
  readonly json: boolean
}

const resolveOne = Effect.fn("Cli.resolvePayment")(function* (
  given: string,
  outcome: Outcome,
  reason: string,
  item: string | undefined
) {
  const resolution = yield* Resolution
  const permit = yield* permitFor("platform")
  const payment = yield* resolution
    .resolve(permit, idOrNil(PaymentId)(given), { outcome, reason, item })
    .pipe(Effect.mapError((error) => (error._tag === "NotFound" ? noSuchPayment(given) : error)))
  return { data: encodeRecord(recordOf(payment)), text: `Settled by hand.\n${summary(payment)}` }
})

export const resolve = Effect.fnUntraced(function* (input: TypedVerdict) {
  const reason = yield* decodeOption("--reason", Reason, input.reason)
  yield* onApp(input.json, resolveOne(input.id, input.as, reason, Option.getOrUndefined(input.item)))
})

const refundOne = Effect.fn("Cli.refundSuspense")(function* (given: string, reason: string) {
  const resolution = yield* Resolution
  const permit = yield* permitFor("platform")
  const payment = yield* resolution
    .giveBack(permit, idOrNil(PaymentId)(given), reason)
    .pipe(Effect.mapError((error) => (error._tag === "NotFound" ? noSuchPayment(given) : error)))
  return { data: encodeRecord(recordOf(payment)), text: `Given back.\n${summary(payment)}` }
})

export const refund = Effect.fnUntraced(function* (input: {
  readonly id: string
  readonly reason: string
  readonly amount: Option.Option<string>
  readonly json: boolean
}) {
  if (Option.isSome(input.amount)) {
    return yield* refuse(
      "--amount: a payer is refunded by API, in a person's own name: add --url and --token (or --api-key)."
    )
  }
  const reason = yield* decodeOption("--reason", Reason, input.reason)
  yield* onApp(input.json, refundOne(input.id, reason))
})
