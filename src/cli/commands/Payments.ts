/** `corridor payments` */
import { Args, Command } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { PaymentId, TransactionId } from "../../domain/Identifiers.ts"
import { PaymentRecord, TimelineItem } from "../../contract/api/Payments.ts"
import { idOrNil } from "../../domain/Ids.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { recordOf } from "../../payments/read/PaymentRecord.ts"
import { Payments } from "../../payments/read/Payments.ts"
import { Resolution } from "../../payments/suspense/Resolution.ts"
import { decodeOption, option, optional, refuse } from "../shared/Input.ts"
import { onApp } from "../shared/OnApp.ts"
import { permitFor } from "../shared/Operator.ts"
import { json } from "../shared/Report.ts"
import { properties, table } from "../shared/Table.ts"

const id = Args.text({ name: "ID" }).pipe(Args.withDescription("The payment's id."))

const noSuchPayment = (given: string) => refuse(`There is no payment with the id ${given}.`)

const encodeRecord = Schema.encodeSync(PaymentRecord)
const encodeItems = Schema.encodeSync(Schema.Array(TimelineItem))

const summary = (payment: Payment): string =>
  properties([
    ["Payment", payment.payment_id],
    ["Organisation", payment.org_id],
    ["Status", payment.status],
    ["Amount", payment.amount.toString()],
    ["Direction", `${payment.direction}, ${payment.payment_method}, ${payment.country}`],
    ["Provider", payment.provider ?? "none yet"],
    ["Comments", payment.comments ?? "none"]
  ])

const wordsOf = (item: typeof TimelineItem.Type): string => {
  switch (item.kind) {
    case "status":
      return `${item.from ?? "new"} -> ${item.to} (${item.cause})`
    case "attempt":
      return `${item.provider} ${item.leg}: ${item.outcome ?? "no answer yet"}${item.reason === null ? "" : `, ${item.reason}`}`
    case "callback":
      return `${item.provider} says ${item.report}: ${item.effect}`
    case "operator":
      return `${item.item}: ${item.detail}${item.closed_by === null ? "" : ` Closed by ${item.closed_by}.`}`
    case "delivery":
      return `${item.event_type} to ${item.webhook_id}: ${item.status}, attempts: ${item.attempts}${item.last_error === null ? "" : `, ${item.last_error}`}`
  }
}

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
  const rows = items.map((item) => [item.at.toISOString(), item.kind, wordsOf(item)])
  return {
    data: { ...encodeRecord(recordOf(payment)), timeline: encodeItems(items) },
    text: `${summary(payment)}\n\n${table(["AT", "WHAT", ""], rows, "Nothing has happened to it.")}`
  }
})

const eitherId = Args.text({ name: "ID" }).pipe(
  Args.withDescription("The payment's id or its transaction's, the beginning of either, or its client_reference.")
)

const show = Command.make("show", { id: eitherId, json }, (input) => onApp(input.json, showOne(input.id))).pipe(
  Command.withDescription("Show a payment and everything that happened to it.")
)

const Outcome = Schema.Literal("completed", "failed").annotations({
  message: () => ({ message: "is neither completed nor failed", override: true })
})

const Reason = Schema.Trim.pipe(Schema.minLength(1), Schema.maxLength(500))

const resolveOne = Effect.fn("Cli.resolvePayment")(function* (
  given: string,
  outcome: typeof Outcome.Type,
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

const resolve = Command.make(
  "resolve",
  {
    id,
    as: option("as", "OUTCOME", "What the provider's own books say: completed or failed."),
    reason: option("reason", "TEXT", "How you know; it stands on the record, in the history and in the audit log."),
    item: optional(
      "item",
      "ITEM",
      "Which item of the payment it is about, as `queue --json` has it; needed where several wait that differ."
    ),
    json
  },
  (input) =>
    Effect.gen(function* () {
      const outcome = yield* decodeOption("--as", Outcome, input.as)
      const reason = yield* decodeOption("--reason", Reason, input.reason)
      yield* onApp(input.json, resolveOne(input.id, outcome, reason, Option.getOrUndefined(input.item)))
    })
).pipe(
  Command.withDescription(
    "Settle by hand an outcome that stayed unknown, a payment on the manual rail, or money in suspense. Audited; look it up at the provider first."
  )
)

const refundOne = Effect.fn("Cli.refundSuspense")(function* (given: string, reason: string) {
  const resolution = yield* Resolution
  const permit = yield* permitFor("platform")
  const payment = yield* resolution
    .giveBack(permit, idOrNil(PaymentId)(given), reason)
    .pipe(Effect.mapError((error) => (error._tag === "NotFound" ? noSuchPayment(given) : error)))
  return { data: encodeRecord(recordOf(payment)), text: `Given back.\n${summary(payment)}` }
})

const refund = Command.make(
  "refund",
  {
    id,
    reason: option("reason", "TEXT", "Why it goes back; it stands on the record and in the audit log."),
    json
  },
  (input) =>
    Effect.flatMap(decodeOption("--reason", Reason, input.reason), (reason) =>
      onApp(input.json, refundOne(input.id, reason))
    )
).pipe(
  Command.withDescription(
    "Give money in suspense back through the provider that took it. Audited; repeating it never sends it twice."
  )
)

export const payments = Command.make("payments").pipe(
  Command.withDescription("Payments, and those whose outcome only a person can find out."),
  Command.withSubcommands([show, resolve, refund])
)
