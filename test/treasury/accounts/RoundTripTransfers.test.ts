/** Round trips through currencies never gain money, in any order of transfers. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, ManagedRuntime, Option } from "effect"
import * as fc from "fast-check"
import { afterAll } from "vitest"
import { AccountMovements } from "../../../src/treasury/accounts/AccountMovements.ts"
import { VirtualAccounts } from "../../../src/treasury/accounts/VirtualAccounts.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Rates } from "../../../src/money/rates/Rates.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { people } from "../../support/TestCredentials.ts"
import { testServer } from "../../support/TestServer.ts"
import { expectBooksInOrder } from "./AccountFixtures.ts"

/** With two, no and three fraction digits, of very different worth. */
const codes = ["NGN", "GBP", "UGX", "KES", "KWD", "USD"].map((code) => CurrencyCode.make(code))

const currency = fc.constantFrom(...codes)

const walks = fc.record({
  start: currency,
  minor: fc.oneof(fc.bigInt(1n, 3_000n), fc.bigInt(1n, 100_000_000n)),
  way: fc.array(currency, { minLength: 1, maxLength: 5 }),
  /** Each stretch is walked in so many parts. */
  parts: fc.integer({ min: 1, max: 3 }),
  loops: fc.integer({ min: 1, max: 4 })
})

type Walk = typeof walks extends fc.Arbitrary<infer W> ? W : never

const traveller = Effect.gen(function* () {
  const accounts = yield* VirtualAccounts
  const movements = yield* AccountMovements
  const rates = yield* Rates
  const { acme } = yield* people
  const { org_id } = acme
  const user_id = acme.userId("org-admin")
  const permit = operatorPermit("accounts", user_id, Option.some(org_id))
  const looker = operatorPermit("any", user_id, Option.some(org_id))
  const open = new Map(
    yield* Effect.forEach(codes, (code) =>
      Effect.map(accounts.create(permit, { org_id, user_id, currency: code }), (one) => [code, one.account_id] as const)
    )
  )
  const idOf = (code: CurrencyCode) => open.get(code)!
  const balance = (code: CurrencyCode) => Effect.map(accounts.get(permit, idOf(code)), (one) => one.balance)
  const lock = (from: CurrencyCode, to: CurrencyCode) =>
    Effect.map(rates.lookUp(looker, { from, to, amount: Option.none() }), ({ orgRateId }) => orgRateId)

  /** Leaves an amount where it is if it is worth nothing on the other side. */
  const cross = Effect.fnUntraced(function* (from: CurrencyCode, to: CurrencyCode, parts: number) {
    if (from === to) return
    const all = yield* balance(from)
    const size = all.minor / BigInt(parts)
    for (let n = 0; n < parts; n++) {
      const minor = n === parts - 1 ? all.minor - size * BigInt(parts - 1) : size
      if (minor === 0n) continue
      const amount = new Money({ currency: from, minor }).toDecimal()
      const org_rate_id = yield* lock(from, to)
      const asked = { from_account_id: idOf(from), to_account_id: idOf(to), amount, org_rate_id }
      yield* Effect.either(movements.transfer(permit, asked))
    }
  })

  return {
    walk: Effect.fnUntraced(function* ({ loops, minor, parts, start, way }: Walk) {
      yield* movements.simulateDeposit(permit, idOf(start), {
        amount: new Money({ currency: start, minor }).toDecimal()
      })
      const before = (yield* balance(start)).minor
      for (let n = 0; n < loops; n++) {
        const stops = [start, ...way, start]
        for (let at = 1; at < stops.length; at++) yield* cross(stops[at - 1]!, stops[at]!, parts)
      }
      return { before, after: (yield* balance(start)).minor }
    })
  }
})

const runtime = ManagedRuntime.make(testServer("memory"))
afterAll(() => runtime.dispose())

const dinars = [
  { from_currency: "KWD", to_currency: "USD", rate: "3.25" },
  { from_currency: "USD", to_currency: "KWD", rate: "0.307692307692" }
]

describe("A walk through currencies", () => {
  it("never ends with more than it began with", async () => {
    await runtime.runPromise(Effect.flatMap(RateStore, (store) => store.set(dinars)))
    await fc.assert(
      fc.asyncProperty(walks, async (walk) => {
        const walked = await runtime.runPromise(Effect.flatMap(traveller, (one) => one.walk(walk)))
        expect(walked.after <= walked.before, `${walked.before} became ${walked.after}`).toBe(true)
      }),
      { numRuns: 60 }
    )
    await runtime.runPromise(expectBooksInOrder)
  })
})
