/** Result of a run, as JSON and as a table. */
import { median } from "../bench/Medians.ts"
import type { InjectedFault } from "./faults/InjectFaults.ts"
import type { FaultKind } from "./faults/Fault.ts"

export interface Recovery {
  readonly times: number
  /** From the end of a fault that came alone until every affected instance has answered a payment. */
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

const recoveryOf = ({ isAlone, lifted, recovered }: InjectedFault): number | undefined =>
  isAlone && lifted !== undefined && recovered !== undefined ? recovered - lifted : undefined

export const recoveries = (
  kinds: ReadonlyArray<FaultKind>,
  skipped: ReadonlyMap<string, string>,
  injected: ReadonlyArray<InjectedFault>
): Readonly<Record<string, Recovery>> =>
  Object.fromEntries(
    kinds.map(({ name }) => {
      const own = injected.filter(({ kind }) => kind.name === name)
      const measured = own.flatMap((fault) => recoveryOf(fault) ?? [])
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
    "  From the moment at which a fault that came alone is set right (a process is started again, PostgreSQL has been stopped)",
    "  until every instance that it affected has answered a payment.",
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
