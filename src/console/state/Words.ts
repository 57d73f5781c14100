/** Names and times as people read them. */
const names: Readonly<Record<string, string>> = {
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
  review: "Waits for review",
  dead_letter: "Dead letters",
  disabled_endpoint: "Endpoint disabled",
  escrow_payout: "Escrow payout",
  "org-admin": "Org admin",
  api_key: "API key",
  api_keys: "API keys"
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `partially_funded` is written "Partially funded". */
export const nameOf = (code: string): string => names[code] ?? capital(code).replaceAll("_", " ")

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const dayAndMinute = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23"
})

export const exactTime = (iso: string): string => dateAndTime.format(new Date(iso))
export const dayOf = (iso: string): string => day.format(new Date(iso))
export const minuteOf = (iso: string): string => dayAndMinute.format(new Date(iso))

const SECOND = 1000
const steps = [
  [86_400 * SECOND, "d"],
  [3600 * SECOND, "h"],
  [60 * SECOND, "min"]
] as const

/** A length of time in its largest unit, and as many digits as one reads at a glance. */
export const span = (millis: number): string => {
  if (millis < SECOND) return `${Math.round(millis)} ms`
  for (const [length, unit] of steps) {
    if (millis >= length) return `${Math.round((millis / length) * 10) / 10} ${unit}`
  }
  return `${Math.round(millis / 100) / 10} s`
}

export const ago = (iso: string): string => {
  const millis = Date.now() - Date.parse(iso)
  return millis < 5 * SECOND ? "just now" : `${span(Math.max(0, millis)).replace(/\.\d+/, "")} ago`
}

export const shortId = (id: string): string => `${id.slice(0, 8)}…${id.slice(-4)}`

/** What providers and the service note down begins small and without a full stop. */
export const sentence = (text: string): string => `${capital(text)}${/[.!?]$/.test(text) ? "" : "."}`
