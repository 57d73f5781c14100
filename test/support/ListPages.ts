/** Contract of every list of every store: newest first, each row on exactly one page. */
import { expect } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import type { Stored } from "../../src/platform/database/DatabaseFailure.ts"
import { Transactor } from "../../src/platform/database/Transactor.ts"
import type { Position, Window } from "../../src/platform/database/Query.ts"

interface Dated {
  readonly created_at: Date
}

const frozen = (clock: Clock.Clock): Clock.Clock => {
  const millis = clock.unsafeCurrentTimeMillis()
  const nanos = BigInt(millis) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => millis,
    unsafeCurrentTimeNanos: () => nanos,
    currentTimeMillis: Effect.succeed(millis),
    currentTimeNanos: Effect.succeed(nanos),
    sleep: (duration) => clock.sleep(duration)
  }
}

const nextMoment = Effect.flatMap(Clock.currentTimeMillis, (now) =>
  Effect.repeat(Effect.zipRight(Effect.sleep("1 millis"), Clock.currentTimeMillis), {
    until: (later) => later > now + 1
  })
)

/** Rows of one transaction have the same time; later rows have a later one. */
export const atOneMoment = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transactor, ({ atomically }) =>
    Effect.clockWith((clock) => Effect.withClock(atomically(effect), frozen(clock)))
  ).pipe(Effect.zipLeft(nextMoment))

export const everything: Window = { after: Option.none(), take: 1000 }

const walk = <Row extends Dated, R>(
  list: (window: Window) => Stored<ReadonlyArray<Row>, never, R>,
  idOf: (row: Row) => string,
  take: number
) =>
  Effect.gen(function* () {
    const seen: Array<Row> = []
    let after = Option.none<Position>()
    while (true) {
      const rows: ReadonlyArray<Row> = yield* list({ after, take })
      expect(rows.length).toBeLessThanOrEqual(take)
      seen.push(...rows)
      const last = rows.at(-1)
      if (last === undefined) return seen.map(idOf)
      after = Option.some([last.created_at.toISOString(), idOf(last)])
    }
  })

/** `made`: the expected rows, in any order. */
export const expectWindows = <Row extends Dated, R>(
  made: ReadonlyArray<Row>,
  list: (window: Window) => Stored<ReadonlyArray<Row>, never, R>,
  idOf: (row: Row) => string
) =>
  Effect.gen(function* () {
    const times = new Set(made.map((row) => row.created_at.getTime()))
    expect(times.size, "the rows must share some times, and not all").toBeLessThan(made.length)
    expect(times.size).toBeGreaterThan(1)
    const key = (row: Row) => `${row.created_at.toISOString()} ${idOf(row)}`
    const expected = made.toSorted((a, b) => (key(a) < key(b) ? 1 : -1)).map(idOf)
    expect((yield* list(everything)).map(idOf)).toEqual(expected)
    for (const take of [1, 2, 3, made.length]) expect(yield* walk(list, idOf, take)).toEqual(expected)
  })
