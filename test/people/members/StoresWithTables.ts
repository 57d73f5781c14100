/** Suites on both stores with access to the tables, to expire invitations. */
import { SqlClient } from "@effect/sql"
import { layer, type Vitest } from "@effect/vitest"
import { Clock, Effect, Layer, Option } from "effect"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { memberTables } from "../../../src/people/members/MemberMemory.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { openStoresOn, type StoreServices } from "../../payments/support/PaymentServices.ts"
import { backends } from "../../support/OnBothStores.ts"
import { onServer, type ServerServices } from "../../support/TestServer.ts"
import { testSettings } from "../../support/TestSettings.ts"

export const onOpenStores = (
  name: string,
  tests: (it: Vitest.MethodsNonLive<StoreServices | Ids, true>) => void
): void => {
  for (const backend of backends) {
    const services = openStoresOn(backend).pipe(Layer.provideMerge(Ids.layer), Layer.provide(testSettings()))
    layer(services, { excludeTestServices: true, timeout: "60 seconds" })(`${name} on ${backend}`, tests)
  }
}

export const onOpenServer = (name: string, tests: (it: Vitest.MethodsNonLive<ServerServices, true>) => void): void =>
  onServer(name, "PostgreSQL", { stores: Layer.orDie(openStoresOn("PostgreSQL")) }, tests)

/** Moves the end of its time into the past. */
export const expire = (invitation_id: string) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) {
      yield* sql.value`update invitations set expires_at = now() - interval '1 ms' where invitation_id = ${invitation_id}`
      return
    }
    const { invitations } = (yield* Effect.serviceOptional(MemoryDatabase)).open(memberTables)
    const row = invitations.get(invitation_id)!
    invitations.set(invitation_id, { ...row, expires_at: new Date((yield* Clock.currentTimeMillis) - 1) })
  }).pipe(Effect.orDie)

/** Everything that is kept of an invitation, as text. */
export const rowText = (invitation_id: string) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) {
      const rows = yield* sql.value<{ row: string }>`select row_to_json(i)::text as row from invitations i
        where invitation_id = ${invitation_id}`
      return rows[0]!.row
    }
    const { invitations } = (yield* Effect.serviceOptional(MemoryDatabase)).open(memberTables)
    return JSON.stringify(invitations.get(invitation_id))
  }).pipe(Effect.orDie)
