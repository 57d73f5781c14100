/**
 * Who gets the room that a worker has left. Organisations share it first: none may hold more than its part of what
 * stays free, so that whoever comes next finds room, and those that keep their slots for long share a part of it.
 */
import type { OrgId } from "../../domain/Identifiers.ts"
import {
  webhookConcurrency,
  webhookShare,
  webhookSlowConcurrency,
  webhookUnknownConcurrency
} from "../../domain/policies/Webhooks.ts"

/** How an organisation's receivers answered lately: soon, late or not at all, or nobody has asked them yet. */
export type Standing = "prompt" | "unknown" | "slow"

/** What an organisation has under way. */
export interface Load {
  readonly org_id: OrgId
  readonly standing: Standing
  readonly sending: number
  /** Of them, to endpoints whose last attempt failed. */
  readonly failing: number
}

export interface Waiting extends Load {
  /** It had nothing to give when it was last asked; others come first. */
  readonly barren: boolean
}

/** How many deliveries an organisation may begin, and how many of those at endpoints whose last attempt failed. */
export interface Share {
  readonly org_id: OrgId
  readonly room: number
  readonly failingRoom: number
}

const sum = (loads: ReadonlyArray<Load>, ...standings: ReadonlyArray<Standing>): number =>
  loads.reduce((total, { sending, standing }) => (standings.includes(standing) ? total + sending : total), 0)

const makeRoom = (loads: ReadonlyArray<Load>) => {
  let all = webhookConcurrency - sum(loads, "prompt", "unknown", "slow")
  let unknown = webhookUnknownConcurrency - sum(loads, "unknown", "slow")
  let slow = webhookSlowConcurrency - sum(loads, "slow")
  return {
    for: (standing: Standing): number => {
      if (standing === "prompt") return all
      return standing === "unknown" ? Math.min(all, unknown) : Math.min(all, unknown, slow)
    },
    take: (standing: Standing): void => {
      all -= 1
      if (standing !== "prompt") unknown -= 1
      if (standing === "slow") slow -= 1
    }
  }
}

/** Whoever may have another one, and what that makes of its part so far. */
interface Candidate {
  readonly one: Waiting
  held: number
}

const ranks: Readonly<Record<Standing, number>> = { prompt: 0, unknown: 1, slow: 2 }

const before = (a: Candidate, b: Candidate): boolean => {
  if (a.one.barren !== b.one.barren) return b.one.barren
  return a.held === b.held ? ranks[a.one.standing] < ranks[b.one.standing] : a.held < b.held
}

/**
 * `loads` are all that have something under way, `waiting` those with something due, in the order of their lots. One
 * slot at a time goes to whoever holds fewest, and of those to whoever answers soonest; at most `most` of them.
 */
export const shareOut = (
  loads: ReadonlyArray<Load>,
  waiting: ReadonlyArray<Waiting>,
  most: number
): ReadonlyArray<Share> => {
  const room = makeRoom(loads)
  const candidates = waiting.map((one): Candidate => ({ one, held: one.sending }))
  let left: ReadonlyArray<Candidate> = candidates
  for (let given = 0; given < most; given += 1) {
    // What is free only shrinks, and what one holds only grows: whoever may have no more is out.
    left = left.filter(({ held, one }) => held * webhookShare < room.for(one.standing))
    const [first] = left
    if (first === undefined) break
    const next = left.reduce((best, other) => (before(other, best) ? other : best), first)
    next.held += 1
    room.take(next.one.standing)
  }
  return candidates.flatMap(({ held, one: { failing, org_id, sending } }) =>
    held === sending
      ? []
      : [{ org_id, room: held - sending, failingRoom: Math.max(0, Math.max(1, Math.trunc(held / 2)) - failing) }]
  )
}
