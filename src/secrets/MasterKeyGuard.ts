/** Ties a database to one master key: an instance with another one must not start, or it would seal what others cannot open. */
import { SqlClient } from "@effect/sql"
import { Data, Effect, Option, Redacted } from "effect"
import { Settings } from "../config/Settings.ts"
import { DatabaseServer } from "../database/DatabaseServer.ts"
import { deriveMasterKey, type MasterKey } from "./MasterKey.ts"
import { checkValue } from "./Vault.ts"

export class OtherMasterKey extends Data.TaggedError("OtherMasterKey")<{ readonly message: string }> {}

/**
 * The key in force. Without CORRIDOR_MASTER_KEY (sandbox mode only) it follows from the database's own password and
 * name, so that all instances on one database agree without a setting.
 */
export const currentMasterKey = Effect.gen(function* () {
  const { masterKey } = yield* Settings
  const { url } = yield* DatabaseServer
  return Option.getOrElse(masterKey, () => {
    const { password, pathname } = new URL(Redacted.value(url))
    return deriveMasterKey(`${password} ${pathname}`)
  })
})

export const guardMasterKey = Effect.fn("guardMasterKey")(function* (masterKey: MasterKey) {
  const sql = yield* SqlClient.SqlClient
  const row = { key_id: masterKey.id, check_value: checkValue(masterKey) }
  yield* sql`insert into master_key ${sql.insert(row)} on conflict do nothing`.pipe(Effect.orDie)
  const [kept] = yield* sql<typeof row>`select key_id, check_value from master_key`.pipe(Effect.orDie)
  if (kept?.check_value === row.check_value) return
  return yield* new OtherMasterKey({
    message:
      `This database belongs to master key ${kept?.key_id}, but this process has master key ${masterKey.id}. ` +
      "Set CORRIDOR_MASTER_KEY to the key that was used before (to change it: corridor secrets rotate)."
  })
})
