/** What a run came to, for people and for machines. */
import { median } from "../bench/Report.ts"
import type { Notebook } from "./business/Notebook.ts"
import type { Happened } from "./faults/Disturb.ts"
import type { Kind } from "./faults/Fault.ts"

export interface Recovery {
  readonly times: number
  /** From the end of the fault to the first success at every instance that it affected; those that came alone. */
  readonly medianMillis: number | null
  readonly worstMillis: number | null
  readonly skipped?: string
}

export interface Result {
  readonly seed: number
  readonly seconds: number
  readonly instances: number
  readonly operations: Readonly<Record<string, number>>
  readonly answers: Readonly<Record<string, number>>
  readonly deliveries: number
  readonly payments: Readonly<Record<string, number>>
  readonly operatorItems: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, Recovery>>
  readonly settledAfterSeconds: number
  readonly violations: ReadonlyArray<string>
}

const overlaps = (one: Happened, others: ReadonlyArray<Happened>, until: number): boolean =>
  others.some((other) => other !== one && other.began < until && (other.ended ?? Infinity) > one.began)

/** Until every instance that it affected has answered well again; nothing where another fault was under way meanwhile. */
const recoveryOf = (fault: Happened, all: ReadonlyArray<Happened>, { successes }: Notebook): number | undefined => {
  const { affects, ended } = fault
  if (ended === undefined) return undefined
  const firsts = affects.map((name) => successes.find(({ at, instance }) => instance === name && at >= ended)?.at)
  const last = Math.max(...firsts.map((at) => at ?? Infinity))
  return Number.isFinite(last) && !overlaps(fault, all, last) ? last - ended : undefined
}

export const recoveries = (
  kinds: ReadonlyArray<Kind>,
  skipped: ReadonlyMap<string, string>,
  happened: ReadonlyArray<Happened>,
  notebook: Notebook
): Readonly<Record<string, Recovery>> =>
  Object.fromEntries(
    kinds.map(({ name }) => {
      const own = happened.filter(({ kind }) => kind.name === name)
      const measured = own.flatMap((fault) => recoveryOf(fault, happened, notebook) ?? [])
      const reason = skipped.get(name)
      return [
        name,
        {
          times: own.length,
          medianMillis: measured.length === 0 ? null : Math.round(median(measured)),
          worstMillis: measured.length === 0 ? null : Math.round(Math.max(...measured)),
          ...(reason === undefined ? {} : { skipped: reason })
        }
      ]
    })
  )

export const countsOf = (names: Iterable<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")

const millis = (value: number | null): string => (value === null ? "–" : String(value))

const line = (cells: ReadonlyArray<string>): string =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(30) : cell.padStart(12))).join("")

export const tableOf = (result: Result): string =>
  [
    line(["Fault", "times", "median ms", "worst ms"]),
    ...Object.entries(result.faults).map(([name, { medianMillis, skipped, times, worstMillis }]) =>
      skipped === undefined
        ? line([`  ${name}`, String(times), millis(medianMillis), millis(worstMillis)])
        : `${line([`  ${name}`, "skipped"])}   ${skipped}`
    ),
    "  From the end of a fault that came alone to the first payment that every affected instance answered well.",
    "",
    `Operations: ${listed(result.operations)}`,
    `Answers: ${listed(result.answers)}`,
    `Payments: ${listed(result.payments)}`,
    `Waiting for a person: ${listed(result.operatorItems) || "nothing"}`,
    `Deliveries that arrived: ${result.deliveries}`,
    `${result.instances} instances, ${result.seconds} s, seed ${result.seed}; at rest ${result.settledAfterSeconds} s after the last fault.`,
    ...(result.violations.length === 0
      ? ["No violation."]
      : [`${result.violations.length} violations:`, ...result.violations.slice(0, 50).map((one) => `  ${one}`)])
  ].join("\n")
