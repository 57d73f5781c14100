/** What many runs must come across between them: a world in which something of this never happens proves nothing about it. */
import { focuses } from "./business/Focus.ts"
import { acts } from "./business/Steps.ts"
import { deliveries, fatesIn, passages } from "./providers/Fate.ts"

const named = (kind: string, names: ReadonlyArray<string>, usual?: string): ReadonlyArray<string> =>
  names.filter((name) => name !== usual).map((name) => `${kind}: ${name}`)

const befalls = [
  "crash",
  "sleep",
  "wrong clock",
  "held lock",
  "waits for the lock of a payment",
  "waits for the lock of an escrow",
  "waits for the lock of an account",
  "busy database",
  "lost statement",
  "forged callback",
  "callback out of order",
  "provider switched off",
  "refuses",
  "hangs",
  "takes and breaks off",
  "text that databases refuse",
  "does not find what it has",
  "swears that it never had it",
  "dispute",
  "refuses a repetition",
  "another account",
  "claim through another account",
  "receiver down for days",
  "falls asleep while it waits",
  "forgotten of events",
  "forgotten of deliveries"
]

const ends = ["completed", "failed", "rejected", "canceled"]

export const everything: ReadonlyArray<string> = [
  ...named("step", Object.keys(acts)),
  ...named("fault", Object.keys(passages), "smooth"),
  ...named("fault", Object.keys(deliveries), "once"),
  ...named("fate", Object.keys(fatesIn)),
  ...named("fault", befalls),
  ...named("dispute", ["whole", "part", "won", "given back by hand", "the same again"]),
  ...named("inbound", [...ends, "refunded", "expired"]),
  ...named("outbound", [...ends, "refunded"]),
  ...named("external", ends),
  ...named("escrow", ["active", "completed", "canceled", "part pending", "part disbursed", "part canceled"]),
  ...named("link", ["fixed, used", "open, used", "payment completed", "payment failed", "payment refunded"]),
  ...named("attempt", ["through an own account", "payment declined", "refund accepted", "return accepted"]),
  ...named("item", ["resolution", "review", "unknown_outcome"]),
  ...named("operator", ["kept", "by hand", "refunded", "in the dashboard", "stated before it was told"]),
  ...named("movement", ["named", "stated", "total"]),
  ...named("receivable", ["owed", "paid"]),
  ...named("focus", Object.keys(focuses)),
  ...named("delivery", ["delivered", "dead"]),
  ...named("webhooks", ["active", "disabled", "replayed"])
]

/** Of all that, what never came up. */
export const missing = (counts: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  everything.filter((what) => !counts.has(what))
