/** `corridor doctor` */
import { Command, Options } from "@effect/cli"
import { type Cause, ConfigProvider, Effect, Either, Layer, Option } from "effect"
import { ConnectedLive, ObservabilityLive } from "../../app/Live.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { type Check, fail, ok, warn } from "../doctor/Check.ts"
import { databaseChecks } from "../doctor/Database.ts"
import { databaseOfItsOwn, mail, metrics } from "../doctor/LiveOperations.ts"
import { identityProvider, publicAddress } from "../doctor/LivePayments.ts"
import { dataFolder, nodeVersion, sandboxFile } from "../doctor/Machine.ts"
import { serverCheck } from "../doctor/Server.ts"
import { requireCluster } from "../shared/ExistingDatabase.ts"
import { sentenceOf } from "../shared/Failures.ts"
import { json, report } from "../shared/Report.ts"
import { table } from "../shared/Table.ts"

const unreachable = (cause: Cause.Cause<unknown>) => {
  const checks: ReadonlyArray<Check> = [
    fail("Database", sentenceOf(cause)),
    warn("Migrations", "not checked without the database"),
    warn("Master key", "not checked without the database")
  ]
  return { checks, databaseId: Option.none<string>() }
}

const liveChecks = [publicAddress, identityProvider, mail, metrics, databaseOfItsOwn]

const withSettings = Effect.gen(function* () {
  const settings = yield* Settings
  const providerSettings = yield* ProviderSettings
  const folder = yield* dataFolder(settings)
  const database = yield* Effect.zipRight(
    requireCluster,
    Effect.provide(databaseChecks(settings, providerSettings), ConnectedLive)
  ).pipe(Effect.catchAllCause((cause) => Effect.succeed(unreachable(cause))))
  const sandbox = settings.mode === "sandbox" ? [yield* sandboxFile(settings)] : []
  const live = settings.mode === "live" ? liveChecks.map((check) => check(settings)) : []
  return [folder, ...database.checks, ...sandbox, ...live, yield* serverCheck(settings, database.databaseId)]
}).pipe(Effect.provide(ObservabilityLive))

const bothSettings = Effect.flatMap(Settings.load, (own) =>
  Effect.map(Effect.provideService(ProviderSettings.load, Settings, own), (ofProviders) => [own, ofProviders] as const)
)

const examine = Effect.gen(function* () {
  const node = yield* nodeVersion
  const settings = yield* Effect.either(bothSettings)
  if (Either.isLeft(settings)) {
    const rest = warn("The rest", "not checked until the settings are valid")
    return [node, fail("Settings", settings.left.message.replaceAll("\n", " ")), rest]
  }
  const [own, ofProviders] = settings.right
  const { mode } = own
  const loaded = Layer.merge(Layer.succeed(Settings, own), Layer.succeed(ProviderSettings, ofProviders))
  const others = yield* Effect.provide(withSettings, loaded)
  return [node, ok("Settings", `valid (${mode} mode)`), ...others]
})

const findings = Effect.map(examine, (checks) => {
  const failed = checks.filter(({ status }) => status === "fail")
  const rows = checks.map(({ message, name, status }) => [status, name, message])
  return {
    data: checks,
    text: table(["", "", ""], rows, "").trimStart(),
    failure:
      failed.length === 0
        ? Option.none()
        : Option.some(`${failed.length} of ${checks.length} checks failed: ${failed.map((c) => c.name).join(", ")}.`)
  }
})

/** The environment as it is, but for the mode. */
const asIfLive = Effect.configProviderWith((given) =>
  Effect.withConfigProvider(
    findings,
    ConfigProvider.orElse(ConfigProvider.fromMap(new Map([["CORRIDOR_MODE", "live"]])), () => given)
  )
)

const live = Options.boolean("live").pipe(
  Options.withDescription("As if CORRIDOR_MODE were live: what is still missing for that.")
)

export const doctor = Command.make("doctor", { json, live }, (input) =>
  report(input.json, input.live ? asIfLive : findings)
).pipe(Command.withDescription("Check machine, settings, database and server, and say what to do about what is wrong."))
