/** Random postings: memory and PostgreSQL refuse the same ones, end with equal balances, and sum to zero. */
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import { type OrgId, Ids } from "../../../src/domain/Ids.ts"
import * as fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { InsufficientFunds } from "../../../src/domain/Failure.ts"
import type { Stored } from "../../../src/platform/database/DatabaseFailure.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { type Entry, LedgerAccount, move } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import type { AnyId } from "../../support/AnyId.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { storesOn } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { code, entryOf } from "./Entries.ts"

const runtimeOn = (backend: "memory" | "PostgreSQL") =>
  ManagedRuntime.make(storesOn(backend).pipe(Layer.provideMerge(Ids.layer), Layer.provide(testSettings())))

type Books = ReturnType<typeof runtimeOn>

let both: readonly [memory: Books, postgres: Books]

beforeAll(() => {
  both = [runtimeOn("memory"), runtimeOn("PostgreSQL")]
})

afterAll(async () => {
  for (const books of both) await books.dispose()
})

const currencies = [code("KES"), "USDT"] as const

/** Accounts 0 to 4 are the organisation's own, the others the platform's. */
const accountsOf = (org: string, own: AnyId, currency: (typeof currencies)[number]) => [
  LedgerAccount.settlement(org, currency),
  LedgerAccount.held(org, currency),
  LedgerAccount.virtual(own, currency),
  LedgerAccount.escrow(own, currency),
  LedgerAccount.ramp(own, currency),
  LedgerAccount.provider("fiat", currency),
  LedgerAccount.fx(currency)
]

const index = (most: number) => fc.integer({ min: 0, max: most })

/** Often the platform's, which never runs out: about half of what is posted should go through. */
const payer = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(5, 6) }, { weight: 2, arbitrary: index(4) })

const step = fc.record({ from: payer, to: index(6), currency: index(1), minor: fc.bigInt(0n, 60n) })

/** Up to three entries of up to three moves, posted at once; or a limit, where 0 takes it away. */
const command = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ currency: index(1), limit: fc.bigInt(0n, 80n) }) }
)

const run = fc.record({ sandbox: fc.boolean(), commands: fc.array(command, { minLength: 1, maxLength: 25 }) })

it("holds for any sequence of entries and limits", async () => {
  let [refused, accepted] = [0, 0]

  const onBoth = async <A, E>(effect: Effect.Effect<A, E, LedgerStore | Transactor>) => {
    const [memory, postgres] = [await both[0].runPromise(effect), await both[1].runPromise(effect)]
    expect(memory).toEqual(postgres)
    return postgres
  }

  const outcome = <A, R>(effect: Stored<A, InsufficientFunds, R>) =>
    Effect.as(effect, "accepted").pipe(Effect.catchTag("InsufficientFunds", ({ account }) => Effect.succeed(account)))

  const post = (entries: ReadonlyArray<Entry>) => outcome(Effect.flatMap(LedgerStore, (store) => store.post(entries)))

  const setLimit = (org_id: OrgId, currency: (typeof currencies)[number], limit: bigint) =>
    outcome(
      Effect.gen(function* () {
        const store = yield* LedgerStore
        const { atomically } = yield* Transactor
        const credit_limit = limit === 0n ? null : new Money({ currency, minor: limit })
        return yield* atomically(store.setLimit({ org_id, currency, credit_limit }))
      })
    )

  await fc.assert(
    fc.asyncProperty(run, async ({ commands, sandbox }) => {
      const [org_id, own] = await both[0].runPromise(Effect.all([nextId, nextId]))
      for (const books of both) await books.runPromise(newOrganization({ org_id, sandbox }))
      const accounts = currencies.map((currency) => accountsOf(org_id, own, currency))
      for (const one of commands) {
        if (!Array.isArray(one)) {
          await onBoth(setLimit(org_id, currencies[one.currency]!, one.limit))
          continue
        }
        const entries = await both[0].runPromise(
          Effect.forEach(one, (steps) =>
            entryOf(
              org_id,
              steps.flatMap(({ currency, from, minor, to }) =>
                move(
                  accounts[currency]![from]!,
                  accounts[currency]![to]!,
                  new Money({ currency: currencies[currency]!, minor })
                )
              )
            )
          )
        )
        if ((await onBoth(post(entries))) === "accepted") accepted += 1
        else refused += 1
      }
      await onBoth(
        Effect.gen(function* () {
          const store = yield* LedgerStore
          // Rounding is checked on PostgreSQL only.
          const { problems, rounding: _rounding, ...counts } = yield* store.check
          expect(problems).toEqual([])
          const balances = yield* store.balances(accounts.flat())
          const floors = yield* store.balancesOf(Option.some(org_id))
          return { counts, balances, floors }
        })
      )
    }),
    { numRuns: 150 }
  )
  expect(accepted).toBeGreaterThan(100)
  expect(refused).toBeGreaterThan(100)
}, 120_000)
