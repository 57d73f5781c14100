/** `corridor queue` and `payments`. */
import { flows } from "../../domain/Corridor.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { argument, choice, eitherCommand, maybe, option, optional, withDefault } from "../shared/Command.ts"

const paymentActions = () => import("../actions/PaymentActions.ts")

const paymentId = argument("ID", "The payment's id.")

export const paymentFilters = {
  status: maybe(choice("status", paymentStatuses, "Only those in this state.")),
  direction: maybe(choice("direction", flows, "Only payins, only payouts or only ramps.")),
  reference: optional("reference", "TEXT", "A client_reference, or the beginning of an id."),
  search: optional(
    "search",
    "TEXT",
    "An amount, a name, a card's last four digits, part of a reference, an id, an e-mail address or a phone number."
  ),
  org: optional("org", "ORG", "Only this organisation's."),
  limit: withDefault("20", option("limit", "N", "How many at most: 1 to 100, 20 by default."))
}

export const paymentDecision = {
  id: paymentId,
  as: maybe(
    choice("as", ["completed", "failed"], "The decision; without it the decisions are listed, each with its command.")
  ),
  reason: optional("reason", "TEXT", "The evidence; saved with the payment, in its history and in the audit log."),
  item: optional(
    "item",
    "ITEM",
    "Which item of the payment it is about, as `queue --json` has it; needed where several wait that differ."
  ),
  amount: optional("amount", "AMOUNT", "How much of money that waits it is about; all of it by default."),
  movement: optional(
    "movement",
    "ID",
    "The provider's own id of the transfer that you state, as its dashboard shows it."
  )
}

export const paymentRefund = {
  id: paymentId,
  reason: option("reason", "TEXT", "Why it goes back; saved with the payment and in the audit log."),
  amount: optional(
    "amount",
    "AMOUNT",
    "By API only: so much of a completed payin goes back to its payer, in your own name; all for what is left of it."
  ),
  item: optional(
    "item",
    "ITEM",
    "Which item of the payment goes back, as `queue --json` has it; needed where money of several waits."
  )
}

export const paymentCommands = [
  eitherCommand(
    "queue",
    "List items that need a decision: unknown outcomes, money in suspense, reviews, dead letters, disabled endpoints, blocked escrow payouts.",
    {
      examples: ["corridor queue", "corridor queue --org ORG --json"],
      takes: { org: optional("org", "ORG", "Only this organisation's.") },
      run: (input) => paymentActions().then(({ queue }) => queue(input))
    }
  ),
  eitherCommand("payments list", "List payments, newest first.", {
    examples: ["corridor payments list --status pending", 'corridor payments list --search "1,500.00 KES"'],
    takes: paymentFilters,
    run: (input) => paymentActions().then(({ list }) => list(input))
  }),
  eitherCommand("payments show", "Show a payment and everything that happened to it.", {
    examples: ["corridor payments show order-1042"],
    takes: {
      id: argument("ID", "The payment's id or its transaction's, the beginning of either, or its client_reference.")
    },
    run: (input) => paymentActions().then(({ show }) => show(input))
  }),
  eitherCommand(
    "payments resolve",
    "Resolve by hand an unknown outcome, a payment of the manual simulator, or money in suspense; without --as list the possible decisions and their effects. Audited; look it up at the provider first.",
    {
      examples: [
        'corridor payments resolve PAYMENT_ID --as completed --reason "Seen on the statement of 3 March"',
        "corridor payments resolve PAYMENT_ID"
      ],
      takes: paymentDecision,
      run: (input) => paymentActions().then(({ resolve }) => resolve(input))
    }
  ),
  eitherCommand(
    "payments refund",
    "Return money in suspense to its payer through the provider that took it. Audited; repeating it never sends it twice.",
    {
      examples: [
        'corridor payments refund PAYMENT_ID --reason "Paid twice by mistake"',
        'corridor payments refund PAYMENT_ID --amount 500.00 --reason "One cup was broken" --url URL --token JWT'
      ],
      takes: paymentRefund,
      run: (input) => paymentActions().then(({ refund }) => refund(input))
    }
  )
]
