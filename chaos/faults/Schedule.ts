/** Which faults come when: drawn from the seed alone, one after the other, and at times one while another lasts. */
import type { Chance } from "../../simulation/world/Chance.ts"
import type { Kind } from "./Fault.ts"
import {
  backendsTerminated,
  connectionsRunOut,
  databaseKilled,
  databaseRestarted,
  diskFull,
  rowsLocked,
  tableLocked
} from "./OfDatabase.ts"
import { clockShifted, instanceKilled, instancePaused } from "./OfInstances.ts"
import {
  callbacksCut,
  databaseCut,
  databaseSilent,
  databaseSlow,
  providersCut,
  providersSilent,
  providersSlow
} from "./OfNetwork.ts"

export const allKinds: ReadonlyArray<Kind> = [
  instanceKilled,
  instancePaused,
  clockShifted,
  databaseRestarted,
  databaseKilled,
  backendsTerminated,
  connectionsRunOut,
  rowsLocked,
  tableLocked,
  diskFull,
  databaseCut,
  databaseSilent,
  databaseSlow,
  providersCut,
  providersSilent,
  providersSlow,
  callbacksCut
]

export interface Planned {
  readonly number: number
  readonly kind: Kind
  /** From the beginning of the run, in milliseconds. */
  readonly at: number
  readonly lasts: number
}

/** Before the first, so that there is something to disturb. */
const CALM_MILLIS = 2_000

/** Every kind comes once before any comes twice, in an order that the seed chooses. */
const nthKind = (kinds: ReadonlyArray<Kind>, chance: Chance, nth: number): Kind => {
  const round = Math.floor(nth / kinds.length)
  const drawn = kinds.map((kind) => ({ kind, place: chance.below(2 ** 30, `round ${round} ${kind.name}`) }))
  return drawn.toSorted((a, b) => a.place - b.place)[nth % kinds.length]!.kind
}

export const drawSchedule = (
  kinds: ReadonlyArray<Kind>,
  chance: Chance,
  totalMillis: number
): ReadonlyArray<Planned> => {
  const planned: Array<Planned> = []
  let at = CALM_MILLIS
  for (let number = 0; ; number++) {
    const kind = nthKind(kinds, chance, number)
    const lasts = chance.between(kind.lasts[0], kind.lasts[1], `fault ${number} lasts`)
    if (at + lasts > totalMillis) return planned
    planned.push({ number, kind, at, lasts })
    const overlaps = chance.happens(0.2, `fault ${number} is not alone`)
    at += overlaps ? Math.ceil(lasts / 2) : lasts + chance.between(2_000, 4_000, `fault ${number} then`)
  }
}
