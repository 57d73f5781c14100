/** Concurrency limits: calls of one organisation or purpose, many or hanging, never take the places of another. */
import { expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Either, Fiber } from "effect"
import * as fc from "fast-check"
import { describe } from "vitest"
import { OrgId } from "../../../src/domain/Ids.ts"
import {
  caller,
  type Caller,
  type ConcurrencyLimit,
  makeConcurrencyLimit,
  type Purpose,
  type ConcurrencyLimits
} from "../../../src/providers/client/ConcurrencyLimit.ts"

const orgs = [1, 2, 3].map((n) => OrgId.make(`01900000-0000-7000-8000-00000000000${n}`))
const [acme, globex] = orgs as [OrgId, OrgId]
const purposes: ReadonlyArray<Purpose> = ["order", "question", "proof"]

const by = (orgId: OrgId | null, purpose: Purpose = "order"): Caller => ({ orgId, purpose })

interface Begun {
  readonly who: Caller
  readonly begun: () => boolean
  readonly end: Effect.Effect<void>
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
}

/** Calls that last until the test ends them. */
const calling = (calls: ConcurrencyLimit, who: Caller, log: Array<Caller> = []) =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    let begun = false
    const call = Effect.suspend(() => {
      begun = true
      log.push(who)
      return Deferred.await(gate)
    })
    const fiber = yield* Effect.fork(Effect.either(Effect.locally(calls.within(call), caller, who)))
    yield* Effect.yieldNow()
    yield* Effect.yieldNow()
    const one: Begun = {
      who,
      begun: () => begun,
      end: Effect.zipRight(Deferred.succeed(gate, undefined), Effect.asVoid(Fiber.await(fiber))),
      fiber
    }
    return one
  })

const several = (calls: ConcurrencyLimit, many: number, who: Caller, log?: Array<Caller>) =>
  Effect.replicateEffect(calling(calls, who, log), many)

const many = (all: ReadonlyArray<Begun>) => all.filter(({ begun }) => begun()).length

/** Waits longer than the test looks, so that no call gives up. */
const patient = (room: Partial<ConcurrencyLimits> = {}) =>
  makeConcurrencyLimit({
    concurrency: 16,
    reserved: 2,
    share: 0.5,
    waiting: 20,
    patience: Duration.seconds(30),
    ...room
  })

describe("room at a provider", () => {
  it.effect("is left for the next organisation by one whose calls hang", () =>
    Effect.gen(function* () {
      const calls = patient()
      const flood = yield* several(calls, 30, by(acme))
      expect(many(flood), "of twelve that orders may have").toBe(8)
      const second = yield* several(calls, 30, by(globex))
      expect(many(second)).toBeGreaterThan(0)
      expect((yield* calling(calls, by(orgs[2]!))).begun()).toBe(true)
    })
  )

  it.effect.each(purposes)("is never taken from %s by the other purposes", (purpose) =>
    Effect.gen(function* () {
      const calls = patient()
      for (const other of purposes) {
        if (other === purpose) continue
        for (const orgId of orgs) yield* several(calls, 20, by(orgId, other))
      }
      const own = yield* several(calls, 2, by(acme, purpose))
      expect(many(own)).toBe(2)
    })
  )

  it.effect("goes to the organisation with the fewest calls, and then to the call that waits longest", () =>
    Effect.gen(function* () {
      const calls = patient({ concurrency: 4, reserved: 0, share: 0 })
      const log: Array<Caller> = []
      const first = yield* several(calls, 10, by(acme), log)
      yield* several(calls, 4, by(globex), log)
      log.length = 0
      for (const one of first.slice(0, 4)) yield* one.end
      expect(log.map(({ orgId }) => orgId)).toEqual([globex, globex, acme, acme])
    })
  )

  it.effect("in a full queue is made for an organisation with fewer calls in it", () =>
    Effect.gen(function* () {
      const calls = patient({ concurrency: 1, reserved: 0, waiting: 4 })
      const flood = yield* several(calls, 6, by(acme))
      expect(yield* Fiber.join(flood[5]!.fiber), "the queue is full").toMatchObject({ left: { _tag: "NeverSent" } })
      const other = yield* calling(calls, by(globex))
      expect(yield* Fiber.join(flood[4]!.fiber), "the last of those who have most").toMatchObject({
        left: { _tag: "NeverSent" }
      })
      yield* flood[0]!.end
      expect([other.begun(), flood[1]!.begun()], "both have none under way, and the other waits longer").toEqual([
        false,
        true
      ])
      yield* flood[1]!.end
      yield* flood[2]!.end
      yield* flood[3]!.end
      expect(other.begun()).toBe(true)
    })
  )

  it.live("is not waited for in vain for long", () =>
    Effect.gen(function* () {
      const calls = patient({ concurrency: 1, reserved: 0, patience: Duration.millis(50) })
      yield* calling(calls, by(acme))
      const waiting = yield* calling(calls, by(globex))
      const ended = (yield* Fiber.join(waiting.fiber)) as Either.Either<unknown, unknown>
      expect(Either.getLeft(ended)).toMatchObject({ value: { _tag: "NeverSent" } })
    })
  )

  it.effect("is all given back, whatever begins, ends and is called away", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({
              does: fc.constantFrom("begin" as const, "end" as const, "interrupt" as const),
              orgId: fc.constantFrom(...orgs, null),
              purpose: fc.constantFrom(...purposes),
              which: fc.nat({ max: 40 })
            }),
            { maxLength: 60 }
          ),
          (steps) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const calls = patient({ concurrency: 8, reserved: 1, waiting: 6 })
                let open: ReadonlyArray<Begun> = []
                for (const { does, orgId, purpose, which } of steps) {
                  const one = open[which % Math.max(1, open.length)]
                  if (does === "begin") open = [...open, yield* calling(calls, { orgId, purpose })]
                  else if (one !== undefined) {
                    open = open.filter((other) => other !== one)
                    yield* does === "end" && one.begun() ? one.end : Fiber.interrupt(one.fiber)
                  }
                  yield* Effect.yieldNow()
                  expect(many(open)).toBeLessThanOrEqual(8)
                  for (const each of purposes) {
                    const mine = open.filter(({ who }) => who.purpose === each)
                    const isWaiting = mine.some(({ begun, fiber }) => !begun() && fiber.unsafePoll() === null)
                    expect(isWaiting && many(mine) === 0, "waits though its own place is free").toBe(false)
                  }
                }
                yield* Effect.forEach(open, ({ fiber }) => Fiber.interrupt(fiber))
                const all = yield* several(calls, 8, by(acme))
                expect(many(all), "of six that orders may have").toBe(4)
                yield* Effect.forEach(all, ({ fiber }) => Fiber.interrupt(fiber))
              })
            )
        ),
        { numRuns: 150 }
      )
    )
  )
})
