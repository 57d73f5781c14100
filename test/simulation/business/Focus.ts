/**
 * Focus of a small run: one kind of fault, made frequent. Rare combinations, such as a lost ramp payout and a machine
 * suspended past its lease, would otherwise take thousands of runs.
 */
import type { Capabilities } from "../providers/Capabilities.ts"
import type { DrawnOutcome, Transmission } from "../providers/DrawnOutcome.ts"
import type { Chance } from "../world/Chance.ts"

export interface Focus {
  /** First step, and weights of the following steps. Default: by the run's size. */
  readonly theme?: string
  readonly steps?: Readonly<Record<string, number>>
  readonly length?: readonly [least: number, most: number]
  /** Longest pause between two steps, in milliseconds. */
  readonly longestPause?: number
  readonly instances?: number
  readonly organisations?: number
  /** The first organisation has an own account with the highest priority. */
  readonly ownAccount?: boolean
  /** Every organisation has an endpoint. */
  readonly receives?: boolean
  /** Capabilities of every provider. */
  readonly can?: Partial<Capabilities>
  readonly outcomes?: Partial<Readonly<Record<DrawnOutcome, number>>>
  /** Transmission of orders, of all legs unless `legs` names some. */
  readonly transmissions?: Partial<Readonly<Record<Transmission, number>>>
  readonly legs?: ReadonlyArray<string>
  /** Probability that a machine is suspended while it waits for a provider or receiver, and for how many seconds. */
  readonly suspensions?: number
  readonly suspendSeconds?: ReadonlyArray<number>
  /** Suspends only during calls whose name contains this text; these calls have no other fault. */
  readonly suspendsIn?: string
  readonly mostSuspensions?: number
  /** Clock errors in seconds. */
  readonly skews?: ReadonlyArray<number>
  /** Initiations convert currencies. */
  readonly crosses?: boolean
  /** Provider timeout in seconds. */
  readonly providerTimeout?: number
  /** Customers pay late or never. */
  readonly lateCustomers?: boolean
  /** Probability of a dispute, and whether it comes within seconds. */
  readonly disputes?: number
  readonly disputesSoon?: boolean
  /** Disputes are won after operators have decided who bears them. */
  readonly lateVerdicts?: boolean
  /** Weights of the steps that follow. */
  readonly afterwards?: Readonly<Record<string, number>>
  /** Organisations have no credit. */
  readonly withoutCredit?: boolean
  /** Receivers answer slowly. */
  readonly hangs?: boolean
  /** Receivers are down for days. */
  readonly outages?: boolean
}

export const noFocus: Focus = {}

const promptly: Focus["outcomes"] = { completes: 1, "completes at once": 3 }

