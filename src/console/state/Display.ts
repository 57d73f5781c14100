/** Labels, times and short texts as the console shows them. */
import { isLosslessNumber } from "lossless-json"
import { amountText, type Amount, parseAmount } from "../api/Amount.ts"
import { isFinal, type PaymentStatus } from "../../domain/PaymentStatus.ts"
import { isolatedName } from "../../domain/IsolatedName.ts"

const parts = /^(\d{4})-(\d{2})-(\d{2})$/

/** Start of a local day, `later` days on. Days of 23 or 25 hours keep their own bounds. */
const startOf = (day: string, later: number): string | undefined => {
  const [, year, month, date] = parts.exec(day) ?? []
  if (year === undefined) return undefined
  const start = new Date(0)
  start.setFullYear(Number(year), Number(month) - 1, Number(date) + later)
  start.setHours(0, 0, 0, 0)
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString()
}

interface Days {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Times for the API: from the start of the first day, until before the day after the last. Times stay as they are. */
export const dayBounds = ({ from = "", to = "" }: Days): Days => ({
  from: startOf(from, 0) ?? from,
  to: startOf(to, 1) ?? to
})

/** Name of the person's time zone, such as Pacific/Auckland. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const labels: Readonly<Record<string, string>> = {
  mobile_money: "Mobile money",
  bank_transfer: "Bank transfer",
  card: "Card",
  crypto: "Crypto",
  wallet: "Wallet",
  inbound: "Payin",
  outbound: "Payout",
  external: "Ramp",
  unknown_outcome: "Outcome unknown",
  suspense: "Money in suspense",
  review: "Review needed",
  dead_letter: "Dead letters",
  disabled_endpoint: "Endpoint disabled",
  escrow_payout: "Escrow payout",
  incoming_transfer: "Incoming transfer",
  "org-admin": "Org admin",
  api_key: "API key",
  api_keys: "API keys"
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Label of a code: `partially_funded` is "Partially funded". */
export const labelOf = (code: string): string => labels[code] ?? capital(code).replaceAll("_", " ")

/** Options of a field, each with the label of its code. */
export const optionsOf = (codes: ReadonlyArray<string>) => codes.map((code) => [code, labelOf(code)] as const)

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const dayAndMinute = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23"
})

export const exactTime = (iso: string): string => dateAndTime.format(new Date(iso))
export const shortTime = (iso: string): string => dayAndMinute.format(new Date(iso))

const SECOND = 1000
const durationUnits = [
  [86_400 * SECOND, "d"],
  [3600 * SECOND, "h"],
  [60 * SECOND, "min"]
] as const

/** Duration in its largest unit, with one decimal. */
export const durationText = (millis: number): string => {
  if (millis < SECOND) return `${Math.round(millis)} ms`
  for (const [length, unit] of durationUnits) {
    if (millis >= length) return `${Math.round((millis / length) * 10) / 10} ${unit}`
  }
  return `${Math.round(millis / 100) / 10} s`
}

export const agoText = (iso: string): string => {
  const millis = Date.now() - Date.parse(iso)
  return millis < 5 * SECOND ? "just now" : `${durationText(Math.max(0, millis)).replace(/\.\d+/, "")} ago`
}

export const shortId = (id: string): string => `${id.slice(0, 8)}…${id.slice(-4)}`

/** Makes a sentence of a note of the service or a provider. */
export const asSentence = (text: string): string => `${capital(text)}${/[.!?]$/.test(text) ? "" : "."}`

const subjectFields = ["client_reference", "payment_id", "account_id", "request_id"] as const

/** Subject and amount of an event, to tell events of one type apart. */
export const eventSummary = (data: unknown): string => {
  const fields = typeof data === "object" && data !== null ? (data as Readonly<Record<string, unknown>>) : {}
  const subject = subjectFields.map((name) => fields[name]).find((value) => typeof value === "string")
  const { amount, currency } = fields
  const money = isLosslessNumber(amount) && typeof currency === "string" ? `${amountText(amount)} ${currency}` : ""
  return [
    subject === undefined ? "" : subject === fields["client_reference"] ? isolatedName(subject) : shortId(subject),
    money
  ]
    .filter((words) => words !== "")
    .join(", ")
}

const grouped = (digits: string): string => {
  const amount: Amount | undefined = parseAmount(digits)
  return amount === undefined ? digits : amountText(amount)
}

/** Formats amounts and the leading provider code in a note of the service. */
export const detailText = (detail: string, names: ReadonlyMap<string, string>): string =>
  detail
    .replace(/^[a-z_]+(?= )/, (code) => names.get(code) ?? code)
    .replace(/(?<![\w.])\d{4,15}(\.\d+)?(?= [A-Z]{3,5}\b)/g, grouped)

interface Asked<P> {
  readonly status: PaymentStatus
  readonly provider: P | null
  readonly failure: { readonly provider: P | null } | null
}

/** Provider that has or refused the payment; "None yet" while one may still be tried. */
export const askedProvider = <P extends string>(
  { failure, provider, status }: Asked<P>,
  nameOf: (provider: P) => string
): { readonly name: string; readonly known: boolean } => {
  const asked = provider ?? failure?.provider ?? null
  if (asked !== null) return { name: nameOf(asked), known: true }
  return { name: isFinal(status) ? "None" : "None yet", known: false }
}

interface LinkState {
  readonly status: string
  readonly amount_type: "fixed" | "open"
  readonly expires_at: string | null
}

/** Open links take payments until they expire; fixed ones take one. */
export const takesPayments = ({ amount_type, expires_at, status }: LinkState, now: Date): boolean =>
  status === "active" ||
  (status === "paid" && amount_type === "open" && (expires_at === null || new Date(expires_at) > now))
