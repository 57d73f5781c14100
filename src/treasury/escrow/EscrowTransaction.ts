/** What the changes of an escrow have in common: it is taken alone, written down and audited, once for each key. */
import { Effect, Option } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { type IdempotencyConflict, notFound } from "../../domain/Failure.ts"
import { stillRunning } from "../../platform/idempotency/Idempotency.ts"
import { IdempotencyStore, type NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import type { Escrow } from "./Escrow.ts"
import { EscrowStore } from "./EscrowStore.ts"

type Detail = Readonly<Record<string, unknown>>

export const makeEscrowTransaction = Effect.gen(function* () {
  const store = yield* EscrowStore
  const keys = yield* IdempotencyStore
  const audit = yield* AuditLog
  const { atomically } = yield* Transactor

  const orNotFound = Effect.flatMap(
    Option.match({
      onNone: () => Effect.fail(notFound("escrow")),
      onSome: (escrow: Escrow) => Effect.succeed(escrow)
    })
  )

  const record = (permit: Permit<"escrow">, { escrow_id, org_id }: Escrow, action: string, detail: Detail) =>
    audit.record(permit, { action, org: org_id, subject: ["escrow", escrow_id], detail })

  return {
    find: (permit: Permit<"escrow">, id: string) => orNotFound(store.find(permit.scope, id)),
    /** Inside a transaction, to the end of which nobody else changes it. */
    locked: (permit: Permit<"escrow">, id: string) => orNotFound(store.lock(permit.scope, id)),
    record,
    save: (permit: Permit<"escrow">, escrow: Escrow, action: string, detail: Detail) =>
      Effect.zipLeft(store.update(escrow), record(permit, escrow, action, detail)),
    /** All or nothing, with the key and its whole answer: after a crash the key answers all the same. */
    once: <A, E>(
      key: NewKey | undefined,
      work: Effect.Effect<A, E>,
      textOf: (done: A) => string
    ): Effect.Effect<A, E | IdempotencyConflict> =>
      atomically(
        Effect.gen(function* () {
          if (key === undefined) return yield* work
          if (!(yield* keys.claim(null, key))) return yield* stillRunning()
          const done = yield* work
          yield* keys.keepResponse(key, 200, textOf(done))
          return done
        })
      )
  }
})

export type EscrowTransaction = Effect.Effect.Success<typeof makeEscrowTransaction>
