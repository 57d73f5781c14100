/** Schedule of faults, drawn from the seed. */
import type { Chance } from "../../simulation/world/Chance.ts"
import type { FaultKind } from "./Fault.ts"
import {
  backendsTerminated,
  connectionsRunOut,
  databaseKilled,
  databaseRestarted,
  diskFull,
  rowsLocked,
  tableLocked
} from "./DatabaseFaults.ts"
import { clockShifted, instanceKilled, instancePaused } from "./InstanceFaults.ts"
import {
  callbacksCut,
  databaseCut,
  databaseSilent,
  databaseSlow,
  providersCut,
  providersSilent,
  providersSlow
} from "./NetworkFaults.ts"

export const allKinds: ReadonlyArray<FaultKind> = [
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
  readonly kind: FaultKind
  /** Pause before it begins, in milliseconds. */
  readonly after: number
  readonly lasts: number
  /** The next fault begins while this one lasts. */
  readonly overlaps: boolean
}

/** Every kind comes once before any comes twice. */
const nthKind = (kinds: ReadonlyArray<FaultKind>, chance: Chance, nth: number): FaultKind => {
  const round = Math.floor(nth / kinds.length)
  const drawn = kinds.map((kind) => ({ kind, corridor: chance.below(2 ** 30, `round ${round} ${kind.name}`) }))
  return drawn.toSorted((a, b) => a.corridor - b.corridor)[nth % kinds.length]!.kind
}

export const nthFault = (kinds: ReadonlyArray<FaultKind>, chance: Chance, number: number): Planned => {
  const kind = nthKind(kinds, chance, number)
  return {
    number,
    kind,
    after: chance.between(500, 2_000, `fault ${number} after`),
    lasts: chance.between(kind.lasts[0], kind.lasts[1], `fault ${number} lasts`),
    overlaps: kind.staysAlone !== true && chance.happens(0.15, `fault ${number} is not alone`)
  }
}
