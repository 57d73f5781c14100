/** Everything that may happen in a run, and how often. */
import type { Chance } from "../world/Chance.ts"
import { cancel, forge, refund, review } from "./Acting.ts"
import { deposit, transfer, withdraw } from "./Banking.ts"
import { clock, crash, sleep } from "./Disasters.ts"
import { payin, payout } from "./Paying.ts"
import { pry, revoke } from "./Prying.ts"
import { ramp } from "./Ramping.ts"
import type { Act, Step } from "./Step.ts"

export const acts: Readonly<Record<string, Act>> = {
  payin,
  payout,
  refund,
  cancel,
  review,
  forge,
  ramp,
  deposit,
  withdraw,
  transfer,
  pry,
  revoke,
  crash,
  sleep,
  clock
}

const business: Readonly<Record<string, number>> = {
  payin: 10,
  payout: 6,
  refund: 6,
  cancel: 2,
  review: 3,
  forge: 1,
  ramp: 4,
  deposit: 3,
  withdraw: 3,
  transfer: 2,
  pry: 1,
  revoke: 0.5
}

const disasters: Readonly<Record<string, number>> = { crash: 3, sleep: 2, clock: 1 }

const lengths = { short: [3, 6], usual: [6, 14], long: [14, 30] } as const

export const drawSteps = (chance: Chance): ReadonlyArray<Step> => {
  const length = chance.weighed({ short: 3, usual: 5, long: 1 }, "length")
  const [least, most] = lengths[length]
  const count = chance.between(least, most, "steps")
  const haste = chance.pick([500, 5_000, 60_000, 1_800_000], "haste")
  const weights = chance.happens(0.45, "disasters") ? { ...business, ...disasters } : business
  let at = 100
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1
    at += chance.below(haste, `step ${number} pause`)
    return {
      number,
      kind: chance.weighed(weights, `step ${number} kind`),
      at,
      by: chance.below(3, `step ${number} by`)
    }
  })
}
