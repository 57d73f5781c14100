/** `corridor doctor` */
import { type Cause, Config, ConfigProvider, Effect, Either, Layer, Option, Duration, Schema } from "effect"
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
import { painter, report, sentenceOf, Streams } from "../shared/Terminal.ts"
import { requireCluster } from "../shared/LocalDatabase.ts"
import { tableLayout } from "../shared/Table.ts"
import { jwksFetchTimeout } from "../../domain/policies/PeoplePolicies.ts"
import type { ConsoleSignIn } from "../../platform/config/ConsoleSignIn.ts"
import { urlOf } from "../../domain/Url.ts"

const unreachable = (cause: Cause.Cause<unknown>) => {
  const checks: ReadonlyArray<Check> = [
    fail("Database", sentenceOf(cause)),
    warn("Migrations", "not checked without the database"),
    warn("Master key", "not checked without the database")
  ]
  return { checks, databaseId: Option.none<string>() }
}

const checkDatabase = (settings: Settings["Type"], providers: ProviderSettings["Type"]) =>
  Effect.zipRight(requireCluster, Effect.provide(databaseChecks(settings, providers), DatabaseConnectionLive)).pipe(
    Effect.catchAllCause((cause) => Effect.succeed(unreachable(cause)))
  )

const liveChecks = [publicAddress, identityProvider, mail, metrics, sanctions, databaseOfItsOwn]

const withSettings = Effect.gen(function* () {
  const settings = yield* Settings
  const providerSettings = yield* ProviderSettings
  const folder = yield* dataFolder(settings)
  const database = yield* checkDatabase(settings, providerSettings)
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
    const database = yield* checkDatabase({ ...settings, mode: "live" }, usable)
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

const NAME = "Console sign-in"

/** The parts of a provider's metadata that settings may contradict. */
const Metadata = Schema.Struct({
  issuer: Schema.String,
  jwks_uri: Schema.optional(Schema.String),
  token_endpoint: Schema.optional(Schema.String),
  code_challenge_methods_supported: Schema.optional(Schema.Array(Schema.String))
})

type Values = Pick<Settings["Type"], "consoleSignIn" | "jwt" | "mode" | "publicUrl">

const metadataOf = (issuer: string) => {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  return Effect.tryPromise(async () => {
    const answer = await fetch(address, { signal: AbortSignal.timeout(Duration.toMillis(jwksFetchTimeout)) })
    return (await answer.json()) as unknown
  }).pipe(
    Effect.flatMap(Schema.decodeUnknown(Metadata)),
    Effect.mapError(() => `no metadata of the identity provider at ${address}: check JWT_ISSUER and the network.`)
  )
}

const judged = (
  { audienceParameter, clientId, issuer, origins }: ConsoleSignIn,
  { jwt, publicUrl }: Values,
  metadata: typeof Metadata.Type
): Check => {
  if (metadata.issuer !== issuer) {
    return fail(NAME, `JWT_ISSUER is ${issuer}, but the identity provider calls itself ${metadata.issuer}: set it so.`)
  }
  const tokens = urlOf(metadata.token_endpoint ?? "")?.origin
  if (tokens === undefined) return fail(NAME, `${issuer} has no token endpoint.`)
  if (!origins.includes(tokens)) {
    return fail(NAME, `the token endpoint is on another origin than JWT_ISSUER: set CONSOLE_TOKEN_ORIGIN=${tokens}.`)
  }
  const keys = Option.getOrUndefined(jwt.jwksUrl)
  if (keys !== undefined && metadata.jwks_uri !== undefined && keys !== metadata.jwks_uri.replace(/\/+$/, "")) {
    return warn(NAME, `JWT_JWKS_URL is ${keys}, but the identity provider has its keys at ${metadata.jwks_uri}.`)
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") === false) {
    return warn(NAME, `${issuer} does not name PKCE with S256 among what it supports, which the console uses.`)
  }
  const asks = audienceParameter === "none" ? "no audience parameter" : `parameter ${audienceParameter}`
  return ok(NAME, `at ${issuer} as ${clientId}, ${asks}; the client there needs the address ${publicUrl}/console`)
}

/**
 * Checks whether people can sign in to the console with the settings and the provider's metadata. Nothing for a sandbox
 * without a client: its tokens are in `sandbox.json`.
 */
export const signInCheck = (values: Values): Effect.Effect<ReadonlyArray<Check>> =>
  Option.match(values.consoleSignIn, {
    onNone: () =>
      Effect.succeed(
        values.mode === "live"
          ? [warn(NAME, "people have to paste a token into the console: set CONSOLE_CLIENT_ID.")]
          : []
      ),
    onSome: (signIn) =>
      metadataOf(signIn.issuer).pipe(
        Effect.map((metadata) => judged(signIn, values, metadata)),
        Effect.catchAll((message) => Effect.succeed(fail(NAME, message))),
        Effect.map((check) => [check])
      )
  })
