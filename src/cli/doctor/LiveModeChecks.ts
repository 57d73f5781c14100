/** Checks of what live mode needs to take a payment; a sandbox has all of it built in. */
import { SqlClient } from "@effect/sql"
import { Array, Duration, Effect, Option, Schema, Either, Redacted } from "effect"
import { columnExists, rowsAs, theRowAs, tableExists } from "../../platform/database/Query.ts"
import type { Settings } from "../../platform/config/Settings.ts"
import { builtInRails, ProviderName } from "../../domain/Corridor.ts"
import { ConfigId } from "../../domain/Ids.ts"
import { liveRateMaxAge, rateProposalTime } from "../../domain/policies/PaymentPolicies.ts"
import { knownMasterKey } from "../../platform/masterKey/MasterKeyGuard.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { decryptCredentials } from "../../providers/accounts/AccountCredentials.ts"
import type { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { configured, isExample, publicAddress } from "./CallbackChecks.ts"
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

export const identityProvider = ({ jwt }: Values): Check => {
  const keys = Option.orElse(jwt.jwksUrl, () => jwt.jwksFile)
  return Option.match(keys, {
    onNone: () =>
      warn("Identity provider", "no user can sign in, only API keys work: set JWT_JWKS_URL or JWT_JWKS_FILE."),
    onSome: (from) =>
      isExample(from)
        ? fail("Identity provider", `${from} is an example: set JWT_JWKS_URL, JWT_ISSUER and JWT_AUDIENCE to yours.`)
        : ok("Identity provider", `keys from ${from}`)
  })
}

export const sanctions = ({ screening }: Values): Check =>
  Option.match(screening.url, {
    onNone: () => warn("Sanctions screening", "no name is screened: set SCREENING_URL to the address of Watchman."),
    onSome: (url) => ok("Sanctions screening", `by ${url}; if it is down: ${screening.ifDown}`)
  })

const activeAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists("provider_configs")) || !(yield* tableExists("provider_accounts"))) return []
  return yield* sql`select c.config_id, c.provider, a.sealed, a.tested_at is not null as tested
    from provider_configs c left join provider_accounts a on a.config_id = c.config_id
    where c.is_active and c.provider not in ${sql.in(builtInRails)}
    order by c.provider, c.config_id`.pipe(Effect.flatMap(accounts))
})

type Row = Effect.Effect.Success<typeof activeAccounts>[number]

/** Names by provider: a single configuration with its id, otherwise their number. */
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
        : Effect.match(decryptCredentials(vault, { config_id, provider, sealed }, "live"), {
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
export const accountDetails = (settings: ProviderSettings["Type"]): Check => {
  const issuing = configured(settings).flatMap(({ issues = [], name }) =>
    issues.length > 0 ? [`${name} (${issues.join(", ")})`] : []
  )
  return issuing.length === 0
    ? warn(
        "Account details",
        "no provider issues bank details for virtual accounts: they are funded by payins and from the settlement balance."
      )
    : ok("Account details", `issued by ${issuing.join(", ")}`)
}

const HOW_TO_SET = '"corridor rates set", or RATE_SOURCE fetches them'

export const rates = ({ rateMaxAge, rateSources }: Values) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const oldest = Duration.toSeconds(Option.getOrElse(rateMaxAge, () => liveRateMaxAge))
    const { known, usable } = (yield* tableExists("rates"))
      ? yield* sql`select count(*)::int as known,
          count(*) filter (where updated_at >= now() - make_interval(secs => ${oldest}))::int as usable from rates`.pipe(
          Effect.flatMap(counted)
        )
      : { known: 0, usable: 0 }
    if (known === 0 && rateSources.fetched.length > 0) return warn("Rates", "none yet: the server fetches them.")
    if (known === 0) return warn("Rates", `none, so only one currency at a time: ${HOW_TO_SET}.`)
    return usable === known
      ? ok("Rates", `${known}, none too old`)
      : warn("Rates", `${known - usable} of ${known} are too old to be served: ${HOW_TO_SET}; see also RATE_MAX_AGE.`)
  })

const fetchStates = rowsAs(
  Schema.Struct({
    source: Schema.String,
    age: Schema.NullOr(Schema.Number),
    dated: Schema.Boolean,
    failures: Schema.Number,
    last_error: Schema.NullOr(Schema.String)
  })
)
const waitingRates = theRowAs(Schema.Struct({ waiting: Schema.Number }))

