/** Outcomes of orders, calls and callbacks, drawn by the seed. */
import type { Chance } from "../world/Chance.ts"

/**
 * Way of a call. `lost`: it never arrives. `unanswered`: the answer is lost. `noticed late`: either, and the connection
 * fails seconds later.
 */
export type Transmission = "smooth" | "lost" | "unanswered" | "slow answer" | "slow arrival" | "breaks" | "noticed late"

export const transmissions: Readonly<Record<Transmission, number>> = {
  smooth: 72,
  lost: 6,
  unanswered: 8,
  "slow answer": 5,
  "slow arrival": 4,
  breaks: 3,
  "noticed late": 2
}

export type DrawnOutcome =
  | "completes"
  | "completes at once"
  | "waits for its customer"
  | "declines the instrument"
  | "declines"
  | "is down"
  | "fails later"
  | "returns later"
  | "never ends"
  | "brings less"
  | "brings less and the rest later"
  | "brings more"
  | "brings another currency"
  | "fails and completes after all"
  | "declines and completes after all"
  | "is paid twice"

/** Outcomes of payins. */
export const payinOutcomes: Readonly<Record<DrawnOutcome, number>> = {
  completes: 34,
  "completes at once": 8,
  "waits for its customer": 12,
  "declines the instrument": 4,
  declines: 9,
  "is down": 3,
  "fails later": 6,
  "returns later": 5,
  "never ends": 3,
  "brings less": 3,
  "brings less and the rest later": 3,
  "brings more": 3,
  "brings another currency": 2,
  "fails and completes after all": 3,
  "declines and completes after all": 2,
  "is paid twice": 3
}

/** Payouts always move the ordered amount. */
export const payoutOutcomes: Readonly<Record<DrawnOutcome, number>> = {
  ...payinOutcomes,
  "waits for its customer": 0,
  "brings less": 0,
  "brings less and the rest later": 0,
  "brings more": 0,
  "brings another currency": 0,
  "is paid twice": 0
}

export type CallbackDelivery = "once" | "twice" | "late" | "never"

export const callbackDeliveries: Readonly<Record<CallbackDelivery, number>> = {
  once: 60,
  twice: 14,
  late: 14,
  never: 12
}

export const drawDelay = (chance: Chance, purpose: string): number => {
  const kind = chance.weighed({ fast: 6, slow: 3, "very slow": 1 }, `${purpose} pace`)
  const [least, most] = { fast: [50, 3_000], slow: [3_000, 120_000], "very slow": [120_000, 7_200_000] }[kind] as [
    number,
    number
  ]
  return chance.between(least, most, `${purpose} millis`)
}
