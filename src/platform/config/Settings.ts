/** Every setting of the service, read once from the environment; a wrong value stops the start with its name. */
import { availableParallelism } from "node:os"
import { join } from "node:path"
import {
  Array as Arr,
  BigDecimal,
  Config,
  ConfigError,
  Context,
  Duration,
  Effect,
  Either,
  Layer,
  LogLevel,
  Option,
  Redacted,
  Schema
} from "effect"
import { fromPlainText } from "../../domain/Decimal.ts"
import {
  apiPromptsPerDay,
  linkPayinExpiry,
  linkPromptsPerDay,
  payinExpiry,
  unmatchedCallbackRetention
} from "../../domain/policies/PaymentPolicies.ts"
import { notificationRetention, shortestLiveSecret } from "../../domain/policies/PeoplePolicies.ts"
import { simulatorCompletion } from "../../domain/policies/ProviderPolicies.ts"
import type { Delays } from "../../domain/policies/Schedules.ts"
import {
  answerBufferMb,
  answerTimeout,
  auditRetention,
  idempotencyRetention
} from "../../domain/policies/ServerPolicies.ts"
import { deadLetterRetention, webhookRetention } from "../../domain/policies/WebhookPolicies.ts"
import { parseTrustProxy } from "./ClientAddress.ts"
import { audienceParameters, consoleSignIn } from "./ConsoleSignIn.ts"
import { parseCorsOrigins } from "./Cors.ts"
import { databaseHosts } from "./DatabaseUrl.ts"
import { parseMasterKey } from "./MasterKey.ts"
import { parseRateSources } from "../../domain/RateSource.ts"
import { urlOf } from "../../domain/Url.ts"
import { EmailAddress } from "../../domain/MailSafeText.ts"

/** The address that messages come from, with or without a name before it. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

const isAddress = Schema.is(Schema.typeSchema(EmailAddress))

const named = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u

/** A machine that mails only itself needs no dot in its name. */
const isLocal = (address: string): boolean => /^[\w.+-]+@localhost$/.test(address)

export const parseMailbox = (text: string): Either.Either<Mailbox, string> => {
  const [, name, inBrackets] = named.exec(text.trim()) ?? []
  const address = (inBrackets ?? text).trim()
  return isAddress(address) || isLocal(address)
    ? Either.right({ name: (name ?? "").trim(), address })
    : Either.left("expected an e-mail address, such as payments@example.com or Payments <payments@example.com>")
}

export type Mode = "sandbox" | "live"

/** Default port of the first fake of a third party. */
export const firstFakePort = 4010

const HIGHEST_PORT = 65_535

export const parsed = <A>(
  config: Config.Config<string>,
  parse: (text: string) => Either.Either<A, string>
): Config.Config<A> =>
  Config.mapOrFail(config, (text) => Either.mapLeft(parse(text), (reason) => ConfigError.InvalidData([], reason)))

/** The name goes around all of it: an error from outside the default would have none. */
const parsedOr = <A>(
  name: string,
  fallback: string,
  parse: (text: string) => Either.Either<A, string>
): Config.Config<A> => Config.nested(parsed(Config.withDefault(Config.string(), fallback), parse), name)

const oneOf = <const A extends string>(name: string, ...values: ReadonlyArray<A>): Config.Config<A> =>
  parsed(Config.string(name), (text) =>
    Either.fromNullable(
      values.find((value) => value === text.toLowerCase()),
      () => `expected one of ${values.join(", ")}`
    )
  )

const bounded = (name: string, min: number, max: number): Config.Config<number> =>
  Config.validate(Config.integer(name), {
    message: `expected a whole number from ${min} to ${max}`,
    validation: (n) => n >= min && n <= max
  })

const positive = (name: string): Config.Config<Duration.Duration> =>
  Config.validate(Config.duration(name), {
    message: "expected a duration above zero, such as 10 seconds",
    validation: (d) => Duration.greaterThan(d, Duration.zero) && Duration.isFinite(d)
  })

