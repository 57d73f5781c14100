/** Planner settings of the service's connections: compiling a statement takes longer than any of ours. */
import { expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { DatabaseLive } from "../../../src/platform/database/Database.ts"
import { TestDatabaseServer } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"

const Database = DatabaseLive.pipe(Layer.provideMerge(TestDatabaseServer), Layer.provide(testSettings()))

layer(Database, { excludeTestServices: true, timeout: "60 seconds" })("Connections of the service", (it) => {
  it.effect("compile no statement, and plan for the values given", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [found] = yield* sql`select current_setting('jit') as jit,
        current_setting('plan_cache_mode') as mode`
      expect(found).toEqual({ jit: "off", mode: "auto" })
    })
  )
})
