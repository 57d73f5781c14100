/** `corridor payments list` and `show` beside the database. */
import { Effect, Option, Schema } from "effect"
import { PaymentId, TransactionId, idOrNil } from "../../domain/Ids.ts"
import { PaymentRecord, TimelineItem } from "../../contract/api/Payments.ts"
import { recordOf } from "../../payments/read/PaymentRecord.ts"
import { Payments } from "../../payments/read/Payments.ts"
import { refuse } from "../shared/CommandInput.ts"
import { findOrganization } from "../shared/LookUp.ts"
import { onPaymentRecords } from "../shared/OnPaymentRecords.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { type Sought, wantedFilter } from "../shared/PaymentInput.ts"
import { paymentTable, paymentText } from "../shown/Payments.ts"
import { shown } from "./ShownPayment.ts"
import { orDefect } from "../../platform/database/DatabaseFailure.ts"

const encodeRecord = Schema.encodeSync(PaymentRecord)
const encodeItems = Schema.encodeSync(Schema.Array(TimelineItem))

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
  const items = yield* orDefect(payments.timeline(permit, payment.payment_id))
  return {
    data: { ...encodeRecord(recordOf(payment)), timeline: encodeItems(items) },
    ...paymentText(shown(payment), items)
  }
})

export const show = (input: { readonly id: string; readonly json: boolean }) =>
  onPaymentRecords(input.json, showOne(input.id))

const listSome = Effect.fn("Cli.listPayments")(function* (
  filter: Effect.Effect.Success<ReturnType<typeof wantedFilter>>
) {
  const payments = yield* Payments
  const { limit, org, ...rest } = filter
  const scope = org === undefined ? Option.none() : Option.some((yield* findOrganization(org)).org_id)
  const permit = yield* permitFor("transactions", scope)
  const found = yield* payments.list(permit, rest, { after: Option.none(), take: limit })
  return { data: found.map((payment) => encodeRecord(recordOf(payment))), ...paymentTable(found.map(shown)) }
})

export const list = (input: Sought & { readonly json: boolean }) =>
  Effect.flatMap(wantedFilter(input), (filter) => onPaymentRecords(input.json, listSome(filter)))
