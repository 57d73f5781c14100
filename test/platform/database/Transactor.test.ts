import { expect } from "@effect/vitest"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { SecretStore } from "../../../src/platform/secrets/Secrets.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { idFrom, nilId } from "../../support/AnyId.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { newUser } from "../../support/StoreFixtures.ts"

class Refused extends Data.TaggedError("Refused")<{ readonly why: string }> {}

const put = (name: string) => Effect.flatMap(SecretStore, (store) => store.putIfAbsent({ name, sealed: name }))
const isKept = (name: string) => Effect.flatMap(SecretStore, (store) => Effect.map(store.find(name), Option.isSome))

onBothStores("Transactor", (it) => {
  it.effect("keeps everything of an effect that succeeds, and answers with its result", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      expect(yield* atomically(Effect.as(Effect.all([put("a1"), put("a2")]), 42))).toBe(42)
      expect([yield* isKept("a1"), yield* isKept("a2")]).toEqual([true, true])
    })
  )

  it.effect("keeps nothing of one that fails, in any store, and lets its error through", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      let userId = nilId
      const failing = Effect.gen(function* () {
        yield* put("b")
        userId = idFrom((yield* newUser()).user_id)
        return yield* new Refused({ why: "enough" })
      })
      const error = yield* Effect.flip(atomically(failing))
      expect(error).toEqual(new Refused({ why: "enough" }))
      expect(yield* isKept("b")).toBe(false)
      expect(yield* Effect.flatMap(UserStore, (users) => users.find(userId))).toEqual(Option.none())
    })
  )

  it.effect("keeps nothing of one that dies", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const exit = yield* Effect.exit(atomically(Effect.zipRight(put("c"), Effect.die("a bug"))))
      expect(Exit.isFailure(exit) && Array.from(Cause.defects(exit.cause))).toEqual(["a bug"])
      expect(yield* isKept("c")).toBe(false)
    })
  )

  it.effect("keeps nothing of one that is interrupted", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const reached = yield* Deferred.make<void>()
      const waiting = put("d").pipe(
        Effect.zipRight(Deferred.succeed(reached, undefined)),
        Effect.zipRight(Effect.never)
      )
      const fiber = yield* Effect.fork(atomically(waiting))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(fiber)
      expect(yield* isKept("d")).toBe(false)
    })
  )

  it.effect("undoes a nested failure alone when the outer effect goes on", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const inner = atomically(Effect.zipRight(put("e inner"), new Refused({ why: "inner" })))
      const outer = Effect.gen(function* () {
        yield* put("e before")
        yield* Effect.flip(inner)
        yield* put("e after")
      })
      yield* atomically(outer)
      const kept = yield* Effect.all([isKept("e before"), isKept("e inner"), isKept("e after")])
      expect(kept).toEqual([true, false, true])
    })
  )

  it.effect("undoes a nested success when the outer effect fails", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      yield* Effect.flip(atomically(Effect.zipRight(atomically(put("f")), new Refused({ why: "outer" }))))
      expect(yield* isKept("f")).toBe(false)
    })
  )

  it.effect("lets one of forty transactions that want the same name do the work", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      const store = yield* SecretStore
      let worked = 0
      const attempt = (n: number) =>
        atomically(
          Effect.map(store.putIfAbsent({ name: "g", sealed: `g ${n}` }), (kept) => {
            if (kept === `g ${n}`) worked++
          })
        )
      yield* Effect.all(
        Array.from({ length: 40 }, (_, n) => attempt(n)),
        { concurrency: "unbounded" }
      )
      expect(worked).toBe(1)
    })
  )
})
