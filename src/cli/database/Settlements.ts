/** `corridor payments resolve` and `refund` beside the database. */
import { Effect, Option, Schema } from "effect"
import { PaymentRecord } from "../../contract/api/Payments.ts"
import { PaymentId, idOrNil } from "../../domain/Ids.ts"
import { DecidableItem } from "../../contract/api/Resolutions.ts"
import { PaymentDecisions } from "../../payments/read/PaymentDecisions.ts"
import { recordOf } from "../../payments/read/PaymentRecord.ts"
import { shownItem } from "../../payments/PaymentsHttp.ts"
import { Resolution } from "../../payments/settlement/Resolution.ts"
import { decodeOption, refuse } from "../shared/CommandInput.ts"
import { onPaymentSettlements } from "../shared/OnPaymentSettlements.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { Reason, type TypedVerdict, type Verdict, wantedVerdict } from "../shared/PaymentInput.ts"
import { decisionsText, summaryText } from "../shown/Payments.ts"
import { shown } from "./ShownPayment.ts"

const noSuchPayment = (given: string) => refuse(`There is no payment with the id ${given}.`)

const encodeRecord = Schema.encodeSync(PaymentRecord)

const resolveOne = Effect.fn("Cli.resolvePayment")(function* (given: string, verdict: Verdict) {
  const resolution = yield* Resolution
  const permit = yield* permitFor("platform")
  const payment = yield* resolution
    .resolve(permit, idOrNil(PaymentId)(given), verdict)
    .pipe(Effect.mapError((error) => (error._tag === "NotFound" ? noSuchPayment(given) : error)))
  return { data: encodeRecord(recordOf(payment)), text: `Settled by hand.\n${summaryText(shown(payment))}` }
})

const encodeItems = Schema.encodeSync(Schema.Array(DecidableItem))

const decisionsOn = Effect.fn("Cli.paymentDecisions")(function* (given: string, item: Option.Option<string>) {
  const decisions = yield* PaymentDecisions
  const found = yield* decisions
    .about(yield* permitFor("platform"), idOrNil(PaymentId)(given))
    .pipe(Effect.mapError(() => noSuchPayment(given)))
  const items = found.filter(({ item_id }) => Option.isNone(item) || item_id === item.value).map(shownItem)
  return { data: encodeItems(items), text: decisionsText(given, items) }
})

export const resolve = Effect.fnUntraced(function* (input: TypedVerdict) {
  const verdict = yield* wantedVerdict(input)
  yield* Option.match(verdict, {
    onNone: () => onPaymentSettlements(input.json, decisionsOn(input.id, input.item)),
    onSome: (wanted) => onPaymentSettlements(input.json, resolveOne(input.id, wanted))
  })
})

const refundOne = Effect.fn("Cli.refundSuspense")(function* (given: string, reason: string, item: string | undefined) {
  const resolution = yield* Resolution
  const permit = yield* permitFor("platform")
  const payment = yield* resolution
    .giveBack(permit, idOrNil(PaymentId)(given), { reason, item })
    .pipe(Effect.mapError((error) => (error._tag === "NotFound" ? noSuchPayment(given) : error)))
  return { data: encodeRecord(recordOf(payment)), text: `Given back.\n${summaryText(shown(payment))}` }
})

export const refund = Effect.fnUntraced(function* (input: {
  readonly id: string
  readonly reason: string
  readonly amount: Option.Option<string>
  readonly item: Option.Option<string>
  readonly json: boolean
}) {
  if (Option.isSome(input.amount)) {
    return yield* refuse(
      "--amount: a payer is refunded by API, in a person's own name: add --url and --token (or --api-key)."
    )
  }
  const reason = yield* decodeOption("--reason", Reason, input.reason)
  yield* onPaymentSettlements(input.json, refundOne(input.id, reason, Option.getOrUndefined(input.item)))
})