/** Rate sources, the last success of each, and proposals that wait for a person. */
export const rateSources = ({ rateMaxAge, rateSources: { fetched, priority } }: Values) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (fetched.length === 0) {
      return warn("Rate sources", "manual: a person sets each rate again before RATE_MAX_AGE, or set RATE_SOURCE.")
    }
    const has = yield* tableExists("rate_fetches")
    const states = has
      ? yield* Effect.flatMap(
          sql`select source, extract(epoch from now() - fetched_at)::float8 as age, published_at is not null as dated,
            failures, last_error
            from rate_fetches`,
          fetchStates
        )
      : []
    const { waiting } = has
      ? yield* Effect.flatMap(
          sql`select count(*)::int as waiting from rate_proposals
            where proposed_at > now() - make_interval(secs => ${Duration.toSeconds(rateProposalTime)})`,
          waitingRates
        )
      : { waiting: 0 }
    const maxAge = Duration.toSeconds(Option.getOrElse(rateMaxAge, () => liveRateMaxAge))
    const found = fetched.map(({ kind, name }) => {
      const state = states.find(({ source }) => source === name)
      const age = state?.age ?? null
      const last =
        age === null ? "not fetched yet" : `fetched ${Duration.format(Duration.seconds(Math.round(age)))} ago`
      const failing = state === undefined || state.failures === 0 ? "" : `, failing (${state.last_error})`
      const stale = age !== null && age > maxAge ? ", stale" : ""
      const isUndated = kind === "https" && age !== null && state?.dated === false
      const undated = isUndated ? ", without a time, so it never grows old: add at=/POINTER to its mapping" : ""
      const problems = `${stale}${failing}${undated}`
      return { text: `${name} ${last}${problems}`, isWell: age !== null && problems === "" }
    })
    const proposals =
      waiting === 0 ? "" : `; ${waiting} rates wait for a person, "corridor rates list" has the command for each`
    const message = `${priority.includes("manual") ? "manual and " : ""}${found.map(({ text }) => text).join("; ")}${proposals}`
    return waiting === 0 && found.every(({ isWell }) => isWell)
      ? ok("Rate sources", message)
      : warn("Rate sources", `${message}.`)
  })

/** Checks of live operation: platform admins, mail, metrics, a database with backups. */
export const mail = ({ notifyFrom, smtpUrl }: Values): Check => {
  if (Option.isNone(smtpUrl)) {
    return warn("Mail", "invitations and verification requests cannot be sent: set SMTP_URL.")
  }
  return isExample(Redacted.value(smtpUrl.value)) || isExample(notifyFrom.address)
    ? fail("Mail", "SMTP_URL or NOTIFY_FROM is an example: set them to your mail server and your address.")
    : ok("Mail", "SMTP_URL is set")
}

export const metrics = ({ metricsPort }: Values): Check =>
  Option.match(metricsPort, {
    onNone: () => warn("Metrics", "the service cannot be monitored and raises no alerts: set METRICS_PORT."),
    onSome: (port) => ok("Metrics", `on port ${port} and up, one for each process`)
  })

export const databaseOfItsOwn = ({ databaseUrl }: Values): Check => {
  if (Option.isNone(databaseUrl)) {
    return warn(
      "PostgreSQL",
      'the embedded one has neither a replica nor backups of its own: set DATABASE_URL, or run "corridor backup" often.'
    )
  }
  return isExample(Redacted.value(databaseUrl.value))
    ? fail("PostgreSQL", "DATABASE_URL is an example: replace PASSWORD, and the rest where it differs.")
    : ok("PostgreSQL", "one of your own")
}

const reserveCounts = theRowAs(Schema.Struct({ taking: Schema.Number, bare: Schema.Number }))

/** Organisations whose card payins can be paid out at once, although they can be charged back for months. */
export const reserves = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { bare, taking } = (yield* columnExists("organizations", "reserves"))
    ? yield* sql`select count(*)::int as taking,
        count(*) filter (where not o.reserves @> '[{"payment_method": "card"}]')::int as bare
        from organizations o where not o.sandbox and exists (
          select from provider_configs c where c.is_active and c.payment_method = 'card' and c.direction = 'inbound'
            and (c.org_id is null or c.org_id = o.org_id))`.pipe(Effect.flatMap(reserveCounts))
    : { taking: 0, bare: 0 }
  if (taking === 0) return ok("Reserves", "no live organisation takes cards")
  return bare === 0
    ? ok("Reserves", `card payins of all ${taking} organisations are held back in part`)
    : warn(
        "Reserves",
        `card money of ${bare} of ${taking} organisations can be paid out as soon as it is completed: "corridor reserves set".`
      )
})

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

