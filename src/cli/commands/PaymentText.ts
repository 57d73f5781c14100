/** Payments, their timeline, the operations queue and possible decisions, as text. */
import { BigDecimal, Option } from "effect"
import { roundToSignificantDigits, toPlainText } from "../../domain/Decimal.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import type { Answer } from "../shared/ApiClient.ts"
import { framed, minute, printable, properties, tableLayout, tableOf, type TextLayout } from "../shared/Table.ts"

type Payment = Answer<"payments", "byId">

type Summary = Pick<
  Payment,
  | "payment_id"
  | "org_id"
  | "status"
  | "amount"
  | "refunded_amount"
  | "refunds"
  | "currency"
  | "direction"
  | "payment_method"
  | "country"
  | "provider"
  | "comments"
  | "client_reference"
  | "payer_details"
  | "target_amount"
  | "target_currency"
  | "recipient_info"
> & { readonly failure: { readonly provider: string | null } | null }

const amountOf = ({ amount, currency }: Pick<Summary, "amount" | "currency">): string => `${amount.text} ${currency}`

/** Six significant digits: enough to recognise a rate. */
const divided = (a: string, b: string): string | null => {
  const rate = Option.flatMap(Option.all([BigDecimal.fromString(a), BigDecimal.fromString(b)]), ([x, y]) =>
    BigDecimal.divide(x, y)
  )
  return Option.getOrNull(Option.map(rate, (one) => toPlainText(roundToSignificantDigits(one, 6, "half-even"))))
}

const payerText = (details: unknown): string | null => {
  if (typeof details !== "object" || details === null) return null
  const { email, name, phone } = details as Readonly<Record<string, unknown>>
  const known = [name, phone, email].filter((part) => typeof part === "string" && part !== "")
  return known.length === 0 ? null : known.join(", ")
}

/** The recipient of a payout: name, and the number or account that is paid. */
const beneficiaryText = (info: Summary["recipient_info"]): string | null => {
  const { bank_details, fname, lname, momo_details, wallet_details } = info as Readonly<Record<string, unknown>>
  const parts = Object.assign({}, bank_details, momo_details, wallet_details) as Readonly<Record<string, unknown>>
  const name = [fname, lname].filter((part) => typeof part === "string").join(" ")
  const known = [name, parts["account_number"], parts["phone_number"], parts["address"], parts["email"]].filter(
    (part) => typeof part === "string" && part !== ""
  )
  return known.length === 0 ? null : known.join(", ")
}

/** Target amount of a conversion, and the rate that follows from both amounts. */
const targetText = ({ amount, currency, target_amount, target_currency }: Summary): string | null => {
  if (target_amount === null || target_currency === null || target_currency === currency) return null
  const rate = divided(target_amount.text, amount.text)
  return `${target_amount.text} ${target_currency}${rate === null ? "" : `, at about ${rate}`}`
}

/** The provider that holds the payment, or declined it last. */
const askedProvider = ({ failure, provider }: Summary): string | null => provider ?? failure?.provider ?? null

const refundText = ({ amount, currency, reason, requested_by, state }: Summary["refunds"][number]): string =>
  [
    `${amount.text} ${currency} ${state}`,
    ...(requested_by === null ? [] : [`requested by ${requested_by}`]),
    ...(reason === null ? [] : [reason])
  ].join(", ")

export const summaryText = (payment: Summary): string => {
  const target = targetText(payment)
  return properties([
    ["Payment", payment.payment_id],
    ["Organisation", payment.org_id],
    ["Status", payment.status],
    ["Amount", amountOf(payment)],
    ...(target === null ? [] : [["Target", target] as const]),
    ["Refunded", `${payment.refunded_amount.text} ${payment.currency}`],
    ...payment.refunds.map((refund) => ["Refund", refundText(refund)] as const),
    ["Reference", payment.client_reference ?? "none"],
    payment.direction === "outbound"
      ? ["Beneficiary", beneficiaryText(payment.recipient_info) ?? "not said"]
      : ["Payer", payerText(payment.payer_details) ?? "not said"],
    ["Direction", `${payment.direction}, ${payment.payment_method}, ${payment.country}`],
    ["Provider", askedProvider(payment) ?? (isFinal(payment.status) ? "none" : "none yet")],
    ["Comments", payment.comments ?? "none"]
  ])
}

type TimelineItem = Answer<"payments", "timeline">["data"]["items"][number]

