/** Faults of processes: killed, suspended, wrong clock. */
import { Effect } from "effect"
import type { FaultKind } from "./Fault.ts"

const HOUR = 3_600_000

export const instanceKilled: FaultKind = {
  name: "instance killed (-9)",
  lasts: [200, 3_000],
  make: ({ instances }, chance, purpose) => {
    const one = chance.pick(instances, `${purpose} instance`)
    return { affects: [one], begin: one.kill, end: one.start }
  }
}

/** Longer than the leases of deliveries and callbacks, and than the send window. */
export const instancePaused: FaultKind = {
  name: "instance asleep (SIGSTOP)",
  lasts: [4_000, 24_000],
  make: ({ instances }, chance, purpose) => {
    const one = chance.pick(instances, `${purpose} instance`)
    return { affects: [one], begin: one.pause, end: one.resume }
  }
}

export const clockShifted: FaultKind = {
  name: "clock wrong",
  lasts: [3_000, 10_000],
  make: ({ instances }, chance, purpose) => {
    const one = chance.pick(instances, `${purpose} instance`)
    const shift = chance.pick([-2 * HOUR, -60_000, -3_000, 3_000, 60_000, 2 * HOUR], `${purpose} shift`)
    return { affects: [one], begin: one.shiftClock(shift), end: Effect.suspend(() => one.shiftClock(0)) }
  }
}
