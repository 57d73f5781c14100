/** `corridor sandbox` */
import { Effect, Layer, Config, Option, Schema } from "effect"
import { AppLive, SandboxLive } from "../../app/Services.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { SandboxReset, type SandboxCredentials, writeSandboxFile } from "../../app/Sandbox.ts"
import { refuse } from "../shared/CommandInput.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { report } from "../shared/CommandResult.ts"
import { table } from "../shared/Table.ts"
import { showElapsed } from "../shared/Terminal.ts"
import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { join } from "node:path"

/** Rewrites `sandbox.json`, keeping the running server's address. */
const Known = Schema.parseJson(Schema.Struct({ base_url: Schema.String }))

const knownAddress = Effect.fn("Cli.knownAddress")(function* (dataDir: string) {
  const given = yield* Config.option(Config.orElse(Config.string("PUBLIC_URL"), () => Config.string("PORT")))
  if (Option.isSome(given)) return Option.none()
  const { base_url } = yield* Effect.tryPromise(() => readFile(join(dataDir, "sandbox.json"), "utf8")).pipe(
    Effect.flatMap(Schema.decode(Known))
  )
  return Option.some(base_url.replace(/\/v1$/, ""))
})

export const rewriteSandboxFile = Effect.fn("Cli.rewriteSandboxFile")(function* (credentials: SandboxCredentials) {
  const settings = yield* Settings
  const known = yield* Effect.catchAll(knownAddress(settings.dataDir), (error) =>
    Effect.as(Effect.logDebug("No sandbox.json to take the address from", error), Option.none<string>())
  )
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
    text: `The sandbox is new again.\n${table(["ORGANISATION", "ID", "API KEY"], rows, "")}\nAll credentials: ${path}`
  }
})

const ResetLive = SandboxReset.layer.pipe(Layer.provide(SandboxLive), Layer.provideMerge(AppLive))

export const reset = (input: { readonly yes: boolean; readonly json: boolean }) =>
  Effect.zipRight(
    confirmed(input.yes, input.json),
    Effect.provide(report(input.json, showElapsed("Starting over")(startOver)), ResetLive)
  )
