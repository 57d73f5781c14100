/** Checks of what live mode needs to take a payment; a sandbox has all of it built in. */
import { SqlClient } from "@effect/sql"
import { Array, Duration, Effect, Option, Schema, Either, Redacted } from "effect"
import { rowsAs, theRowAs, tableExists } from "../../platform/database/Query.ts"
import type { Settings } from "../../platform/config/Settings.ts"
import { builtInRails, ProviderName } from "../../domain/Corridor.ts"
import { ConfigId } from "../../domain/Ids.ts"
import { liveRateMaxAge } from "../../domain/policies/PaymentPolicies.ts"
import { knownMasterKey } from "../../platform/masterKey/MasterKeyGuard.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { openCredentials } from "../../providers/accounts/AccountCredentials.ts"
import { thirdParties } from "../../providers/accounts/ThirdParties.ts"
import type { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { type Check, fail, ok, warn } from "./MachineChecks.ts"
import { shortestLiveSecret } from "../../domain/policies/PeoplePolicies.ts"

const accounts = rowsAs(
  Schema.Struct({
    config_id: ConfigId,
    provider: ProviderName,
    sealed: Schema.NullOr(Schema.String),
    tested: Schema.Boolean
  })
)
const counted = theRowAs(Schema.Struct({ known: Schema.Number, usable: Schema.Number }))

type Values = Settings["Type"]

const LOOPBACK = /^(localhost|127\..*|\[::1\])$/

export const publicAddress = ({ publicUrl }: Values): Check => {
  const { hostname, protocol } = new URL(publicUrl)
  if (LOOPBACK.test(hostname)) {
    return fail("Public address", `${publicUrl} cannot be reached by providers and payers: set PUBLIC_URL.`)
  }
  return protocol === "https:"
    ? ok("Public address", publicUrl)
    : fail("Public address", `${publicUrl} is not encrypted: set PUBLIC_URL to an https:// address.`)
}

export const identityProvider = ({ jwt }: Values): Check => {
  const keys = Option.orElse(jwt.jwksUrl, () => jwt.jwksFile)
  return Option.match(keys, {
    onNone: () =>
      warn("Identity provider", "no user can sign in, only API keys work: set JWT_JWKS_URL or JWT_JWKS_FILE."),
    onSome: (from) => ok("Identity provider", `keys from ${from}`)
  })
}

const activeAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists("provider_configs")) || !(yield* tableExists("provider_accounts"))) return []
  return yield* sql`select c.config_id, c.provider, a.sealed, a.tested_at is not null as tested
    from provider_configs c left join provider_accounts a on a.config_id = c.config_id
    where c.is_active and c.provider not in ${sql.in(builtInRails)}
    order by c.provider, c.config_id`.pipe(Effect.flatMap(accounts))
})

type Row = Effect.Effect.Success<typeof activeAccounts>[number]

/** One name for each provider: of many configurations their number, of one its id. */
const byProvider = (off: ReadonlyArray<Row>) =>
  Object.entries(
    Array.groupBy(off, ({ provider, sealed }) => `${provider}${sealed === null ? "" : " (not tested)"}`)
  ).map(([name, group]) => (group.length === 1 ? `${name} ${group[0].config_id}` : `${group.length} of ${name}`))

/** Accounts of configurations that live mode does not take, such as one with a test key, and why. */
const refusedInLive = (rows: ReadonlyArray<Row>) =>
  Effect.gen(function* () {
    const known = yield* knownMasterKey
    if (Option.isNone(known)) return []
    const vault = Vault.make(known.value.masterKey)
    const tried = yield* Effect.forEach(rows, ({ config_id, provider, sealed }) =>
      sealed === null
        ? Effect.succeed([])
        : Effect.match(openCredentials(vault, { config_id, provider, sealed }, "live"), {
            onFailure: ({ message }) => [`${provider} ${config_id}: ${message}`],
            onSuccess: () => []
          })
    )
    return tried.flat()
  })

export const providers = ({ parties }: ProviderSettings["Type"]) =>
  Effect.gen(function* () {
    const rows = yield* activeAccounts
    const refused = yield* refusedInLive(rows)
    const ofPlatform = [...parties].flatMap(([name, { platform }]) => (Option.isSome(platform) ? [name] : []))
    const isOn = ({ provider, sealed, tested }: Row) =>
      sealed === null ? ofPlatform.some((name) => name === provider) : tested
    const off = rows.filter((row) => !isOn(row))
    const own = rows.filter((row) => row.sealed !== null && row.tested).length
    const on =
      `credentials of the platform: ${ofPlatform.length === 0 ? "none" : ofPlatform.join(", ")}; ` +
      `configurations with an account of their own: ${own}`
    if (rows.length === 0) {
      return fail(
        "Providers",
        `none is configured, so no payment can be routed: add one with "corridor providers add", or POST /v1/payments/provider-configs (${on}).`
      )
    }
    if (refused.length > 0) {
      return fail(
        "Providers",
        `${on}. Not usable: ${refused.join(" ")} Set others: "corridor providers credentials set".`
      )
    }
    if (off.length === 0) return ok("Providers", on)
    const lacking = `${on}. Not routed for want of credentials: ${byProvider(off).join(", ")} ("corridor providers list" has them all): set those of the platform, or "corridor providers credentials set" and "corridor providers test".`
    return off.length === rows.length ? fail("Providers", lacking) : warn("Providers", lacking)
  })

