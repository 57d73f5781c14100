/** Any sequence of movements ends the same in memory, in PostgreSQL and in plain arithmetic. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, type Layer, ManagedRuntime } from "effect"
import * as fc from "fast-check"
import { afterAll } from "vitest"
import type { AccountId } from "../../../src/domain/Ids.ts"
import { type Backend, backends } from "../../support/OnBothStores.ts"
import { testServer } from "../../support/TestServer.ts"
import { expectBooksInOrder, type Bank, makeBank } from "./AccountFixtures.ts"

const account = fc.integer({ min: 0, max: 2 })
const amount = fc.integer({ min: 1, max: 60 })

const step = fc.oneof(
  fc.record({ do: fc.constant("deposit" as const), account, amount }),
  fc.record({ do: fc.constant("withdraw" as const), account, amount }),
  fc.record({ do: fc.constant("transfer" as const), account, to: account, amount }),
  fc.record({ do: fc.constant("freeze" as const), account }),
  fc.record({ do: fc.constant("unfreeze" as const), account })
)

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface Expected {
  readonly balances: Array<number>
  readonly frozen: Array<boolean>
}

/** Expected balances in plain arithmetic, and whether the movement is allowed. */
const counted = ({ balances, frozen }: Expected, one: Step): boolean => {
  const at = one.account
  if (one.do === "freeze" || one.do === "unfreeze") {
    frozen[at] = one.do === "freeze"
    return true
  }
  if (one.do === "deposit") {
    balances[at]! += one.amount
    return true
  }
  if (one.do === "transfer" && one.to === at) return false
  if (frozen[at] === true || balances[at]! < one.amount) return false
  balances[at]! -= one.amount
  if (one.do === "transfer") balances[one.to]! += one.amount
  return true
}

const done = (bank: Bank, ids: ReadonlyArray<AccountId>, one: Step): Effect.Effect<unknown, unknown> => {
  const id = ids[one.account]!
  switch (one.do) {
    case "deposit":
      return bank.deposit(id, one.amount)
    case "withdraw":
      return bank.withdraw(id, one.amount)
    case "transfer":
      return bank.transfer(id, ids[one.to]!, one.amount)
    case "freeze":
      return bank.freeze(id)
    case "unfreeze":
      return bank.unfreeze(id)
  }
}

const played = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const bank = yield* makeBank
    const ids = yield* Effect.replicateEffect(bank.open(0), 3)
    const allowed = yield* Effect.forEach(steps, (one) =>
      Effect.map(Effect.either(done(bank, ids, one)), Either.isRight)
    )
    const balances = yield* Effect.forEach(ids, bank.balance)
    yield* expectBooksInOrder
    return { allowed, balances }
  })

describe("A sequence of movements", () => {
  const runtimes = new Map(backends.map((backend: Backend) => [backend, ManagedRuntime.make(testServer(backend))]))
  type Services = Layer.Layer.Success<ReturnType<typeof testServer>>
  const on = <A>(backend: Backend, effect: Effect.Effect<A, unknown, Services>) =>
    runtimes.get(backend)!.runPromise(effect)

  afterAll(() => Promise.all(Array.from(runtimes.values(), (runtime) => runtime.dispose())))

  it("ends as it should, on both stores", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
        const expected: Expected = { balances: [0, 0, 0], frozen: [false, false, false] }
        const allowed = steps.map((one) => counted(expected, one))
        const ends = { allowed, balances: expected.balances.map((units) => `${units}.00`) }
        for (const backend of backends) expect(await on(backend, played(steps)), backend).toEqual(ends)
      }),
      { numRuns: 25 }
    )
  })
})
