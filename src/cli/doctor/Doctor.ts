/** `corridor doctor` */
import { type Cause, Config, ConfigProvider, Effect, Either, Layer, Option } from "effect"
import { DatabaseConnectionLive, ObservabilityLive } from "../../app/Graph.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { type Check, fail, ok, warn, dataFolder, nodeVersion, sandboxFile, serverCheck } from "./MachineChecks.ts"
import { callbackAddresses, publicAddress } from "./CallbackChecks.ts"
import { databaseChecks } from "./DatabaseChecks.ts"
import {
  accountDetails,
  databaseOfItsOwn,
  mail,
  metrics,
  identityProvider,
  sanctions,
  liveSettings,
  type ProvidersAsLive
} from "./LiveModeChecks.ts"
import { signInCheck } from "./SignInCheck.ts"
import { painter, report, sentenceOf, Streams } from "../shared/Terminal.ts"
import { requireCluster } from "../shared/LocalDatabase.ts"
import { tableLayout } from "../shared/Table.ts"

const unreachable = (cause: Cause.Cause<unknown>) => {
  const checks: ReadonlyArray<Check> = [
    fail("Database", sentenceOf(cause)),
    warn("Migrations", "not checked without the database"),
    warn("Master key", "not checked without the database")
  ]
  return { checks, databaseId: Option.none<string>() }
}

const liveChecks = [publicAddress, identityProvider, mail, metrics, sanctions, databaseOfItsOwn]

const withSettings = Effect.gen(function* () {
  const settings = yield* Settings
  const providerSettings = yield* ProviderSettings
  const folder = yield* dataFolder(settings)
  const database = yield* Effect.zipRight(
    requireCluster,
    Effect.provide(databaseChecks(settings, providerSettings), DatabaseConnectionLive)
  ).pipe(Effect.catchAllCause((cause) => Effect.succeed(unreachable(cause))))
  const sandbox = settings.mode === "sandbox" ? [yield* sandboxFile(settings)] : []
  const live =
    settings.mode === "live" ? [...liveChecks.map((check) => check(settings)), accountDetails(providerSettings)] : []
  const signIn = yield* signInCheck(settings)
  const server = yield* serverCheck(settings, database.databaseId)
  return [folder, ...database.checks, ...sandbox, ...live, ...signIn, server]
}).pipe(Effect.provide(ObservabilityLive))

/** The sandbox's own rails, keys and rates do not count. */
const forLive = (asLive: ProvidersAsLive) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    const usable = Either.getOrElse(asLive, () => ({ rawCards: false, parties: new Map() }))
    const database = yield* Effect.zipRight(
      requireCluster,
      Effect.provide(databaseChecks({ ...settings, mode: "live" }, usable), DatabaseConnectionLive)
    ).pipe(Effect.catchAllCause((cause) => Effect.succeed(unreachable(cause))))
    const callbacks = yield* callbackAddresses(settings, usable)
    const signIn = yield* signInCheck({ ...settings, mode: "live" })
    return [...liveSettings(settings, asLive), ...signIn, ...callbacks, ...database.checks, accountDetails(usable)]
  }).pipe(Effect.provide(ObservabilityLive))

const providersIn = (settings: Settings["Type"]) =>
  Effect.either(Effect.provideService(ProviderSettings.load, Settings, settings))

/** Settings that live mode refuses for want of some of them: each that is missing is a finding of its own. */
const unfinished = Effect.gen(function* () {
  const { mode } = yield* Effect.orElseSucceed(Config.all({ mode: Config.string("CORRIDOR_MODE") }), () => ({
    mode: ""
  }))
  if (mode !== "live") return yield* Settings.load
  const asSandbox = ConfigProvider.fromMap(new Map([["CORRIDOR_MODE", "sandbox"]]))
  const settings = yield* Effect.configProviderWith((given) =>
    Effect.withConfigProvider(
      Settings.load,
      ConfigProvider.orElse(asSandbox, () => given)
    )
  )
  return { ...settings, mode: "live" as const }
})

const examine = Effect.fnUntraced(function* (live: boolean) {
  const node = yield* nodeVersion
  const invalid = ({ message }: { readonly message: string }) => [
    node,
    fail("Settings", message.replaceAll("\n", " ")),
    warn("The rest", "not checked until the settings are valid")
  ]
  const settings = yield* Effect.either(live ? Effect.orElse(Settings.load, () => unfinished) : Settings.load)
  if (Either.isLeft(settings)) return invalid(settings.left)
  const own = settings.right
  const valid = ok("Settings", `valid (${own.mode} mode)`)
  if (live) {
    const asLive = yield* providersIn({ ...own, mode: "live" })
    return [node, valid, ...(yield* Effect.provideService(forLive(asLive), Settings, own))]
  }
  const ofProviders = yield* providersIn(own)
  if (Either.isLeft(ofProviders)) return invalid(ofProviders.left)
  const loaded = Layer.merge(Layer.succeed(Settings, own), Layer.succeed(ProviderSettings, ofProviders.right))
  return [node, valid, ...(yield* Effect.provide(withSettings, loaded))]
})

const colourOf = { ok: "green", warn: "yellow", fail: "red" } as const

const findings = (live: boolean) =>
  Effect.map(Effect.zip(examine(live), Streams), ([checks, streams]) => {
    const failed = checks.filter(({ status }) => status === "fail")
    const paint = painter(streams)
    const laid = tableLayout(
      ["", "", ""],
      checks.map(({ message, name, status }) => [status, name, message]),
      ""
    )
    const coloured = (text: string) =>
      text.trimStart().replace(/^(ok|warn|fail)\b/gm, (word) => paint(colourOf[word as Check["status"]], word))
    return {
      data: checks,
      text: coloured(laid.text),
      fit: (columns: number) => coloured(laid.fit(columns)),
      failure:
        failed.length === 0
          ? undefined
          : `${failed.length} of ${checks.length} checks failed: ${failed.map((c) => c.name).join(", ")}.`
    }
  })

export const examineAll = (input: { readonly live: boolean; readonly json: boolean }) =>
  report(input.json, findings(input.live))