export const focuses: Readonly<Record<string, Focus>> = {
  "overlapping refunds": {
    theme: "payin",
    steps: { refundAtOnce: 1 },
    length: [2, 3],
    longestPause: 60_000,
    outcomes: promptly,
    can: { refunds: true }
  },
  "repetitions are refused": {
    can: { honours: true, repeats: "refused" },
    transmissions: { smooth: 4, unanswered: 6, lost: 1, "noticed late": 1 }
  },
  "sends take long": {
    can: { honours: true },
    transmissions: { smooth: 2, "noticed late": 8 },
    providerTimeout: 25
  },
  "the second leg is lost": {
    theme: "ramp",
    length: [1, 1],
    instances: 2,
    can: { honours: false, provesAbsence: true },
    outcomes: promptly,
    transmissions: { smooth: 1, lost: 6, "slow arrival": 4 },
    legs: ["outbound"],
    suspensions: 0.5,
    suspendSeconds: [73, 78, 84],
    suspendsIn: "look-up",
    mostSuspensions: 2
  },
  "clocks differ": {
    theme: "ramp",
    steps: { clock: 6, ramp: 1, comeBack: 1 },
    length: [2, 4],
    skews: [-3600, -1500, 1500, 2400, 3600],
    longestPause: 60_000,
    instances: 2,
    can: { cancels: false },
    outcomes: { "waits for its customer": 1 },
    lateCustomers: true
  },
  "accounts are locked": {
    theme: "deposit",
    steps: { lock: 4, deposit: 1, withdraw: 2, transfer: 3 },
    length: [3, 5],
    longestPause: 5_000
  },
  "odd amounts": {
    theme: "payin",
    steps: { payin: 2, payout: 1, refund: 1 },
    length: [1, 2],
    crosses: true,
    can: { counts: true },
    outcomes: {
      completes: 1,
      "brings more": 3,
      "brings less": 2,
      "fails and completes after all": 2,
      "declines and completes after all": 2
    }
  },
  "another account at a provider": {
    steps: { replaceAccount: 4, payin: 2, payout: 2, ramp: 1 },
    length: [2, 4],
    longestPause: 40_000,
    can: { provesAbsence: true, tellsId: true },
    transmissions: { smooth: 3, unanswered: 4, "slow answer": 2, "noticed late": 1 }
  },
  "two accounts at one provider": {
    theme: "payin",
    steps: { payin: 3, claimElsewhere: 2 },
    length: [3, 5],
    longestPause: 10_000,
    organisations: 2,
    ownAccount: true,
    can: { signs: true, callsBackBy: "its own id", tellsId: true },
    outcomes: { "completes at once": 3, "waits for its customer": 2, "never ends": 1, "fails later": 1 },
    transmissions: { smooth: 6, "slow answer": 2 }
  },
  "chargebacks after all was paid out": {
    theme: "payin",
    steps: { payin: 2, payout: 4, refund: 1, refundAtOnce: 1 },
    length: [1, 3],
    longestPause: 1_800_000,
    organisations: 1,
    withoutCredit: true,
    can: { signs: true, counts: true },
    outcomes: { completes: 2, "completes at once": 3, "is paid twice": 1 },
    disputes: 0.9,
    lateVerdicts: true,
    afterwards: { payin: 3, refund: 1, payout: 1 }
  },
  "ramps are charged back": {
    theme: "ramp",
    steps: { lock: 2, crash: 3, sleep: 2, ramp: 1, switchOff: 1 },
    length: [1, 3],
    longestPause: 4_000,
    can: { signs: true, provesAbsence: true },
    outcomes: {
      completes: 2,
      "completes at once": 4,
      "declines and completes after all": 1,
      "fails and completes after all": 1
    },
    transmissions: { smooth: 3, lost: 3, unanswered: 1, "slow arrival": 1 },
    legs: ["outbound"],
    disputes: 0.9,
    disputesSoon: true,
    lateVerdicts: true,
    afterwards: { ramp: 1 }
  },
  "receivers are down": {
    theme: "payin",
    steps: { payin: 3, payout: 1, refund: 1, replay: 3 },
    length: [2, 4],
    receives: true,
    outages: true
  },
  "a sender of webhooks sleeps": {
    theme: "payin",
    steps: { payin: 1 },
    length: [1, 2],
    instances: 2,
    receives: true,
    hangs: true,
    outcomes: promptly,
    suspensions: 0.35,
    suspendSeconds: [22, 25, 28]
  }
}

/** Drawn separately from the others. */
const ratesMove: Focus = {
  theme: "payin",
  steps: { moveRates: 4, payin: 3, payout: 2, refund: 2, refundAtOnce: 1, review: 2, transfer: 2, deposit: 1, link: 1 },
  length: [3, 5],
  crosses: true,
  outcomes: { completes: 2, "completes at once": 3, "brings more": 1 }
}

const SHARE = 0.4

export const drawFocus = (chance: Chance): readonly [name: string, focus: Focus] => {
  if (!chance.happens(SHARE, "focus"))
    return chance.happens(0.08, "rates move") ? ["rates move", ratesMove] : ["none", noFocus]
  const name = chance.pick(Object.keys(focuses), "which focus")
  return [name, focuses[name]!]
}
