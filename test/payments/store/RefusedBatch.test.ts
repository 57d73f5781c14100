/** Text that PostgreSQL cannot keep fails the payment that carries it, and none of those written beside it. */
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { BooksOnPostgres, onDatabase } from "../../money/ledger/BooksOnPostgres.ts"
import { makeAttempt, makePayment, newOwner } from "../support/NewPayment.ts"

layer(BooksOnPostgres(), onDatabase)("A payment that cannot be written", (it) => {
  for (const [name, text] of [
    ["a NUL", "a\u0000b"],
    ["half a surrogate pair", "a\ud800b"]
  ] as const) {
    it.effect(`because of ${name} fails alone, among its own and among others`, () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owners = [yield* newOwner, yield* newOwner]
        const drafts = yield* Effect.forEach(Array.from({ length: 24 }), (_, at) =>
          makePayment(owners[at % 2]!, at === 10 ? { description: text } : {})
        )
        const attempt = yield* makeAttempt()
        const [first, ...others] = drafts
        yield* store.create({ payment: first!, attempt })
        const exits = yield* Effect.forEach(
          others,
          (payment) => Effect.exit(store.create({ payment, attempt: null })),
          { concurrency: "unbounded" }
        )
        expect(exits.flatMap((exit, at) => (Exit.isFailure(exit) ? [at + 1] : []))).toEqual([10])
        for (const [at, { org_id, payment_id }] of drafts.entries()) {
          expect(Option.isSome(yield* store.find(Option.some(org_id), payment_id)), String(at)).toBe(at !== 10)
        }
      })
    )
  }
})
