/** Callers at work: each does one thing after the other until the run is over. */
import { setTimeout as pause } from "node:timers/promises"
import type { Asking } from "./Ask.ts"
import { type Doing, operate } from "./Operations.ts"
import type { Organisation } from "./Society.ts"

export interface Crowd {
  readonly callers: number
  /** Between two operations of one caller. */
  readonly restMillis: number
}

export const work = async (
  asking: Asking,
  organisations: ReadonlyArray<Organisation>,
  { callers, restMillis }: Crowd,
  isOver: () => boolean
): Promise<void> => {
  const payins = new Map<string, Doing["payins"]>(organisations.map(({ orgId }) => [orgId, []]))
  const caller = async (number: number): Promise<void> => {
    for (let nth = 1; !isOver(); nth++) {
      const organisation = organisations[(number + nth) % organisations.length]!
      const key = `caller-${number}-${nth}`
      await operate({ ...asking, organisation, key, payins: payins.get(organisation.orgId)! })
      await pause(restMillis)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at + 1)))
}