const wordsOf = (item: TimelineItem): string => {
  switch (item.kind) {
    case "status":
      return `${item.from ?? "new"} -> ${item.to} (${item.cause})`
    case "attempt":
      return `${item.provider} ${item.leg}: ${item.outcome ?? "no answer yet"}${item.reason === null ? "" : `, ${item.reason}`}${item.latency_ms === null ? "" : `, after ${item.latency_ms} ms`}`
    case "callback":
      return `${item.provider} says ${item.report}: ${item.effect}`
    case "operator":
      return `${item.item}: ${item.detail}${item.closed_by === null ? "" : ` Closed by ${item.closed_by}.`}`
    case "movement":
      return `${item.movement} of ${item.amount.text} ${item.currency} at ${item.provider}, ${item.state}: ${item.movement_id}`
    case "allocation":
      return `${item.amount.text} ${item.currency} to the organisation${item.by === null ? "" : ` by ${item.by}`}: ${item.note}`
    case "reserve":
      return `${item.amount.text} ${item.currency} ${item.change === "held" ? `held in reserve until ${item.release_at}` : "released from the reserve"}`
    case "delivery":
      return `${item.event_type} to ${item.webhook_id}: ${item.status}, attempts: ${item.attempts}${item.last_error === null ? "" : `, ${item.last_error}`}`
  }
}

export const paymentText = (payment: Summary, items: ReadonlyArray<TimelineItem>): TextLayout => {
  const rows = items.map((item) => [item.at, item.kind, wordsOf(item)])
  return framed(`${summaryText(payment)}\n\n`, tableLayout(["AT", "WHAT", ""], rows, "Nothing has happened to it."))
}

export const paymentTable = tableOf<Summary & { readonly created_at: string }>(
  {
    ID: "payment_id",
    STATUS: "status",
    AMOUNT: amountOf,
    DIRECTION: "direction",
    METHOD: "payment_method",
    PROVIDER: askedProvider,
    REFERENCE: "client_reference",
    CREATED: (payment) => minute(payment.created_at)
  },
  "No payments here.",
  ["REFERENCE", "CREATED", "DIRECTION", "PROVIDER", "METHOD"]
)

/** Says how far back a search has read, where older payments are left. */
export const searchedTable = (table: TextLayout, searchedTo: string | null | undefined): TextLayout =>
  searchedTo === undefined || searchedTo === null
    ? table
    : framed(`Names and references are searched back to ${minute(searchedTo)}.\n`, table)

type QueueItem = Pick<
  Answer<"payments", "queue">["data"][number],
  "created_at" | "item_id" | "kind" | "payment_id" | "webhook_id" | "escrow_id" | "detail"
>

/** Applications and rates have lists of their own. */
const NOTHING_WAITS =
  'No payment, endpoint or escrow needs a decision. KYB applications: "corridor kyb list --status pending". Rates: "corridor rates list".'

export const queueTable = tableOf<QueueItem>(
  {
    SINCE: (item) => minute(item.created_at),
    KIND: "kind",
    ABOUT: (item) =>
      item.kind === "incoming_transfer" ? item.item_id : (item.payment_id ?? item.webhook_id ?? item.escrow_id),
    WHAT: "detail"
  },
  NOTHING_WAITS,
  ["SINCE"]
)

type DecidableItem = Answer<"resolutions", "decisions">["data"]["items"][number]
type PossibleDecision = DecidableItem["decisions"][number]

/** Other decisions name both balances in their own sentence. */
const unchangedBalance = ({ after, before, currency }: PossibleDecision): string =>
  before === null || after === null || before.text !== after.text
    ? ""
    : ` (the organisation's balance stays ${before.text} ${currency})`

const commandOf = (paymentId: string, { item_id }: DecidableItem, decision: PossibleDecision) => {
  const { action, movement_id, outcome } = decision
  const what = action === "give_back" ? `refund ${paymentId}` : `resolve ${paymentId} --as ${outcome}`
  const about = `${item_id === null ? "" : ` --item ${item_id}`}${movement_id === null ? "" : " --movement ID --amount AMOUNT"}`
  return `corridor payments ${what}${about} --reason TEXT`
}

const NOTHING_TO_DECIDE =
  "Nothing of this payment waits for a decision. An outcome that is still polled can be resolved already: --as completed or --as failed, with --reason TEXT."

/** Each open item, and below it each possible decision with its command. */
export const decisionsText = (paymentId: string, items: ReadonlyArray<DecidableItem>): string =>
  items.length === 0
    ? NOTHING_TO_DECIDE
    : items
        .map((item) =>
          [
            printable(`${item.kind}: ${item.detail}`),
            ...item.decisions.flatMap((decision) => [
              `  ${printable(decision.says)}${unchangedBalance(decision)}`,
              `    ${commandOf(paymentId, item, decision)}`
            ])
          ].join("\n")
        )
        .join("\n\n")
