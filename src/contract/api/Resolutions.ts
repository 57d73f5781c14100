/** What only a person can decide about a payment, in that person's own name. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PaymentId } from "../../domain/Identifiers.ts"
import { idParam } from "./Envelope.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { examples, operation } from "./Operation.ts"
import { failedRecord, PaymentRecord, recordExample } from "./Payments.ts"
import { text } from "./Text.ts"

const PaymentPath = Schema.Struct({ payment_id: idParam(PaymentId) })

const reason = text(500, "How you know, or why; it stands on the record, in the history and in the audit log")

export const ResolvePayment = Schema.Struct({
  outcome: Schema.Literal("completed", "failed").annotations({ description: "What the provider's own books say" }),
  reason,
  item_id: Schema.optional(
    text(64, "Which of the things that wait, as the operations queue names it, where one verdict does not fit them all")
  )
}).annotations({ identifier: "ResolvePayment" })

export const GiveBack = Schema.Struct({
  reason,
  item_id: Schema.optional(
    text(64, "Which of the things that wait, as the operations queue names it, where money of several does")
  )
}).annotations({ identifier: "GiveBack" })

export const ResolutionsApi = HttpApiGroup.make("resolutions")
  .add(
    HttpApiEndpoint.post("resolve", "/operations/payments/:payment_id/resolve")
      .setPath(PaymentPath)
      .setPayload(ResolvePayment)
      .addSuccess(PaymentRecord)
      .addError(NotFound)
      .addError(Conflict)
      .pipe(
        operation({
          access: "platform",
          summary: "Settle a payment by hand",
          description:
            "Extension. For an outcome that stayed unknown, a payment on the manual rail, or money in suspense: look it up at the provider first. `completed` books the money to the organisation, or accepts what came of a payin that was paid in part; `failed` says that it did not go, or that the provider has it back. Audited in the caller's name. With nothing to settle, while a provider is being asked, or where several things wait that one verdict does not fit and `item_id` names none of them: 409, with their ids.",
          request: examples({
            "It went through": { outcome: "completed", reason: "Seen on the provider's statement of 3 March" },
            "It did not": { outcome: "failed", reason: "The provider has no trace of it" },
            "One of several things that wait": {
              outcome: "failed",
              reason: "The second sum was sent back by the bank",
              item_id: "0199c2a6-1f00-7c10-8d20-1a2b3c4d5e6f"
            }
          }),
          response: examples({ "It went through": recordExample, "It did not": failedRecord })
        })
      )
  )
  .add(
    HttpApiEndpoint.post("giveBack", "/operations/payments/:payment_id/give-back")
      .setPath(PaymentPath)
      .setPayload(GiveBack)
      .addSuccess(PaymentRecord)
      .addError(NotFound)
      .addError(Conflict)
      .pipe(
        operation({
          access: "platform",
          summary: "Give money in suspense back",
          description:
            "Extension. Through the provider that took it. Repeating it never sends it twice; with `item_id` it never sends anything else either. Audited in the caller's name. With nothing in suspense, or where money of several things waits and `item_id` names none of them: 409, with their ids.",
          request: examples({
            "Paid twice": { reason: "Paid twice by mistake" },
            "Paid too late": { reason: "The order was canceled before the money came" },
            "One of several sums that wait": {
              reason: "Paid by two providers",
              item_id: "0199c2a6-1f00-7c10-8d20-1a2b3c4d5e6f"
            }
          }),
          response: recordExample
        })
      )
  )
  .annotate(OpenApi.Title, "Decisions")
  .annotate(OpenApi.Description, "What only a person can decide about a payment.")
