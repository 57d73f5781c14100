/** All steps of a run and their weights. */
import type { Chance } from "../world/Chance.ts"
import { cancel, forgeCallback, refund, refundConcurrently, review, returnFromProvider } from "./PaymentActionSteps.ts"
import { deposit, transfer, withdraw } from "./VirtualAccountSteps.ts"
import { claimThroughOtherAccount, replaceAccount, disableProvider } from "./ProviderChanges.ts"
import { setWrongClock, crashMachine, runRetention, lockRow, suspendMachine } from "./MachineFaults.ts"
import { useEscrow } from "./EscrowSteps.ts"
import type { Focus } from "./Focus.ts"
import { usePaymentLink } from "./PaymentLinkSteps.ts"
import { payin, payout, ramp } from "./PaymentSteps.ts"
import { readForeignObjects, revokeKey } from "./UnauthorizedReads.ts"
import { moveRates } from "./RateChanges.ts"
import { replayDeadLetters } from "./SimulatedReceivers.ts"
import type { StepAction, Step } from "./ScenarioContext.ts"

export const stepActions: Readonly<Record<string, StepAction>> = {
  payin,
  payout,
  refund,
  refundAtOnce: refundConcurrently,
  cancel,
  review,
  forge: forgeCallback,
  ramp,
  deposit,
  withdraw,
  transfer,
  escrow: useEscrow,
  link: usePaymentLink,
  comeBack: returnFromProvider,
  pry: readForeignObjects,
  revoke: revokeKey,
  switchOff: disableProvider,
  replaceAccount,
  claimElsewhere: claimThroughOtherAccount,
  replay: replayDeadLetters,
  moveRates,
  forget: runRetention,
  lock: lockRow,
  crash: crashMachine,
  sleep: suspendMachine,
  clock: setWrongClock
}

type Weights = Readonly<Record<string, number>>

const businessWeights: Weights = {
  payin: 10,
  payout: 6,
  refund: 6,
  refundAtOnce: 2,
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
  replaceAccount: 0.5,
  claimElsewhere: 0.5,
  replay: 1,
  moveRates: 2,
  forget: 1
}

const faultWeights: Weights = { crash: 3, sleep: 2, clock: 1, lock: 3 }

/** Steps that may follow any theme. */
const commonWeights: Weights = { forge: 1.2, pry: 1, revoke: 0.8, switchOff: 0.8, replaceAccount: 0.3, forget: 0.5 }

/** Themes of small runs: the first step, and weights of the next ones. */
const themes: Readonly<Record<string, Weights>> = {
  payin: { refund: 5, refundAtOnce: 1, cancel: 1.5, review: 2, comeBack: 1.5, payin: 2 },
  payout: { review: 2, cancel: 4, payout: 2, payin: 1 },
  ramp: { review: 2, cancel: 1.5, ramp: 1.5 },
  deposit: { withdraw: 4, transfer: 2, deposit: 2, review: 1 },
  escrow: { escrow: 4, deposit: 1, withdraw: 1 },
  link: { refund: 2, comeBack: 1.5, review: 1, link: 1 }
}

const themeWeights: Weights = { payin: 10, payout: 6, ramp: 5, deposit: 4, escrow: 3, link: 2 }

export type Size = "small" | "usual" | "large"

const lengths = { small: [1, 3], usual: [5, 9], large: [10, 24] } as const

/** Most runs are small: a failure is then short to read. */
export const drawSize = (chance: Chance): Size => chance.weighed({ small: 94, usual: 5, large: 1 }, "size")

/** Steps after operators have cleared the queue. */
export const drawLateSteps = (chance: Chance, before: number, { afterwards }: Focus): ReadonlyArray<Step> =>
  afterwards === undefined
    ? []
    : Array.from({ length: chance.between(1, 2, "steps afterwards") }, (_, index) => {
        const number = before + index + 1
        return { number, kind: chance.weighed(afterwards, `step ${number} kind`), at: 0, by: 0 }
      })

const DAY = 86_400_000

export const drawSteps = (chance: Chance, size: Size, focus: Focus): ReadonlyArray<Step> => {
  const [least, most] = focus.length ?? lengths[size]
  // A provider may be disabled before the first payment.
  const opens = size === "small" && chance.happens(0.06, "switched off before") ? 2 : 1
  const count = Math.max(opens, chance.between(least, most, "steps"))
  const longestPause = focus.longestPause ?? chance.pick([500, 5_000, 60_000, 1_800_000], "haste")
  const theme = focus.theme ?? chance.weighed(themeWeights, "theme")
  const usual = focus.steps ?? (size === "small" ? { ...commonWeights, ...themes[theme] } : businessWeights)
  const weights = focus.steps === undefined && chance.happens(0.45, "disasters") ? { ...usual, ...faultWeights } : usual
  // A pause of days, after which retention may run.
  const lull = chance.happens(0.15, "lull") ? chance.between(2, Math.max(2, count), "lull before") : 0
  const days = chance.pick([2, 31, 95], "lull days")
  const forgets = chance.happens(0.5, "lull forgets")
  const kindOf = (number: number): string => {
    if (number === lull && forgets) return "forget"
    if (number < opens) return "switchOff"
    return size === "small" && number === opens ? theme : chance.weighed(weights, `step ${number} kind`)
  }
  let at = 100
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1
    at += chance.below(longestPause, `step ${number} pause`) + (number === lull ? days * DAY : 0)
    return {
      number,
      kind: kindOf(number),
      at,
      by: chance.below(3, `step ${number} by`)
    }
  })
}
