/** A reset deletes the ledger of a sandbox, and refuses that of a live organisation. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { Organizations } from "../../../src/people/organizations/Organizations.ts"
import { Users } from "../../../src/people/users/Users.ts"
import { Secrets } from "../../../src/platform/secrets/Secrets.ts"
import { EventPublisher } from "../../../src/webhooks/EventPublisher.ts"
import { ApiKeys } from "../../../src/people/apiKeys/ApiKeys.ts"
import { SandboxLive } from "../../../src/app/Services.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { SandboxReset } from "../../../src/app/Sandbox.ts"
import { TestVault } from "../../support/TestSettings.ts"
import { BooksOnPostgres, onDatabase } from "./BooksOnPostgres.ts"
import { fiatProvider, moved, newBooks } from "./Entries.ts"

const OnReset = SandboxReset.layer.pipe(
  Layer.provideMerge(SandboxLive),
  Layer.provideMerge(ApiKeys.layer),
  Layer.provide(Users.layer),
  Layer.provide(Organizations.layer),
  Layer.provideMerge(Layer.merge(EventPublisher.layer, Secrets.layer)),
  Layer.provideMerge(AuditLog.layer),
  Layer.provideMerge(TestVault),
  Layer.provideMerge(BooksOnPostgres())
)

const reset = Effect.flatMap(SandboxReset, ({ run }) => run(operatorPermit("platform", "olga")))

const postings = Effect.flatMap(LedgerStore, ({ check }) => Effect.map(check, (report) => report.postings))

layer(OnReset, onDatabase)("Reset", (it) => {
  it.effect("empties the books of a sandbox, and those that follow start from nothing", () =>
    Effect.gen(function* () {
      const { org_id, settlement } = yield* newBooks({ sandbox: true })
      yield* moved(org_id, settlement, fiatProvider(), "5 KES")
      expect(yield* postings).toBe(2)
      yield* reset
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`select from ledger_postings`).toEqual([])
      expect(yield* sql`select from ledger_balances`).toEqual([])
    })
  )

  it.effect("leaves everything as it is where a live organisation has books", () =>
    Effect.gen(function* () {
      const { first, org_id } = yield* newBooks()
      yield* moved(org_id, fiatProvider(), first, "5 KES")
      const exit = yield* Effect.exit(reset)
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause, { renderErrorCause: true })).toContain(
        "these are the books of a live organisation"
      )
      expect(yield* postings).toBe(2)
    })
  )
})
