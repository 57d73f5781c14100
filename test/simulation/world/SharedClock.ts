/**
 * The stores as PostgreSQL has them: whatever clock the caller has, theirs is that of the database. While every clock is right
 * there is nothing to set, which is most of the time.
 */
import { type Clock, Context, Effect } from "effect"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"

type Service = Readonly<Record<string, unknown>>

/** The right clock, and whether anybody's is wrong at the moment. */
export interface Right {
  readonly clock: Clock.Clock
  readonly isNeeded: () => boolean
}

const timed = (value: unknown, clock: Clock.Clock): unknown =>
  Effect.isEffect(value) ? Effect.withClock(value as Effect.Effect<unknown>, clock) : value

const onClock = (service: Service, { clock, isNeeded }: Right): Service =>
  Object.fromEntries(
    Object.entries(service).map(([name, member]) => {
      if (typeof member === "function") {
        const act = member as (...all: ReadonlyArray<unknown>) => unknown
        return [name, (...given: ReadonlyArray<unknown>) => (isNeeded() ? timed(act(...given), clock) : act(...given))]
      }
      if (!Effect.isEffect(member)) return [name, member]
      const effect = member as Effect.Effect<unknown>
      return [name, Effect.suspend(() => (isNeeded() ? Effect.withClock(effect, clock) : effect))]
    })
  )

/** What runs inside of a transaction is its caller's, and so is its time. */
const exempt: ReadonlySet<string> = new Set([Transactor.key, MemoryDatabase.key])

export const withSharedClock = <A>(stores: Context.Context<A>, right: Right): Context.Context<A> =>
  Context.unsafeMake(
    new Map(
      Array.from(stores.unsafeMap, ([key, service]) => [
        key,
        exempt.has(key) || typeof service !== "object" || service === null
          ? service
          : onClock(service as Service, right)
      ])
    )
  )