const durations = (name: string): Config.Config<Delays> =>
  parsed(Config.string(name), (text) => {
    const all = text.split(",").map((part) => Duration.decodeUnknown(part.trim()))
    return all.every(Option.isSome) && Arr.isNonEmptyReadonlyArray(all)
      ? Either.right(Arr.map(all, (one) => one.value))
      : Either.left("expected comma-separated durations, such as 1 minute, 5 minutes")
  })

const delays = (...all: Arr.NonEmptyReadonlyArray<Duration.DurationInput>): Delays => Arr.map(all, Duration.decode)

export const url = (name: string, ...protocols: ReadonlyArray<string>): Config.Config<string> =>
  parsed(Config.string(name), (text) => {
    const at = urlOf(text)
    return at === undefined || !protocols.includes(at.protocol)
      ? Either.left(`expected a URL that starts with ${protocols.map((p) => `${p}//`).join(" or ")}`)
      : Either.right(text.replace(/\/+$/, ""))
  })

/**
 * URL that may hold a password. The reason of a refusal never holds it, so it is shown; `Config.redacted` would hide
 * it.
 */
const secretUrl = (name: string, ...protocols: ReadonlyArray<string>): Config.Config<Redacted.Redacted> =>
  Config.map(url(name, ...protocols), (text) => Redacted.make(text))

/** The same for a database, which may have several hosts. */
const databaseUrl = (name: string): Config.Config<Redacted.Redacted> =>
  parsed(Config.string(name), (text) =>
    Either.map(databaseHosts(text), () => Redacted.make(text.trim().replace(/\/+$/, "")))
  )

/** Default number of processes: one core is left to PostgreSQL, and more than 16 would take all of its connections. */
const usualWorkers = (): number => Math.min(16, Math.max(1, availableParallelism() - 1))

/** `1`, or the port of the first of them. */
const parseFakes = (text: string): Either.Either<Option.Option<number>, string> => {
  const given = text.trim()
  if (given === "" || given === "0") return Either.right(Option.none())
  if (given === "1") return Either.right(Option.some(firstFakePort))
  return /^\d{4,5}$/.test(given) && Number(given) <= HIGHEST_PORT - 9
    ? Either.right(Option.some(Number(given)))
    : Either.left("expected 1, 0, or the port of the first fake")
}

const usdAmount = (name: string, fallback: string): Config.Config<BigDecimal.BigDecimal> =>
  parsedOr(name, fallback, (text) =>
    Either.fromOption(
      Option.filter(fromPlainText(text.trim()), (amount) => !BigDecimal.isNegative(amount)),
      () => "expected an amount of USD, such as 1000"
    )
  )

const jwt = Config.all({
  jwksUrl: Config.option(url("JWT_JWKS_URL", "https:", "http:")),
  jwksFile: Config.option(Config.nonEmptyString("JWT_JWKS_FILE")),
  issuer: Config.option(Config.nonEmptyString("JWT_ISSUER")),
  audience: Config.option(Config.nonEmptyString("JWT_AUDIENCE"))
})

/** Sign-in to the console at the identity provider. */
const consoleClient = Config.all({
  clientId: Config.option(Config.nonEmptyString("CONSOLE_CLIENT_ID")),
  scopes: Config.option(Config.nonEmptyString("CONSOLE_SCOPES")),
  audienceParameter: Config.option(oneOf("CONSOLE_AUDIENCE_PARAMETER", ...audienceParameters)),
  tokenOrigin: Config.option(url("CONSOLE_TOKEN_ORIGIN", "https:", "http:"))
})

/** Minimum time that rows are kept. */
const retention = Config.all({
  webhooks: Config.withDefault(positive("WEBHOOK_RETENTION"), webhookRetention),
  deadLetters: Config.withDefault(positive("DEAD_LETTER_RETENTION"), deadLetterRetention),
  notifications: Config.withDefault(positive("NOTIFICATION_RETENTION"), notificationRetention),
  audit: Config.withDefault(positive("AUDIT_RETENTION"), auditRetention),
  idempotency: Config.withDefault(
    Config.validate(positive("IDEMPOTENCY_RETENTION"), {
      message: "expected an hour at least: a request may be sent again for that long",
      validation: Duration.greaterThanOrEqualTo("1 hour")
    }),
    idempotencyRetention
  ),
  unmatchedCallbacks: Config.withDefault(positive("UNMATCHED_CALLBACK_RETENTION"), unmatchedCallbackRetention)
})

/** Sanctions screening by moov-io/watchman; off without its address. */
const screening = Config.all({
  url: Config.option(url("SCREENING_URL", "https:", "http:")),
  minMatch: Config.withDefault(
    Config.validate(Config.number("SCREENING_MIN_MATCH"), {
      message: "expected a number from 0.5 to 1, such as 0.9",
      validation: (score) => score >= 0.5 && score <= 1
    }),
    0.9
  ),
  ifDown: Config.withDefault(oneOf("SCREENING_IF_DOWN", "hold", "refuse", "allow"), "hold")
})

const settings = Config.all({
  mode: Config.withDefault(oneOf("CORRIDOR_MODE", "sandbox", "live"), "sandbox"),
  port: Config.withDefault(bounded("PORT", 1, 65535), 3000),
  host: Config.withDefault(Config.nonEmptyString("HOST"), "127.0.0.1"),
  publicUrl: Config.option(url("PUBLIC_URL", "https:", "http:")),
  dataDir: Config.withDefault(Config.nonEmptyString("DATA_DIR"), ".data"),
  archiveDir: Config.option(Config.nonEmptyString("ARCHIVE_DIR")),
  retention,
  databaseUrl: Config.option(databaseUrl("DATABASE_URL")),
  databaseReadUrl: Config.option(databaseUrl("DATABASE_READ_URL")),
  databasePooler: Config.withDefault(oneOf("DATABASE_POOLER", "none", "transaction"), "none"),
  databasePool: Config.withDefault(bounded("DATABASE_POOL", 2, 500), 10),
  workers: Config.map(Config.option(bounded("CORRIDOR_WORKERS", 1, 64)), Option.getOrElse(usualWorkers)),
  /** Number of this worker process, and the embedded database of the first one. Set by the parent process. */
  worker: Config.withDefault(bounded("CORRIDOR_WORKER", 1, 64), 1),
  embeddedUrl: Config.option(secretUrl("CORRIDOR_EMBEDDED_URL", "postgres:", "postgresql:")),
  masterKey: Config.option(parsed(Config.nonEmptyString("CORRIDOR_MASTER_KEY"), parseMasterKey)),
  jwt,
  consoleClient,
  webhookRetryDelays: Config.withDefault(
    durations("WEBHOOK_RETRY_DELAYS"),
    delays("1 minute", "5 minutes", "30 minutes", "2 hours", "6 hours", "15 hours")
  ),
  webhookEndpointsPerOrg: Config.withDefault(bounded("WEBHOOK_ENDPOINTS_PER_ORG", 1, 10_000), 50),
  webhookTimeout: Config.withDefault(positive("WEBHOOK_TIMEOUT"), Duration.seconds(10)),
  rateLockTtl: Config.withDefault(positive("RATE_LOCK_TTL"), Duration.minutes(15)),
  rateLockMax: usdAmount("RATE_LOCK_MAX", "100000"),
  rateGainMax: usdAmount("RATE_GAIN_MAX", "1000"),
  reviewRateTtl: Config.withDefault(positive("REVIEW_RATE_TTL"), Duration.hours(24)),
  payinExpiry: Config.withDefault(positive("PAYIN_EXPIRY"), payinExpiry),
  linkPayinExpiry: Config.withDefault(positive("LINK_PAYIN_EXPIRY"), linkPayinExpiry),
  rateMaxAge: Config.option(positive("RATE_MAX_AGE")),
  rateSources: parsedOr("RATE_SOURCE", "manual", parseRateSources),
  rateSourceInterval: Config.option(positive("RATE_SOURCE_INTERVAL")),
  providerTimeout: Config.withDefault(positive("PROVIDER_TIMEOUT"), Duration.seconds(10)),
  statusEnquiryDelays: Config.withDefault(
    durations("STATUS_ENQUIRY_DELAYS"),
    delays("10 seconds", "30 seconds", "2 minutes", "10 minutes", "30 minutes", "2 hours", "6 hours", "24 hours")
  ),
  fakes: parsedOr("CORRIDOR_FAKES", "0", parseFakes),
  sandboxRailPace: Config.withDefault(positive("SANDBOX_RAIL_PACE"), simulatorCompletion),
  kybProvider: Config.withDefault(oneOf("KYB_PROVIDER", "manual", "webhook"), "manual"),
  kybApprovals: Config.withDefault(bounded("KYB_APPROVALS", 1, 2), 1),
  kybRequestUrl: Config.option(secretUrl("KYB_REQUEST_URL", "https:", "http:")),
  kybWebhookSecret: Config.option(Config.map(Config.nonEmptyString("KYB_WEBHOOK_SECRET"), Redacted.make)),
  rateLimitPerMinute: Config.withDefault(bounded("RATE_LIMIT_PER_MINUTE", 0, 10_000_000), 6000),
  screening,
  phonePromptsLinks: Config.option(bounded("PHONE_PROMPTS_LINKS", 0, 1000)),
  phonePromptsApi: Config.option(bounded("PHONE_PROMPTS_API", 0, 1000)),
  answerTimeout: Config.withDefault(positive("ANSWER_TIMEOUT"), answerTimeout),
  answerBufferMb: Config.withDefault(bounded("ANSWER_BUFFER_MB", 4, 65_536), answerBufferMb),
  corsOrigins: parsedOr("CORS_ORIGINS", "", parseCorsOrigins),
  trustProxy: parsedOr("TRUST_PROXY", "false", parseTrustProxy),
  metricsPort: Config.option(bounded("METRICS_PORT", 1, 65535)),
  logLevel: Config.withDefault(oneOf("LOG_LEVEL", "debug", "info", "warn", "error"), "info"),
  logFormat: Config.withDefault(oneOf("LOG_FORMAT", "pretty", "json"), "pretty"),
  otlpEndpoint: Config.option(url("OTEL_EXPORTER_OTLP_ENDPOINT", "https:", "http:")),
  smtpUrl: Config.option(secretUrl("SMTP_URL", "smtp:", "smtps:")),
  notifyFrom: parsedOr("NOTIFY_FROM", "Corridor <no-reply@localhost>", parseMailbox)
})

type Values = Config.Config.Success<typeof settings>

export const logLevels = {
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warn: LogLevel.Warning,
  error: LogLevel.Error
} as const

export const missing = (name: string, why: string): ConfigError.ConfigError => ConfigError.MissingData([name], why)

/** Collects all problems of live mode. */
const problemsInLive = (values: Values): ReadonlyArray<ConfigError.ConfigError> => {
  const { fakes, kybProvider, kybRequestUrl, kybWebhookSecret, masterKey } = values
  const problems: Array<ConfigError.ConfigError> = []
  if (Option.isSome(fakes)) {
    problems.push(ConfigError.InvalidData(["CORRIDOR_FAKES"], "live mode speaks to the third parties themselves"))
  }
  if (Option.isNone(masterKey)) {
    problems.push(missing("CORRIDOR_MASTER_KEY", "live mode needs one; make it with: openssl rand -hex 32"))
  }
  if (Option.exists(kybRequestUrl, (text) => !Redacted.value(text).startsWith("https:"))) {
    problems.push(ConfigError.InvalidData(["KYB_REQUEST_URL"], "live mode needs an address that starts with https://"))
  }
  if (Option.isNone(kybWebhookSecret)) {
    const message = "KYB_PROVIDER=webhook needs the secret that requests and callbacks are signed with"
    if (kybProvider === "webhook") problems.push(missing("KYB_WEBHOOK_SECRET", message))
  } else if (Redacted.value(kybWebhookSecret.value).trim().length < shortestLiveSecret) {
    const message = `live mode needs at least ${shortestLiveSecret} characters; make it with: openssl rand -hex 32`
    problems.push(ConfigError.InvalidData(["KYB_WEBHOOK_SECRET"], message))
  }
  return problems
}

/** Checks settings that depend on each other. */
const checked = (values: Values): Either.Either<Values, ConfigError.ConfigError> => {
  const { issuer, audience, jwksFile, jwksUrl } = values.jwt
  if (Option.isSome(jwksUrl) && Option.isSome(jwksFile)) {
    return Either.left(ConfigError.InvalidData(["JWT_JWKS_FILE"], "set it or JWT_JWKS_URL, not both"))
  }
  const external = Option.isSome(jwksUrl) || Option.isSome(jwksFile)
  if (external && Option.isNone(issuer)) return Either.left(missing("JWT_ISSUER", "the tokens' iss must be known"))
  if (external && Option.isNone(audience)) return Either.left(missing("JWT_AUDIENCE", "the tokens' aud must be known"))
  if (Option.isSome(values.kybRequestUrl) && Option.isNone(values.kybWebhookSecret)) {
    return Either.left(missing("KYB_WEBHOOK_SECRET", "requests to KYB_REQUEST_URL are signed with it"))
  }
  const problems = values.mode === "live" ? problemsInLive(values) : []
  const signIn = consoleSignIn(values.consoleClient, values.jwt, values.mode)
  const [first, ...others] = Either.isLeft(signIn) ? [...problems, signIn.left] : problems
  return first === undefined
    ? Either.right(values)
    : Either.left(others.reduce((all, one) => ConfigError.And(all, one), first))
}

const textOf = (error: ConfigError.ConfigError): string => {
  switch (error._op) {
    case "And":
      return `${textOf(error.left)}\n${textOf(error.right)}`
    case "Or":
      return textOf(error.right)
    case "MissingData":
      return `${error.path.join(".")} is missing: ${error.message}.`
    case "InvalidData":
      return `${error.path.join(".")} is not valid: ${error.message}.`
    default:
      return error.message
  }
}

class SettingsError extends Error {
  override readonly name = "SettingsError"
}

export const settingsError = (error: ConfigError.ConfigError): SettingsError => new SettingsError(textOf(error))

const load = settings.pipe(
  Effect.flatMap(checked),
  Effect.bind("consoleSignIn", ({ consoleClient: given, jwt: tokens, mode }) => consoleSignIn(given, tokens, mode)),
  Effect.map(({ consoleClient: _, ...values }) => ({
    ...values,
    /** Folder of archives; none: rows past their retention are deleted without an archive. */
    archiveDir: Option.filter(
      Option.orElseSome(values.archiveDir, () => join(values.dataDir, "archive")),
      (folder) => folder !== "none"
    ),
    phonePromptsLinks: Option.getOrElse(values.phonePromptsLinks, () =>
      values.rateLimitPerMinute === 0 ? 0 : linkPromptsPerDay
    ),
    phonePromptsApi: Option.getOrElse(values.phonePromptsApi, () => (values.mode === "live" ? apiPromptsPerDay : 0)),
    publicUrl: Option.getOrElse(values.publicUrl, () => `http://127.0.0.1:${values.port}`),
    version: "0.9.0"
  })),
  Effect.mapError(settingsError)
)

export class Settings extends Context.Tag("corridor/Settings")<Settings, Effect.Effect.Success<typeof load>>() {
  static readonly load = load
  static readonly layer = Layer.effect(Settings, load)
}
