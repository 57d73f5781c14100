/** Everything that may happen in a run, and how often. */
import type { Chance } from "../world/Chance.ts"
import { cancel, forge, refund, review } from "./Acting.ts"
import { deposit, transfer, withdraw } from "./Banking.ts"
import { clock, crash, forget, lock, sleep } from "./Disasters.ts"
import { escrow } from "./Escrowing.ts"
import { link } from "./Linking.ts"
import { payin, payout } from "./Paying.ts"
import { pry, revoke } from "./Prying.ts"
import { ramp } from "./Ramping.ts"
import { comeBack } from "./Returning.ts"
import type { Act, Step } from "./Step.ts"
import { switchOff } from "./Switching.ts"

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
  escrow,
  link,
  comeBack,
  pry,
  revoke,
  switchOff,
  forget,
  lock,
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
  escrow: 3,
  link: 3,
  comeBack: 2,
  pry: 1,
  revoke: 0.5,
  switchOff: 1,
  forget: 1
}

const disasters: Readonly<Record<string, number>> = { crash: 3, sleep: 2, clock: 1, lock: 3 }

const lengths = { short: [2, 5], usual: [5, 9], long: [10, 24] } as const

const DAY = 86_400_000

export const drawSteps = (chance: Chance): ReadonlyArray<Step> => {
  const length = chance.weighed({ short: 6, usual: 4, long: 0.5 }, "length")
  const [least, most] = lengths[length]
  const count = chance.between(least, most, "steps")
  const haste = chance.pick([500, 5_000, 60_000, 1_800_000], "haste")
  const weights = chance.happens(0.45, "disasters") ? { ...business, ...disasters } : business
  // A long time in which nothing happens, and after which much may be forgotten.
  const lull = chance.happens(0.15, "lull") ? chance.between(2, count, "lull before") : 0
  const days = chance.pick([2, 31, 95], "lull days")
  let at = 100
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1
    at += chance.below(haste, `step ${number} pause`) + (number === lull ? days * DAY : 0)
    return {
      number,
      kind: chance.weighed(weights, `step ${number} kind`),
      at,
      by: chance.below(3, `step ${number} by`)
    }
  })
}
