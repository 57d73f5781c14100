/** `corridor sandbox reset` and `corridor secrets rotate` */
import { Effect, Layer, Config, Option, Redacted } from "effect"
import { AppLive, SandboxLive } from "../../app/Services.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { SandboxReset, type SandboxCredentials, writeSandboxFile } from "../../app/Sandbox.ts"
import { refuse } from "../shared/CommandInput.ts"
import { permitFor, ExistingLive } from "../shared/LocalDatabase.ts"
import { report, showElapsed } from "../shared/Terminal.ts"
import { tableLayout } from "../shared/Table.ts"
import { knownAddress } from "../doctor/MachineChecks.ts"
import { createInterface } from "node:readline"
import { ObservabilityLive } from "../../app/Graph.ts"
import { migrate } from "../../platform/database/Migrations.ts"
import { StoresLive } from "../../app/Stores.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Ids } from "../../domain/Ids.ts"
import { type MasterKey, parseMasterKey } from "../../platform/config/MasterKey.ts"
import { currentMasterKey, guardMasterKey } from "../../platform/masterKey/MasterKeyGuard.ts"
import { RotatableTablesLive } from "../../app/Ports.ts"
import { MasterKeyRotation } from "../../platform/masterKey/MasterKeyRotation.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Rewrites `sandbox.json`, keeping the running server's address. */
const rewriteSandboxFile = traced("Cli.rewriteSandboxFile")(function* (credentials: SandboxCredentials) {
  const settings = yield* Settings
  const known = yield* knownAddress(settings.dataDir)
  const publicUrl = Option.getOrElse(known, () => settings.publicUrl)
  return yield* Effect.provideService(writeSandboxFile(credentials), Settings, { ...settings, publicUrl })
})

/** True after `y` or `yes`; false after anything else, and after Ctrl-C. */
const confirm = (question: string) =>
  Effect.async<boolean>((resume) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout })
    lines.on("close", () => resume(Effect.succeed(false)))
    lines.question(`${question} (y/N) `, (answer) => {
      resume(Effect.succeed(/^y(es)?$/i.test(answer.trim())))
      lines.close()
    })
    return Effect.sync(() => lines.close())
  })

/** Asks before anything is opened: a database that cannot be reset must not be started for the question. */
const confirmed = (yes: boolean, asJson: boolean) =>
  Effect.gen(function* () {
    const { mode } = yield* Settings
    if (mode !== "sandbox") return yield* refuse("Only a sandbox can be reset, and CORRIDOR_MODE is live.")
    if (yes || asJson || !process.stdin.isTTY || !process.stdout.isTTY) return
    const sure = yield* confirm("Erase every organisation, user, key and payment of this sandbox?")
    if (!sure) return yield* refuse("Nothing was changed.")
  }).pipe(Effect.provide(Settings.layer))

const startOver = Effect.gen(function* () {
  const reset = yield* SandboxReset
  const credentials = yield* reset.run(yield* permitFor("platform"))
  const path = yield* rewriteSandboxFile(credentials)
  const rows = credentials.orgs.map(({ api_key, name, org_id }) => [name, org_id, api_key])
  return {
    data: credentials,
    text: `The sandbox is new again.\n${tableLayout(["ORGANISATION", "ID", "API KEY"], rows, "").text}\nAll credentials: ${path}`
  }
})

const ResetLive = SandboxReset.layer.pipe(Layer.provide(SandboxLive), Layer.provideMerge(AppLive))

export const reset = (input: { readonly yes: boolean; readonly json: boolean }) =>
  Effect.zipRight(
    confirmed(input.yes, input.json),
    Effect.provide(report(input.json, showElapsed("Starting over")(startOver)), ResetLive)
  )

const VARIABLE = "CORRIDOR_NEW_MASTER_KEY"

/** Without the vault: its guard would refuse a database that was moved to the new key a moment ago. */
const RotationLive = MasterKeyRotation.layer.pipe(
  Layer.provide(RotatableTablesLive),
  Layer.provide(AuditLog.layer),
  Layer.provide(StoresLive),
  Layer.provide(Ids.layer),
  Layer.provideMerge(ExistingLive),
  Layer.provideMerge(ObservabilityLive),
  Layer.provideMerge(Settings.layer)
)

const newKey = traced("Cli.newMasterKey")(function* (option: Option.Option<Redacted.Redacted>) {
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

const rotateTo = traced("Cli.rotateSecrets")(function* (to: MasterKey) {
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
      `${done}; ${data.resealed} secrets were re-encrypted under it.`,
      "",
      `  1. Set CORRIDOR_MASTER_KEY to the new key wherever Corridor runs, and unset ${VARIABLE}.`,
      "  2. Restart running servers with it: until then they cannot decrypt secrets.",
      `  3. Keep the old key (${data.old_key_id}) for as long as you keep backups made before.`,
      "",
      "If a server went on with the old key in the meantime, run this again with the old CORRIDOR_MASTER_KEY."
    ].join("\n")
  }
})

export const rotate = (input: { readonly newKey: Option.Option<Redacted.Redacted>; readonly json: boolean }) =>
  Effect.flatMap(newKey(input.newKey), (to) =>
    report(input.json, showElapsed("Re-encrypting every secret")(rotateTo(to))).pipe(Effect.provide(RotationLive))
  )
