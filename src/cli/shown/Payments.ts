/** Payments, and what waits for a person, as people read them, whichever way they came. */
import { BigDecimal } from "effect"
import { toWireText, type WireNumber } from "../../domain/Decimal.ts"
import { isSettled, type PaymentStatus } from "../../domain/PaymentStatus.ts"
import { framed, type TextLayout, tableLayout, minute, printable, properties } from "../shared/Table.ts"

type Time = Date | string

/** A decimal as the service has it, or as its answer does. */
type Shown = BigDecimal.BigDecimal | Pick<WireNumber, "text">

const shownAmount = (amount: Shown): string => (BigDecimal.isBigDecimal(amount) ? toWireText(amount) : amount.text)

export interface Summary {
  readonly payment_id: string
  readonly org_id: string | null
  readonly status: PaymentStatus
  /** With its currency. */
  readonly money: string
  readonly direction: string
  readonly payment_method: string
  readonly country: string
  readonly provider: string | null
  readonly failure: { readonly provider: string | null } | null
  readonly comments: string | null
  readonly client_reference: string | null
  readonly payer_details: unknown
  /** With its currency. */
  readonly refunded: string
}

/** Who a payment is from, as far as it says so. */
const payerText = (details: unknown): string | null => {
  if (typeof details !== "object" || details === null) return null
  const { email, name, phone } = details as Readonly<Record<string, unknown>>
  const known = [name, phone, email].filter((part) => typeof part === "string" && part !== "")
  return known.length === 0 ? null : known.join(", ")
}

/** Who has it, or refused it. */
const askedProvider = ({ failure, provider }: Summary): string | null => provider ?? failure?.provider ?? null

export const summaryText = (payment: Summary): string =>
  properties([
    ["Payment", payment.payment_id],
    ["Organisation", payment.org_id],
    ["Status", payment.status],
    ["Amount", payment.money],
    ["Refunded", payment.refunded],
    ["Reference", payment.client_reference ?? "none"],
    ["Payer", payerText(payment.payer_details) ?? "not said"],
    ["Direction", `${payment.direction}, ${payment.payment_method}, ${payment.country}`],
    ["Provider", askedProvider(payment) ?? (isSettled(payment.status) ? "none" : "none yet")],
    ["Comments", payment.comments ?? "none"]
  ])

export type Item = { readonly at: Time } & (
  | { readonly kind: "status"; readonly from: string | null; readonly to: string; readonly cause: string }
  | {
      readonly kind: "attempt"
      readonly provider: string
      readonly leg: string
      readonly outcome: string | null
      readonly reason: string | null
      readonly latency_ms: number | null
    }
  | { readonly kind: "callback"; readonly provider: string; readonly report: string; readonly effect: string }
  | { readonly kind: "operator"; readonly item: string; readonly detail: string; readonly closed_by: string | null }
  | {
      readonly kind: "movement"
      readonly movement: string
      readonly provider: string
      readonly movement_id: string
      readonly amount: Shown
      readonly currency: string
      readonly state: string
    }
  | {
      readonly kind: "allocation"
      readonly amount: Shown
      readonly currency: string
      readonly note: string
      readonly by: string | null
    }
  | {
      readonly kind: "delivery"
      readonly event_type: string
      readonly webhook_id: string
      readonly status: string
      readonly attempts: number
      readonly last_error: string | null
    }
)

const wordsOf = (item: Item): string => {
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
      return `${item.movement} of ${shownAmount(item.amount)} ${item.currency} at ${item.provider}, ${item.state}: ${item.movement_id}`
    case "allocation":
      return `${shownAmount(item.amount)} ${item.currency} to the organisation${item.by === null ? "" : ` by ${item.by}`}: ${item.note}`
    case "delivery":
      return `${item.event_type} to ${item.webhook_id}: ${item.status}, attempts: ${item.attempts}${item.last_error === null ? "" : `, ${item.last_error}`}`
  }
}

export const paymentText = (payment: Summary, items: ReadonlyArray<Item>): TextLayout => {
  const rows = items.map((item) => [
    typeof item.at === "string" ? item.at : item.at.toISOString(),
    item.kind,
    wordsOf(item)
  ])
  return framed(`${summaryText(payment)}\n\n`, tableLayout(["AT", "WHAT", ""], rows, "Nothing has happened to it."))
}

export const paymentTable = (payments: ReadonlyArray<Summary & { readonly created_at: Time }>): TextLayout =>
  tableLayout(
    ["ID", "STATUS", "AMOUNT", "DIRECTION", "METHOD", "PROVIDER", "REFERENCE", "CREATED"],
    payments.map((payment) => [
      payment.payment_id,
      payment.status,
      payment.money,
      payment.direction,
      payment.payment_method,
      askedProvider(payment),
      payment.client_reference,
      minute(payment.created_at)
    ]),
    "No payments here.",
    ["REFERENCE", "CREATED", "DIRECTION", "PROVIDER", "METHOD"]
  )

interface Waiting {
  readonly created_at: Time
  readonly kind: string
  readonly payment_id: string | null
  readonly webhook_id: string | null
  readonly escrow_id: string | null
  readonly detail: string
}

export const queueTable = (items: ReadonlyArray<Waiting>): TextLayout =>
  tableLayout(
    ["SINCE", "KIND", "PAYMENT, ENDPOINT OR ESCROW", "WHAT"],
    items.map((item) => [
      minute(item.created_at),
      item.kind,
      item.payment_id ?? item.webhook_id ?? item.escrow_id,
      item.detail
    ]),
    "Nothing waits for a person.",
    ["SINCE"]
  )

interface Decidable {
  readonly item_id: string | null
  readonly kind: string
  readonly detail: string
  readonly decisions: ReadonlyArray<{
    readonly action: string
    readonly outcome: string | null
    readonly says: string
    readonly currency: string | null
    readonly before: Shown | null
    readonly after: Shown | null
  }>
}

/** A decision that moves nothing for the organisation says so; others tell both balances themselves. */
const stays = ({ after, before, currency }: Decidable["decisions"][number]): string =>
  before === null || after === null || shownAmount(before) !== shownAmount(after)
    ? ""
    : ` (the organisation's balance stays ${shownAmount(before)} ${currency})`

const commandOf = (paymentId: string, { item_id }: Decidable, { action, outcome }: Decidable["decisions"][number]) => {
  const what = action === "give_back" ? `refund ${paymentId}` : `resolve ${paymentId} --as ${outcome}`
  return `corridor payments ${what}${item_id === null ? "" : ` --item ${item_id}`} --reason TEXT`
}

/** Each thing that waits, and below it each decision with its command. */
export const decisionsText = (paymentId: string, items: ReadonlyArray<Decidable>): string =>
  items.length === 0
    ? "Nothing of this payment waits for a decision."
    : items
        .map((item) =>
          [
            printable(`${item.kind}: ${item.detail}`),
            ...item.decisions.flatMap((decision) => [
              `  ${printable(decision.says)}${stays(decision)}`,
              `    ${commandOf(paymentId, item, decision)}`
            ])
          ].join("\n")
        )
        .join("\n\n")
