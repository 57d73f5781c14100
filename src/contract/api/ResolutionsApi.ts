/** Decisions of operators on payments. */
import { Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { AmountInput, WireDecimal } from "../../domain/Decimal.ts"
import { get, post, examples, operation, apiGroup } from "./Operation.ts"
import { envelope, Id, success } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { failedRecord, PaymentRecord, recordExample } from "./PaymentsApi.ts"
import { text } from "./RequestFields.ts"

const reason = text(500, "Reason. Saved with the payment, in its history and in the audit log")

export const ResolvePayment = Schema.Struct({
  outcome: Schema.Literal("completed", "failed").annotations({
    description:
      "Unknown outcome: as recorded by the provider. Money in suspense: `completed` credits or charges the organisation; `failed` means that the provider refunded or returned it"
  }),
  reason,
  item_id: Schema.optional(text(64, "Item of the operations queue; required if one decision does not fit all")),
  amount: Schema.optional(
    AmountInput.annotations({
      description:
        "Part of the money that the decision is about; default: all. Of a transfer that was reported with two amounts: the right one"
    })
  ),
  movement_id: Schema.optional(
    text(
      128,
      "Provider's id of the transfer, as in its dashboard. Later reports with this id are the same transfer. Without it, a later report of the same amount is"
    )
  )
}).annotations({ identifier: "ResolvePayment" })

export const GiveBack = Schema.Struct({
  reason,
  item_id: Schema.optional(text(64, "Item of the operations queue; required if there are several"))
}).annotations({ identifier: "GiveBack" })

const change = "the balance of the organisation's account that the decision is about"

export const Decision = Schema.Struct({
  action: Schema.Literal("resolve", "give_back").annotations({
    description: "Operation to call, with `item_id` and, for `resolve`, `outcome`"
  }),
  outcome: Schema.NullOr(Schema.Literal("completed", "failed")).annotations({ description: "Of `resolve`" }),
  says: Schema.String.annotations({ description: "Facts and consequence" }),
  movement_id: Schema.NullOr(Schema.String).annotations({
    description: "The decision requires an `amount`: the right one of this transfer, in `currency`"
  }),
  account: Schema.NullOr(Schema.String).annotations({ description: "Ledger account; null: unknown, as below" }),
  currency: Schema.NullOr(AnyCurrencyCode),
  before: Schema.NullOr(WireDecimal).annotations({ description: `Now, ${change}` }),
  after: Schema.NullOr(WireDecimal).annotations({ description: `Afterwards, ${change}` }),
  owes: Schema.NullOr(WireDecimal).annotations({ description: "Debt afterwards, deducted from the next credits" })
}).annotations({ identifier: "Decision" })

export const DecidableItem = Schema.Struct({
  item_id: Schema.NullOr(Id).annotations({ description: "Item of the operations queue; null: not in the queue" }),
  kind: Schema.Literal("suspense", "unknown_outcome", "unsent_payout").annotations({
    description:
      "`suspense`: money in suspense; `unknown_outcome`: unknown at the provider; `unsent_payout`: a ramp's payout that can still be stopped"
  }),
  attempt_id: Schema.NullOr(Id),
  detail: Schema.String,
  amount: Schema.NullOr(WireDecimal).annotations({ description: "Above zero: arrived; below zero: taken back" }),
  currency: Schema.NullOr(AnyCurrencyCode),
  decisions: Schema.Array(Decision).annotations({ description: "Allowed decisions" })
}).annotations({ identifier: "DecidableItem" })

const exampleDecision = (
  outcome: "completed" | "failed" | null,
  says: string,
  currency: string,
  before: number,
  after: number
) => ({
  action: outcome === null ? "give_back" : "resolve",
  outcome,
  says,
  movement_id: null,
  account: `settlement/0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f/${currency}`,
  currency,
  before,
  after,
  owes: 0
})

const exampleItem = (detail: string, amount: number, currency: string, decisions: ReadonlyArray<unknown>) =>
  success("Decisions", {
    payment_id: recordExample.payment_id,
    items: [
      {
        item_id: "0199c2a6-1f00-7c10-8d20-1a2b3c4d5e6f",
        kind: "suspense",
        attempt_id: "0199c2a5-1c20-7a41-9f3e-0d1c2b3a4f5e",
        detail,
        amount,
        currency,
        decisions
      }
    ]
  })

export const ResolutionsApi = apiGroup("resolutions", "Decisions", "Decisions on payments that need a person.", [
  operation({
    endpoint: get("decisions", "/operations/payments/:payment_id/decisions").addSuccess(
      envelope(Schema.Struct({ payment_id: Id, items: Schema.Array(DecidableItem) }))
    ),
    access: "platform",
    summary: "List the decisions on a payment",
    description:
      "Extension. Open items of the payment with the possible decisions: facts, consequence, and the organisation's balance before and after. Each amount in suspense is an item. Check with the provider first, then send the decision with its `item_id`.",
    response: examples({
      "A chargeback": exampleItem("50.17 EUR was taken back: an operator must say who bears it.", -50.17, "EUR", [
        exampleDecision("completed", "The organisation bears it: 650.48 → 600.31 EUR", "EUR", 650.48, 600.31),
        exampleDecision("failed", "The provider has returned it to us", "EUR", 650.48, 650.48)
      ]),
      "More than was asked for": exampleItem(
        "100.00 KES arrived besides what the payment is for: an operator must return it or book it to the organisation.",
        100,
        "KES",
        [
          exampleDecision("completed", "The organisation keeps it: 1500.50 → 1600.50 KES", "KES", 1500.5, 1600.5),
          exampleDecision(null, "Return it to the payer through pawapay", "KES", 1500.5, 1500.5),
          exampleDecision("failed", "The provider has returned it already", "KES", 1500.5, 1500.5)
        ]
      ),
      "Nothing waits": success("Decisions", { payment_id: recordExample.payment_id, items: [] })
    })
  }),
  operation({
    endpoint: post("resolve", "/operations/payments/:payment_id/resolve")
      .setPayload(ResolvePayment)
      .addSuccess(PaymentRecord)
      .addError(Conflict),
    access: "platform",
    summary: "Settle a payment by hand",
    description:
      "Extension. For an unknown outcome, a payment on the manual rail, a ramp's payout to be stopped, or money in suspense. Check with the provider first. `GET …/decisions` has the consequences for this payment. Money that arrived: `completed` credits it to the organisation, or accepts a partial payin; `failed` states that the provider refunded it. Money taken back: `completed` charges the organisation, or books a receivable if its balance is too low; `failed` states that the provider returned it. An unknown outcome: `completed` states that it succeeded, `failed` that it did not. A transfer that was reported with two amounts: `completed` keeps the first, or books `amount`; the difference is then in suspense. Audited in the caller's name. 409 if there is nothing to settle, a provider is being called, or several items need different decisions and `item_id` is missing; the message has their ids.",
    request: examples({
      "It went through": { outcome: "completed", reason: "Seen on the provider's statement of 3 March" },
      "It did not": { outcome: "failed", reason: "The provider has no trace of it" },
      "The organisation bears a chargeback": { outcome: "completed", reason: "The dispute is lost" },
      "One of several things that wait": {
        outcome: "failed",
        reason: "The second sum was sent back by the bank",
        item_id: "0199c2a6-1f00-7c10-8d20-1a2b3c4d5e6f"
      },
      "The organisation bears a part": {
        outcome: "completed",
        reason: "Refunded in the dashboard for the organisation",
        amount: 50,
        item_id: "0199c2a6-1f00-7c10-8d20-1a2b3c4d5e6f"
      },
      "Seen in the provider's dashboard": {
        outcome: "failed",
        reason: "Refunded in the dashboard",
        movement_id: "re_3PqYw2eZvKYlo2C1"
      }
    }),
    response: examples({ "It went through": recordExample, "It did not": failedRecord })
  }),
  operation({
    endpoint: post("giveBack", "/operations/payments/:payment_id/give-back")
      .setPayload(GiveBack)
      .addSuccess(PaymentRecord)
      .addError(Conflict),
    access: "platform",
    summary: "Return money in suspense",
    description:
      "Extension. Returns money in suspense to the payer, through the provider that collected it, if `GET …/decisions` offers it. The organisation's balance does not change. A partial payin fails. A repetition never sends it twice; with `item_id` it never sends anything else. Audited in the caller's name. 409 if no payer's money is in suspense (use `resolve` for money taken back and returned payouts), the provider cannot refund it, or there are several items and `item_id` is missing; the message has their ids.",
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
])
