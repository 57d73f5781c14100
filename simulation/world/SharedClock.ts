/** The stores as PostgreSQL has them: whatever clock the caller has, theirs is that of the database. */
import { type Clock, Context, Effect } from "effect"
import { Transactor } from "../../src/platform/database/Transactor.ts"
import { MemoryDatabase } from "../../src/platform/database/MemoryDatabase.ts"

type Service = Readonly<Record<string, unknown>>

const timed = (value: unknown, clock: Clock.Clock): unknown =>
  Effect.isEffect(value) ? Effect.withClock(value as Effect.Effect<unknown>, clock) : value

const onClock = (service: Service, clock: Clock.Clock): Service =>
  Object.fromEntries(
    Object.entries(service).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...given: ReadonlyArray<unknown>) =>
            timed((member as (...all: ReadonlyArray<unknown>) => unknown)(...given), clock)
        : timed(member, clock)
    ])
  )

/** What runs inside of a transaction is its caller's, and so is its time. */
const exempt: ReadonlySet<string> = new Set([Transactor.key, MemoryDatabase.key])

export const withSharedClock = <A>(stores: Context.Context<A>, clock: Clock.Clock): Context.Context<A> =>
  Context.unsafeMake(
    new Map(
      Array.from(stores.unsafeMap, ([key, service]) => [
        key,
        exempt.has(key) || typeof service !== "object" || service === null
          ? service
          : onClock(service as Service, clock)
      ])
    )
  )
