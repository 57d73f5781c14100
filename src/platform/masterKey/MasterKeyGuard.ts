/** Ties a database to one master key. An instance with another one does not start: others could not open its secrets. */
import { randomBytes } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Data, Effect, Either, identity, Option, Redacted, Schema } from "effect"
import { rowAs, tableExists } from "../database/Query.ts"
import { firstHost } from "../config/DatabaseUrl.ts"
import { Settings } from "../config/Settings.ts"
import { DatabaseServer } from "../database/DatabaseServer.ts"
import { deriveMasterKey, type MasterKey, parseMasterKey } from "../config/MasterKey.ts"
import { checkValue } from "../secrets/Vault.ts"
import { traced } from "../observability/Spans.ts"

export class OtherMasterKey extends Data.TaggedError("OtherMasterKey")<{ readonly message: string }> {}

const Kept = Schema.Struct({ key_id: Schema.String, check_value: Schema.String })
type Kept = typeof Kept.Type

export const keptKey = rowAs(Kept)
const sandboxKey = rowAs(Schema.Struct({ sandbox_key: Schema.NullOr(Schema.String) }))

/** The key that the database is tied to, if it is tied to one; it may not even be migrated. */
export const keptMasterKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists("master_key"))) return Option.none<Kept>()
  return yield* sql`select key_id, check_value from master_key`.pipe(Effect.flatMap(keptKey))
})

const keptSandboxKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists("database_identity"))) return Option.none<string>()
  const row = yield* sql`select sandbox_key from database_identity`.pipe(Effect.flatMap(sandboxKey))
  return Option.flatMapNullable(row, ({ sandbox_key }) => sandbox_key)
})

/**
 * Current master key, if there is one:
 * 1. that of the setting;
 * 2. in sandbox mode, one derived from the database's password and name, equal for all instances on one database;
 * 3. without a password in DATABASE_URL, the stored one. Secrets encrypted before there was a stored one use the key
 *    derived from the name alone.
 */
export const knownMasterKey = Effect.gen(function* () {
  const { masterKey } = yield* Settings
  if (Option.isSome(masterKey)) return Option.some({ masterKey: masterKey.value, guessable: false })
  const { url } = yield* DatabaseServer
  const { password, pathname } = firstHost(Redacted.value(url))
  const derived = deriveMasterKey(`${password} ${pathname}`)
  if (password !== "") return Option.some({ masterKey: derived, guessable: false })
  const kept = yield* keptMasterKey
  if (Option.exists(kept, ({ check_value }) => check_value === checkValue(derived))) {
    return Option.some({ masterKey: derived, guessable: true })
  }
  const text = yield* keptSandboxKey
  return Option.map(text, (key) => ({ masterKey: Either.getOrThrow(parseMasterKey(key)), guessable: false }))
})

/** The key in force on a migrated database; of several instances that make one at once, the first decides for all. */
export const currentMasterKey = Effect.gen(function* () {
  const known = yield* knownMasterKey
  if (Option.isSome(known)) return known.value.masterKey
  const sql = yield* SqlClient.SqlClient
  const fresh = randomBytes(32).toString("hex")
  yield* sql`update database_identity set sandbox_key = coalesce(sandbox_key, ${fresh})`
  const made = yield* Effect.flatMap(knownMasterKey, identity)
  return made.masterKey
}).pipe(Effect.orDie)

export const guardMasterKey = traced("guardMasterKey")(function* (masterKey: MasterKey) {
  const sql = yield* SqlClient.SqlClient
  const row: Kept = { key_id: masterKey.id, check_value: checkValue(masterKey) }
  yield* sql`insert into master_key ${sql.insert({ ...row })} on conflict do nothing`.pipe(Effect.orDie)
  const kept = Option.getOrUndefined(
    yield* sql`select key_id, check_value from master_key`.pipe(Effect.flatMap(keptKey), Effect.orDie)
  )
  if (kept?.check_value === row.check_value) return
  return yield* new OtherMasterKey({
    message:
      `This database belongs to master key ${kept?.key_id}, but this process has master key ${masterKey.id}. ` +
      "Set CORRIDOR_MASTER_KEY to the key that was used before (to change it: corridor secrets rotate)."
  })
})
