import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { ask, balanceOf, dataOf, deposit, expectBooksInOrder, transactionsOf } from "../accounts/AccountFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import type { Answer } from "../../support/Send.ts"
import { onServer } from "../../support/TestServer.ts"
import {
  act,
  create,
  draft,
  type Escrow,
  escrowOf,
  fund,
  milestonePath,
  newAccount,
  newEscrow,
  impatient
} from "./EscrowFixtures.ts"

const together = { concurrency: "unbounded" } as const

const statusesOf = (answers: ReadonlyArray<Answer>) => answers.map(({ status }) => status).toSorted()

const held = ({ escrow_id }: Escrow) =>
  Effect.flatMap(LedgerStore, (ledger) =>
    Effect.map(ledger.balance(LedgerAccount.escrow(escrow_id, CurrencyCode.make("KES"))), ({ minor }) => minor)
  )

onServer("Escrows under contention", "PostgreSQL", impatient, (it) => {
  it.effect("pay a milestone once, however many ask for it at one moment", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const account = yield* newAccount()
      const parties = [{ name: "Builder", account_id: account }, { name: "Surveyor" }]
      const made = yield* newEscrow(300.01, { parties })
      yield* fund(acme.key, made, 300.01)
      const asked = Array.from({ length: 10 }, () => act(acme.key, made, milestonePath(made, 0, "disburse")))
      const answers = yield* Effect.all(asked, together)
      expect(statusesOf(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
      expect(yield* balanceOf(acme.key, account)).toBe(66.61)
      expect(yield* transactionsOf(acme.key, account)).toHaveLength(1)
      const after = yield* escrowOf(acme.key, made)
      expect(after).toMatchObject({ disbursed_amount: 100.01, status: "active" })
      expect(after.parties.map(({ balance }) => balance)).toEqual([0, 33.4])
      expect(yield* held(made)).toBe(20_000n)
      yield* expectBooksInOrder
    })
  )

  it.effect("take no more than their total from many who fund at one moment", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* newEscrow(1000)
      const answers = yield* Effect.all(
        Array.from({ length: 12 }, () => act(acme.key, made, "/fund", { amount: 100 })),
        together
      )
      expect(statusesOf(answers)).toEqual([200, 200, 200, ...Array.from({ length: 9 }, () => 400)])
      expect(yield* balanceOf(acme.key, made.account_id)).toBe(700)
      expect(yield* held(made)).toBe(30_000n)
      yield* expectBooksInOrder
    })
  )

  it.effect("move money once for one key, however many send it at one moment", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* newEscrow(1000)
      const once = act(acme.key, made, "/fund", { amount: 10 }, { "idempotency-key": "together" })
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => once),
        together
      )
      for (const { status } of answers) expect([200, 409]).toContain(status)
      expect(statusesOf(answers)[0]).toBe(200)
      const replayed = yield* once
      expect(dataOf<Escrow>(replayed)).toMatchObject({ funded_amount: 10 })
      expect(yield* balanceOf(acme.key, made.account_id)).toBe(990)
    })
  )

  it.effect("end empty when a cancellation races those who fund and disburse", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (let round = 0; round < 5; round++) {
        const made = yield* newEscrow(1000)
        yield* fund(acme.key, made, 100.01)
        const steps = [
          ...Array.from({ length: 4 }, () => act(acme.key, made, "/fund", { amount: 20 })),
          act(acme.key, made, "/cancel"),
          act(acme.key, made, milestonePath(made, 0, "disburse")),
          ...Array.from({ length: 4 }, () => act(acme.key, made, "/fund", { amount: 25 })),
          act(acme.key, made, "/cancel")
        ]
        const answers = yield* Effect.all(steps, together)
        for (const { status, text } of answers) expect([200, 409], text).toContain(status)
        const [first, second] = [answers[4]!, answers[10]!]
        expect(statusesOf([first, second])).toEqual([200, 409])
        const after = yield* escrowOf(acme.key, made)
        expect(after.status).toBe("canceled")
        expect(after.funded_amount).toBe(after.disbursed_amount)
        expect([0, 100.01]).toContain(after.disbursed_amount)
        expect(yield* held(made)).toBe(0n)
        expect(yield* balanceOf(acme.key, made.account_id)).toBe(after.disbursed_amount === 0 ? 1000 : 899.99)
      }
      yield* expectBooksInOrder
    })
  )

  it.effect("never stop each other when their money crosses", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const [left, right] = [yield* newAccount(), yield* newAccount()]
      for (const account of [left, right]) yield* deposit(acme.key, account, 10_000)
      const crossing = (from: string, to: string) =>
        create(
          acme.key,
          draft(from, {
            parties: [
              { name: "Builder", account_id: to },
              { name: "Surveyor", account_id: from }
            ]
          })
        )
      const escrows = yield* Effect.forEach(Array.from({ length: 8 }), (_, at) =>
        at % 2 === 0 ? crossing(left, right) : crossing(right, left)
      )
      const lives = escrows.map((escrow) =>
        Effect.gen(function* () {
          const funded = yield* act(acme.key, escrow, "/fund", { amount: 250 })
          const disbursed = yield* act(acme.key, escrow, milestonePath(escrow, 0, "disburse"))
          const canceled = yield* act(acme.key, escrow, "/cancel")
          return [funded, disbursed, canceled]
        })
      )
      const transfers = Array.from({ length: 12 }, (_, at) => {
        const [from_account_id, to_account_id] = at % 2 === 0 ? [left, right] : [right, left]
        return Effect.map(ask(acme.key, "/transfer", { from_account_id, to_account_id, amount: 10 }), (answer) => [
          answer
        ])
      })
      const answers = (yield* Effect.all([...lives, ...transfers], together)).flat()
      for (const { status, text } of answers) expect(status, text).toBe(200)
      const balances = [yield* balanceOf(acme.key, left), yield* balanceOf(acme.key, right)]
      expect(balances, "each gave as much as it got").toEqual([10_000, 10_000])
      yield* expectBooksInOrder
    })
  )
})