/** Currencies in which virtual accounts get bank details from the platform's provider accounts. */
export const accountDetails = ({ parties }: ProviderSettings["Type"]): Check => {
  const issuing = thirdParties.flatMap(({ issues = [], name }) =>
    issues.length > 0 &&
    Option.isSome(Option.flatMap(Option.fromNullable(parties.get(name)), ({ platform }) => platform))
      ? [`${name} (${issues.join(", ")})`]
      : []
  )
  return issuing.length === 0
    ? warn(
        "Account details",
        "no provider issues bank details for virtual accounts: they are funded by payins and from the settlement balance."
      )
    : ok("Account details", `issued by ${issuing.join(", ")}`)
}

export const rates = ({ rateMaxAge }: Values) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const oldest = Duration.toSeconds(Option.getOrElse(rateMaxAge, () => liveRateMaxAge))
    const { known, usable } = (yield* tableExists("rates"))
      ? yield* sql`select count(*)::int as known,
          count(*) filter (where updated_at >= now() - make_interval(secs => ${oldest}))::int as usable from rates`.pipe(
          Effect.flatMap(counted)
        )
      : { known: 0, usable: 0 }
    if (known === 0) return warn("Rates", 'none, so only one currency at a time: "corridor rates set" sets them.')
    return usable === known
      ? ok("Rates", `${known}, none too old`)
      : warn("Rates", `${known - usable} of ${known} are too old to be served: set them again, or see RATE_MAX_AGE.`)
  })

/** Checks of live operation: platform admins, mail, metrics, a database with backups. */
export const mail = ({ smtpUrl }: Values): Check =>
  Option.isSome(smtpUrl)
    ? ok("Mail", "SMTP_URL is set")
    : warn("Mail", "invitations and verification requests cannot be sent: set SMTP_URL.")

export const metrics = ({ metricsPort }: Values): Check =>
  Option.match(metricsPort, {
    onNone: () => warn("Metrics", "the service cannot be monitored and raises no alerts: set METRICS_PORT."),
    onSome: (port) => ok("Metrics", `on port ${port} and up, one for each process`)
  })

export const databaseOfItsOwn = ({ databaseUrl }: Values): Check =>
  Option.isSome(databaseUrl)
    ? ok("PostgreSQL", "one of your own")
    : warn(
        "PostgreSQL",
        'the embedded one has neither a replica nor backups of its own: set DATABASE_URL, or run "corridor backup" often.'
      )

const peopleCounts = theRowAs(Schema.Struct({ admins: Schema.Number, organizations: Schema.Number }))

export const people = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { admins, organizations } = (yield* tableExists("users"))
    ? yield* sql`select (select count(*)::int from users where is_admin) as admins,
        (select count(*)::int from organizations where not sandbox) as organizations`.pipe(Effect.flatMap(peopleCounts))
    : { admins: 0, organizations: 0 }
  if (admins === 0) {
    return warn(
      "People",
      'there is no platform admin, so no person can resolve, refund or freeze in their own name: "corridor users create --admin".'
    )
  }
  return organizations === 0
    ? warn("People", 'there is no live organisation yet: "corridor orgs create".')
    : ok("People", `${admins} platform admins, ${organizations} live organisations`)
})

/** The settings of providers as live mode reads them, whatever the mode is now. */
export type ProvidersAsLive = Either.Either<ProviderSettings["Type"], { readonly message: string }>

const mode = ({ mode: now }: Values): Check =>
  now === "live" ? ok("Mode", "live") : warn("Mode", "sandbox: set CORRIDOR_MODE=live once the rest is in order.")

const secrets = ({ kybWebhookSecret, masterKey }: Values): ReadonlyArray<Check> => [
  Option.isSome(masterKey)
    ? ok("Secrets", "CORRIDOR_MASTER_KEY is set; keep a copy of it apart from the database")
    : fail("Secrets", "CORRIDOR_MASTER_KEY is missing: make it with openssl rand -hex 32."),
  Option.exists(kybWebhookSecret, (text) => Redacted.value(text).trim().length >= shortestLiveSecret)
    ? ok("KYB callbacks", "KYB_WEBHOOK_SECRET is set")
    : fail(
        "KYB callbacks",
        `KYB_WEBHOOK_SECRET is missing or shorter than ${shortestLiveSecret} characters: make it with openssl rand -hex 32.`
      )
]

const fakes = ({ fakes: on }: Values): ReadonlyArray<Check> =>
  Option.isSome(on) ? [fail("Fakes", "CORRIDOR_FAKES is set: live mode speaks to the third parties themselves.")] : []

/**
 * Without them only configurations that bring their own account can be routed by. Test keys and addresses of a test mode
 * are not taken by live mode.
 */
const platformAccounts = (read: ProvidersAsLive): Check => {
  if (Either.isLeft(read)) return fail("Provider accounts", read.left.message.replaceAll("\n", " "))
  const { parties } = read.right
  const named = [...parties].flatMap(([name, { platform }]) => (Option.isSome(platform) ? [name] : []))
  return named.length > 0
    ? ok("Provider accounts", named.join(", "))
    : warn("Provider accounts", "no credentials of a provider are set: each configuration has to bring its own.")
}

export const liveSettings = (values: Values, providers: ProvidersAsLive): ReadonlyArray<Check> => [
  mode(values),
  ...secrets(values),
  ...fakes(values),
  publicAddress(values),
  identityProvider(values),
  databaseOfItsOwn(values),
  mail(values),
  metrics(values),
  platformAccounts(providers)
]
