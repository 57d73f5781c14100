/** What many runs came to: what came up and how often, and what failed, each with the line that brings it back. */
import type { Ran } from "./Run.ts"

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

/** One line for each kind. */
export const table = ({ counts }: Totals): string =>
  kinds
    .flatMap(([kind, title]) => {
      const found = ofKind(counts, kind)
      return found.length === 0 ? [] : [`${title}: ${found.map(([what, count]) => `${what} ${count}`).join(", ")}`]
    })
    .join("\n")

/** Enough to bring it back, with what could be left out of it. */
export const lineFor = (
  { problems, seed }: Ran,
  left: { readonly steps: ReadonlyArray<number>; readonly faults: number }
): string =>
  `npm run simulate -- --seed ${seed}   # ${problems[0] ?? "nothing"} (steps ${left.steps.join(", ")}; ${left.faults} faults)`
