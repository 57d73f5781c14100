/**
 * Limits concurrent calls through one account, with a bounded queue and a queue timeout. Orders, enquiries and proofs
 * each have reserved places. An organisation's share shrinks as fewer places are free, so its hanging calls leave
 * places for others.
 */
import { Duration, Effect, FiberRef } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import {
  providerCallsReserved,
  providerCallsShare,
  providerConcurrency,
  providerCallsWaiting,
  providerQueuePatience
} from "../../domain/policies/ProviderPolicies.ts"
import { NeverSent } from "./ProviderHttp.ts"

/** `order`: it moves money. `question`: it asks what became of some. `proof`: it asks whether a callback is genuine. */
export type Purpose = "order" | "question" | "proof"

/** Purpose and organisation of a call; null: of no organisation. */
export interface Caller {
  readonly purpose: Purpose
  readonly orgId: OrgId | null
}

/** Set around every call of a provider, so that adapters need not pass it on. */
export const caller = FiberRef.unsafeMake<Caller>({ purpose: "question", orgId: null })

export interface ConcurrencyLimits {
  readonly concurrency: number
  /** Places that each purpose has, whatever the others do. */
  readonly reserved: number
  /** An organisation gets another place only while more than this many times what it has is free. */
  readonly share: number
  /** Of each purpose. */
  readonly waiting: number
  readonly patience: Duration.Duration
}

export interface ConcurrencyLimit {
  readonly within: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | NeverSent>
}

/** A call that waits for its turn, has a place, or is over. */
interface Call {
  readonly nth: number
  state: "waiting" | "under way" | "over"
  readonly begin: () => void
  readonly refuse: () => void
}

/** The calls of one organisation for one purpose. */
interface Party {
  readonly orgId: OrgId | null
  inFlight: number
  readonly waiting: Set<Call>
}

interface Line {
  inFlight: number
  waiting: number
  readonly parties: Map<OrgId | null, Party>
}

const usual: ConcurrencyLimits = {
  concurrency: providerConcurrency,
  reserved: providerCallsReserved,
  share: providerCallsShare,
  waiting: providerCallsWaiting,
  patience: providerQueuePatience
}

export const makeConcurrencyLimit = (room: Partial<ConcurrencyLimits> = {}): ConcurrencyLimit => {
  const { patience, reserved, share, concurrency: most, waiting: longest } = { ...usual, ...room }
  const noRoom = new NeverSent({
    reason: `${most} calls to it are in progress and ${longest} more wait`,
    crowded: true
  })
  const noTurn = new NeverSent({
    reason: `no turn among the calls to it within ${Duration.format(patience)}`,
    crowded: true
  })
  const newLine = (): Line => ({ inFlight: 0, waiting: 0, parties: new Map() })
  const lines: Record<Purpose, Line> = { order: newLine(), question: newLine(), proof: newLine() }
  const all = Object.values(lines)
  let arrivals = 0

  const partyOf = ({ parties }: Line, orgId: OrgId | null): Party => {
    const party = parties.get(orgId) ?? { orgId, inFlight: 0, waiting: new Set() }
    parties.set(orgId, party)
    return party
  }

  /** Free places for this purpose, without those reserved for the others. */
  const freeFor = (line: Line): number =>
    all.reduce((free, one) => free - (one === line ? one.inFlight : Math.max(one.inFlight, reserved)), most)

  const mayBegin = (line: Line, { inFlight }: Party): boolean => inFlight * share < freeFor(line)

  const move = (line: Line, party: Party, call: Call, to: Call["state"]) => {
    if (call.state === "waiting" && party.waiting.delete(call)) line.waiting -= 1
    const change = Number(to === "under way") - Number(call.state === "under way")
    line.inFlight += change
    party.inFlight += change
    call.state = to
    const isIdle = party.inFlight === 0 && party.waiting.size === 0
    if (isIdle && line.parties.get(party.orgId) === party) line.parties.delete(party.orgId)
  }

  /** The call of the organisation with the fewest running calls; ties go to the longest wait. */
  const next = (): Call | undefined => {
    let chosen: { readonly inFlight: number; readonly call: Call } | undefined
    for (const line of all) {
      for (const party of line.parties.values()) {
        const [call] = party.waiting
        if (call === undefined || !mayBegin(line, party)) continue
        const { inFlight } = party
        const ahead = chosen === undefined ? 1 : chosen.inFlight - inFlight || chosen.call.nth - call.nth
        if (ahead > 0) chosen = { inFlight, call }
      }
    }
    return chosen?.call
  }

  /** In a full queue, drops the last call of the organisation with the most waiting calls, if the caller has fewer. */
  const hasRoom = (line: Line, party: Party): boolean => {
    if (line.waiting < longest) return true
    const largest = Array.from(line.parties.values()).reduce((a, b) => (b.waiting.size > a.waiting.size ? b : a), party)
    if (largest.waiting.size <= party.waiting.size + 1) return false
    Array.from(largest.waiting).at(-1)?.refuse()
    return true
  }

  const enter = ({ orgId, purpose }: Caller): Effect.Effect<{ readonly leave: Effect.Effect<void> }, NeverSent> =>
    Effect.async((resume) => {
      const line = lines[purpose]
      const party = partyOf(line, orgId)
      const isNext = party.waiting.size === 0 && mayBegin(line, party)
      let timer: NodeJS.Timeout | undefined
      const end = (state: Call["state"]) => {
        clearTimeout(timer)
        move(line, party, call, state)
      }
      const leave = Effect.sync(() => {
        end("over")
        for (let one = next(); one !== undefined; one = next()) one.begin()
      })
      const refuse = (reason: NeverSent) => {
        end("over")
        resume(reason)
      }
      const begin = () => {
        end("under way")
        resume(Effect.succeed({ leave }))
      }
      const call: Call = { nth: (arrivals += 1), state: "waiting", begin, refuse: () => refuse(noRoom) }
      if (isNext) begin()
      else if (!hasRoom(line, party)) refuse(noRoom)
      else {
        party.waiting.add(call)
        line.waiting += 1
        timer = setTimeout(() => refuse(noTurn), Duration.toMillis(patience))
      }
      // Interruption frees the place, also when it comes just as the place was given.
      return leave
    })

  return {
    within: (call) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(FiberRef.get(caller), (who) =>
          Effect.flatMap(restore(enter(who)), ({ leave }) => Effect.ensuring(restore(call), leave))
        )
      )
  }
}
