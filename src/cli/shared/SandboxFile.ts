/** Rewrites `sandbox.json` for whoever reads it next; the server that runs may have been told another address than we. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Config, Effect, Option, Schema } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import type { SandboxCredentials } from "../../app/sandbox/Sandbox.ts"
import { writeSandboxFile } from "../../app/sandbox/SandboxFile.ts"

const Known = Schema.parseJson(Schema.Struct({ base_url: Schema.String }))

const knownAddress = Effect.fn("Cli.knownAddress")(function* (dataDir: string) {
  const told = yield* Config.option(Config.orElse(Config.string("PUBLIC_URL"), () => Config.string("PORT")))
  if (Option.isSome(told)) return Option.none()
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
