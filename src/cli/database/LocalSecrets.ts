/** `corridor secrets` */
import { Config, Effect, Layer, Option, Redacted } from "effect"
import { ObservabilityLive } from "../../app/Graph.ts"
import { StoresLive } from "../../app/Stores.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { migrate } from "../../platform/database/Migrations.ts"
import { Ids } from "../../domain/Ids.ts"
import { type MasterKey, parseMasterKey } from "../../platform/config/MasterKey.ts"
import { currentMasterKey, guardMasterKey } from "../../platform/masterKey/MasterKeyGuard.ts"
import { RotatableSecretsLive } from "../../app/Ports.ts"
import { MasterKeyRotation } from "../../platform/masterKey/MasterKeyRotation.ts"
import { ExistingLive, permitFor } from "../shared/LocalDatabase.ts"
import { refuse } from "../shared/CommandInput.ts"
import { report } from "../shared/CommandResult.ts"
import { showElapsed } from "../shared/Terminal.ts"

const VARIABLE = "CORRIDOR_NEW_MASTER_KEY"

/** Without the vault: its guard would refuse a database that was moved to the new key a moment ago. */
const RotationLive = MasterKeyRotation.layer.pipe(
  Layer.provide(RotatableSecretsLive),
  Layer.provide(AuditLog.layer),
  Layer.provide(StoresLive),
  Layer.provide(Ids.layer),
  Layer.provideMerge(ExistingLive),
  Layer.provideMerge(ObservabilityLive),
  Layer.provideMerge(Settings.layer)
)

const newKey = Effect.fn("Cli.newMasterKey")(function* (option: Option.Option<Redacted.Redacted>) {
  const variable = yield* Effect.orDie(Config.option(Config.redacted(VARIABLE)))
  const given = Option.filter(
    Option.orElse(option, () => variable),
    (text) => Redacted.value(text).trim() !== ""
  )
  if (Option.isNone(given)) {
    return yield* refuse(`Set ${VARIABLE} to the new master key; make one with: openssl rand -hex 32`)
  }
  const name = Option.isSome(option) ? "--new-key" : VARIABLE
  return yield* Effect.mapError(parseMasterKey(Redacted.value(given.value)), (reason) => refuse(`${name} ${reason}.`))
})

const rotateTo = Effect.fn("Cli.rotateSecrets")(function* (to: MasterKey) {
  yield* migrate
  const from = yield* currentMasterKey
  // An unused database is tied to the current key first, so that the rotation has a key to replace.
  yield* Effect.catchTag(guardMasterKey(from), "OtherMasterKey", () =>
    Effect.logDebug("The database does not belong to the current key: perhaps to the new one already")
  )
  const rotation = yield* MasterKeyRotation
  const data = yield* rotation.rotate(yield* permitFor("platform"), from, to)
  const done = data.already_rotated
    ? `The database belongs to master key ${data.new_key_id} already`
    : `The database now belongs to master key ${data.new_key_id}`
  return {
    data,
    text: [
      `${done}; ${data.resealed} secrets were re-sealed under it.`,
      "",
      `  1. Set CORRIDOR_MASTER_KEY to the new key wherever Corridor runs, and unset ${VARIABLE}.`,
      "  2. Restart running servers with it: until then they cannot open what is sealed.",
      `  3. Keep the old key (${data.old_key_id}) for as long as you keep backups made before.`,
      "",
      "If a server went on with the old key in the meantime, run this again with the old CORRIDOR_MASTER_KEY."
    ].join("\n")
  }
})

export const rotate = (input: { readonly newKey: Option.Option<Redacted.Redacted>; readonly json: boolean }) =>
  Effect.flatMap(newKey(input.newKey), (to) =>
    report(input.json, showElapsed("Re-sealing every secret")(rotateTo(to))).pipe(Effect.provide(RotationLive))
  )
