import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Either, Layer, Option, Redacted } from "effect"
import { DatabaseServer } from "../../../src/platform/database/DatabaseServer.ts"
import { deriveMasterKey } from "../../../src/platform/config/MasterKey.ts"
import { currentMasterKey, guardMasterKey, knownMasterKey } from "../../../src/platform/masterKey/MasterKeyGuard.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"

const services = TestDatabase.pipe(Layer.provideMerge(testSettings()))

/** Reads the database as an instance with this URL would. */
const by = (url: string) => Effect.updateService(DatabaseServer, (server) => ({ ...server, url: Redacted.make(url) }))

const bare = "postgresql:///corridor?host=/var/run/postgresql"
const fromName = deriveMasterKey(" /corridor")

layer(services, { excludeTestServices: true })("The sandbox's master key without a password in DATABASE_URL", (it) => {
  it.effect("is made at random, once for all instances that start together, and kept", () =>
    Effect.gen(function* () {
      expect(yield* knownMasterKey.pipe(by(bare))).toEqual(Option.none())
      const keys = yield* Effect.replicateEffect(currentMasterKey.pipe(by(bare)), 5, { concurrency: 5 })
      expect(new Set(keys.map(({ id }) => id)).size).toBe(1)
      expect(keys[0]!.id).not.toBe(fromName.id)
      yield* guardMasterKey(keys[0]!)
      expect((yield* currentMasterKey.pipe(by(bare))).id).toBe(keys[0]!.id)
      const other = yield* currentMasterKey.pipe(by("postgresql://someone@localhost/corridor"))
      expect(other.id).toBe(keys[0]!.id)
    })
  )
})

layer(services, { excludeTestServices: true })("A sandbox with a master key derived from its name", (it) => {
  it.effect("keeps its key, which doctor can name", () =>
    Effect.gen(function* () {
      yield* guardMasterKey(fromName)
      expect((yield* currentMasterKey.pipe(by(bare))).id).toBe(fromName.id)
      const known = yield* knownMasterKey.pipe(by(bare))
      expect(Option.map(known, ({ guessable }) => guessable)).toEqual(Option.some(true))
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`select sandbox_key from database_identity`).toEqual([{ sandbox_key: null }])
    })
  )

  it.effect("follows from the password where there is one, and refuses the database of another key", () =>
    Effect.gen(function* () {
      const key = yield* currentMasterKey.pipe(by("postgresql://someone:pass@localhost/corridor"))
      expect(key.id).toBe(deriveMasterKey("pass /corridor").id)
      yield* guardMasterKey(fromName)
      expect(Either.isLeft(yield* Effect.either(guardMasterKey(key)))).toBe(true)
    })
  )
})