const masterKey = ({ masterKey: key }: Values): Check =>
  Option.isSome(key)
    ? ok("Secrets", "CORRIDOR_MASTER_KEY is set; keep a copy of it apart from the database")
    : fail("Secrets", "CORRIDOR_MASTER_KEY is missing: make it with openssl rand -hex 32.")

/** Decider of KYB applications, and the settings that it needs. */
const kyb = ({ kybApprovals, kybProvider, kybRequestUrl, kybWebhookSecret }: Values): Check => {
  const isLong = (text: Redacted.Redacted) => Redacted.value(text).trim().length >= shortestLiveSecret
  if (Option.isSome(kybWebhookSecret) ? !isLong(kybWebhookSecret.value) : kybProvider === "webhook") {
    return fail(
      "KYB",
      `KYB_WEBHOOK_SECRET is missing or shorter than ${shortestLiveSecret} characters: make it with openssl rand -hex 32.`
    )
  }
  if (kybProvider === "webhook") {
    return Option.isSome(kybRequestUrl)
      ? ok("KYB", "webhook: applications go to KYB_REQUEST_URL, signed callbacks decide")
      : warn(
          "KYB",
          "webhook: signed callbacks decide, but the provider is told of no application: set KYB_REQUEST_URL."
        )
  }
  const people = kybApprovals === 1 ? "one platform admin decides" : `${kybApprovals} platform admins approve`
  return Option.isNone(kybWebhookSecret)
    ? ok("KYB", `manual: ${people}`)
    : warn(
        "KYB",
        `manual: ${people}, but callbacks signed with KYB_WEBHOOK_SECRET decide too. Unset it, or set KYB_PROVIDER.`
      )
}

const kybCounts = theRowAs(
  Schema.Struct({
    waiting: Schema.Number,
    failing: Schema.Number,
    error: Schema.NullOr(Schema.String),
    admins: Schema.Number
  })
)

/** Applications that wait, for people or for the provider. */
export const kybApplications = ({ kybApprovals, kybProvider }: Values) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (!(yield* tableExists("kyb_applications"))) return ok("KYB applications", "none")
    const { admins, error, failing, waiting } = yield* Effect.flatMap(
      sql`select count(*)::int as waiting, count(a.request_error)::int as failing, max(a.request_error) as error,
          (select count(*)::int from users where is_admin) as admins
        from kyb_applications a join organizations o on o.kyb_customer_id = a.customer_id
        where o.kyb_status = 'pending'`,
      kybCounts
    )
    if (kybProvider === "webhook") {
      return failing === 0
        ? ok("KYB applications", `${waiting} wait for the provider`)
        : warn("KYB applications", `${failing} of ${waiting} could not be sent to KYB_REQUEST_URL: ${error}.`)
    }
    if (admins < kybApprovals) {
      return warn("KYB applications", `${kybApprovals} platform admins have to approve, but there are ${admins}.`)
    }
    return waiting === 0
      ? ok("KYB applications", "none waits")
      : warn("KYB applications", `${waiting} wait for a decision: "corridor kyb list --status pending".`)
  })

const unapprovedCount = theRowAs(Schema.Struct({ unapproved: Schema.Number }))

/** The status of KYB blocks nothing, so an operator has to see this. One row of each organisation is read at most. */
export const kybOfActive = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists("payments"))) return []
  const { unapproved } = yield* Effect.flatMap(
    sql`select count(*)::int as unapproved from organizations o
        where o.kyb_status <> 'approved' and exists (select 1 from payments p where p.org_id = o.org_id)`,
    unapprovedCount
  )
  const message = `${unapproved} organisations have payments without an approved KYB, which blocks nothing: "corridor orgs list" shows it.`
  return unapproved === 0 ? [] : [warn("Unapproved KYB", message)]
})

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

/** PCI DSS questionnaire that follows from the settings. */
const cardData = (read: ProvidersAsLive): Check =>
  Either.isRight(read) && read.right.rawCards
    ? warn(
        "Card data",
        "CARD_DATA=raw: card numbers pass through this service, which is SAQ D of PCI DSS. Without it, payers enter cards on the providers' pages (SAQ A)."
      )
    : ok("Card data", "payers enter cards on the providers' own pages, which is SAQ A of PCI DSS")

export const liveSettings = (values: Values, providers: ProvidersAsLive): ReadonlyArray<Check> => [
  mode(values),
  masterKey(values),
  kyb(values),
  ...fakes(values),
  publicAddress(values),
  identityProvider(values),
  databaseOfItsOwn(values),
  mail(values),
  metrics(values),
  sanctions(values),
  platformAccounts(providers),
  cardData(providers)
]
