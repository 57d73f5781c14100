/** Payments, their history and open decisions as text. */
import { isFinal } from "../../domain/PaymentStatus.ts"
import type { Answer } from "../client/ApiClient.ts"
import { framed, type TextLayout, tableLayout, minute, printable, properties } from "../shared/Table.ts"

type Payment = Answer<"payments", "byId">

type Summary = Pick<
  Payment,
  | "payment_id"
  | "org_id"
  | "status"
  | "amount"
  | "refunded_amount"
  | "currency"
  | "direction"
  | "payment_method"
  | "country"
  | "provider"
  | "comments"
  | "client_reference"
  | "payer_details"
> & { readonly failure: { readonly provider: string | null } | null }

const amountOf = ({ amount, currency }: Summary): string => `${amount.text} ${currency}`

const payerText = (details: unknown): string | null => {
  if (typeof details !== "object" || details === null) return null
  const { email, name, phone } = details as Readonly<Record<string, unknown>>
  const known = [name, phone, email].filter((part) => typeof part === "string" && part !== "")
  return known.length === 0 ? null : known.join(", ")
}

/** The provider that holds the payment, or declined it last. */
const askedProvider = ({ failure, provider }: Summary): string | null => provider ?? failure?.provider ?? null

export const summaryText = (payment: Summary): string =>
  properties([
    ["Payment", payment.payment_id],
    ["Organisation", payment.org_id],
    ["Status", payment.status],
    ["Amount", amountOf(payment)],
    ["Refunded", `${payment.refunded_amount.text} ${payment.currency}`],
    ["Reference", payment.client_reference ?? "none"],
    ["Payer", payerText(payment.payer_details) ?? "not said"],
    ["Direction", `${payment.direction}, ${payment.payment_method}, ${payment.country}`],
    ["Provider", askedProvider(payment) ?? (isFinal(payment.status) ? "none" : "none yet")],
    ["Comments", payment.comments ?? "none"]
  ])

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
    case "delivery":
      return `${item.event_type} to ${item.webhook_id}: ${item.status}, attempts: ${item.attempts}${item.last_error === null ? "" : `, ${item.last_error}`}`
  }
}

export const paymentText = (payment: Summary, items: ReadonlyArray<TimelineItem>): TextLayout => {
  const rows = items.map((item) => [item.at, item.kind, wordsOf(item)])
  return framed(`${summaryText(payment)}\n\n`, tableLayout(["AT", "WHAT", ""], rows, "Nothing has happened to it."))
}

export const paymentTable = (payments: ReadonlyArray<Summary & { readonly created_at: string }>): TextLayout =>
  tableLayout(
    ["ID", "STATUS", "AMOUNT", "DIRECTION", "METHOD", "PROVIDER", "REFERENCE", "CREATED"],
    payments.map((payment) => [
      payment.payment_id,
      payment.status,
      amountOf(payment),
      payment.direction,
      payment.payment_method,
      askedProvider(payment),
      payment.client_reference,
      minute(payment.created_at)
    ]),
    "No payments here.",
    ["REFERENCE", "CREATED", "DIRECTION", "PROVIDER", "METHOD"]
  )

type QueueItem = Pick<
  Answer<"payments", "queue">["data"][number],
  "created_at" | "kind" | "payment_id" | "webhook_id" | "escrow_id" | "detail"
>

export const queueTable = (items: ReadonlyArray<QueueItem>): TextLayout =>
  tableLayout(
    ["SINCE", "KIND", "PAYMENT, ENDPOINT OR ESCROW", "WHAT"],
    items.map((item) => [
      minute(item.created_at),
      item.kind,
      item.payment_id ?? item.webhook_id ?? item.escrow_id,
      item.detail
    ]),
    "Nothing needs a decision.",
    ["SINCE"]
  )

type DecidableItem = Answer<"resolutions", "decisions">["data"]["items"][number]
type Decision = DecidableItem["decisions"][number]

/** Other decisions name both balances in their own sentence. */
const unchangedBalance = ({ after, before, currency }: Decision): string =>
  before === null || after === null || before.text !== after.text
    ? ""
    : ` (the organisation's balance stays ${before.text} ${currency})`

const commandOf = (paymentId: string, { item_id }: DecidableItem, { action, outcome }: Decision) => {
  const what = action === "give_back" ? `refund ${paymentId}` : `resolve ${paymentId} --as ${outcome}`
  return `corridor payments ${what}${item_id === null ? "" : ` --item ${item_id}`} --reason TEXT`
}

/** Each open item, and below it each possible decision with its command. */
export const decisionsText = (paymentId: string, items: ReadonlyArray<DecidableItem>): string =>
  items.length === 0
    ? "Nothing of this payment waits for a decision."
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
