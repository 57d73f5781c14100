/** Totals of many runs: counts, failures and coverage. */
import type { Ran } from "./SimulationRun.ts"
import { focuses } from "./business/Focus.ts"
import { stepActions } from "./business/ScenarioSteps.ts"
import { callbackDeliveries, payinOutcomes, transmissions } from "./providers/DrawnOutcome.ts"

export class Totals {
  runs = 0
  readonly counts = new Map<string, number>()
  readonly failures: Array<Ran> = []

  add(ran: Ran): void {
    this.runs += 1
    for (const [what, count] of ran.counts) this.counts.set(what, (this.counts.get(what) ?? 0) + count)
    if (ran.problems.length > 0) this.failures.push(ran)
  }
}

const ofKind = (counts: ReadonlyMap<string, number>, kind: string): ReadonlyArray<readonly [string, number]> =>
  Array.from(counts)
    .flatMap(([what, count]) => (what.startsWith(`${kind}: `) ? [[what.slice(kind.length + 2), count] as const] : []))
    .sort(([a], [b]) => (a < b ? -1 : 1))

const kinds = [
  ["size", "Runs"],
  ["focus", "What short runs were about besides"],
  ["step", "What was done"],
  ["answer", "Answers to callers"],
  ["fault", "Faults"],
  ["fate", "What providers did"],
  ["dispute", "Disputes"],
  ["inbound", "Payins ended"],
  ["outbound", "Payouts ended"],
  ["external", "Ramps ended"],
  ["escrow", "Escrows"],
  ["link", "Links"],
  ["attempt", "Attempts"],
  ["item", "Items for people"],
  ["operator", "What people did with them"],
  ["event", "Events"],
  ["delivery", "Deliveries"],
  ["webhooks", "Endpoints"],
  ["error", "Errors that were logged"]
] as const

export const table = ({ counts }: Totals): string =>
  kinds
    .flatMap(([kind, title]) => {
      const found = ofKind(counts, kind)
      return found.length === 0 ? [] : [`${title}: ${found.map(([what, count]) => `${what} ${count}`).join(", ")}`]
    })
    .join("\n")

/** Command that repeats a failed run, with the steps and faults that remain after shrinking. */
export const lineFor = (
  { problems, seed }: Ran,
  left: { readonly steps: ReadonlyArray<number>; readonly faults: number }
): string =>
  `npm run simulate -- --seed ${seed}   # ${problems[0] ?? "nothing"} (steps ${left.steps.join(", ")}; ${left.faults} faults)`

/** Counts that many runs together must reach: a fault that never happens proves nothing. */
const named = (kind: string, names: ReadonlyArray<string>, usual?: string): ReadonlyArray<string> =>
  names.filter((name) => name !== usual).map((name) => `${kind}: ${name}`)

const faultNames = [
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

const expectedCounts: ReadonlyArray<string> = [
  ...named("step", Object.keys(stepActions)),
  ...named("fault", Object.keys(transmissions), "smooth"),
  ...named("fault", Object.keys(callbackDeliveries), "once"),
  ...named("fate", Object.keys(payinOutcomes)),
  ...named("fault", faultNames),
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

export const missingCounts = (counts: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  expectedCounts.filter((what) => !counts.has(what))
