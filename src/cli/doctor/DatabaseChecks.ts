/** Checks of the database for `corridor doctor`. They change nothing. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema, Array, Duration } from "effect"
import { rowAs, theRowAs, tableExists, columnExists, rowsAs } from "../../platform/database/Query.ts"
import type { Settings } from "../../platform/config/Settings.ts"
import { DatabaseServer, replication as readReplication, otherServer } from "../../platform/database/DatabaseServer.ts"
import {
  compareHistory,
  MIGRATIONS_TABLE,
  NO_UPGRADE,
  recordedMigrations,
  migrations
} from "../../platform/database/Migrations.ts"
import { keptMasterKey, knownMasterKey } from "../../platform/masterKey/MasterKeyGuard.ts"
import { checkValue, Vault } from "../../platform/secrets/Vault.ts"
import type { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { type Check, fail, ok, warn } from "./MachineChecks.ts"
import { hostsOf } from "../../platform/config/DatabaseUrl.ts"
import { lookAtHosts } from "../../platform/database/PrimaryFence.ts"
import { builtInRails, ProviderName } from "../../domain/Corridor.ts"
import { ConfigId } from "../../domain/Ids.ts"
import { liveRateMaxAge } from "../../domain/policies/PaymentPolicies.ts"
import { openCredentials } from "../../providers/accounts/AccountCredentials.ts"

/** Whether a failover is safe; empty for a single server. */
export const replication = Effect.map(readReplication, (found): ReadonlyArray<Check> => {
  if (Option.isNone(found)) return []
  const { risk, standbys } = found.value
  return Option.match(risk, {
    onNone: () => [ok("Replication", `synchronous, ${standbys} ${standbys === 1 ? "standby" : "standbys"}`)],
    onSome: (text) => [warn("Replication", text)]
  })
})

const listed = (primaries: ReadonlyArray<{ readonly name: string; readonly timeline: number | null }>): string =>
  primaries.map(({ name, timeline }) => `${name} on timeline ${timeline ?? "?"}`).join(" and ")

/** Two primaries among the hosts, or another cluster than the database was last used on. Nothing where all is well. */
export const primary = Effect.gen(function* () {
  const { url } = yield* DatabaseServer
  const hosts = yield* Effect.promise(() => lookAtHosts(hostsOf(url)))
  const primaries = hosts.flatMap(({ host, port, replica, timeline }) =>
    replica ? [] : [{ name: `${host}:${port}`, timeline }]
  )
  if (primaries.length > 1) {
    return [fail("Primary", `two servers take writes, ${listed(primaries)}: stop the one with the lower timeline.`)]
  }
  const other = (yield* columnExists("database_identity", "timeline")) ? yield* otherServer : Option.none<string>()
  return Option.toArray(Option.map(other, (message) => fail("Primary", message)))
})

const server = theRowAs(Schema.Struct({ version: Schema.String }))
const identityRow = rowAs(Schema.Struct({ database_id: Schema.String }))

const reachable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { embedded } = yield* DatabaseServer
  const { version } = yield* sql`select current_setting('server_version') as version`.pipe(Effect.flatMap(server))
  return ok("Database", `PostgreSQL ${version}, ${embedded ? "the embedded one" : "from DATABASE_URL"}`)
})

const schema = Effect.gen(function* () {
  const applied = (yield* tableExists(MIGRATIONS_TABLE)) ? yield* recordedMigrations : []
  const history = compareHistory(migrations, applied)
  if (history === "other") return fail("Migrations", NO_UPGRADE)
  if (history === "newer") {
    return fail("Migrations", "a newer version of Corridor has changed this database: update this one.")
  }
  const ids = applied.map(({ id }) => id)
  const pending = Object.entries(migrations).filter(([name]) => !ids.includes(Number.parseInt(name, 10)))
  if (pending.length === 0) return ok("Migrations", `up to date (${applied.length} applied)`)
  const old = pending.every(([, { besidePrevious }]) => besidePrevious)
    ? "Instances of the version before may go on serving."
    : "Stop the instances of the version before first."
  return warn("Migrations", `${pending.length} pending: run "corridor migrate", or just start the server. ${old}`)
})

const masterKey = Effect.gen(function* () {
  const known = yield* knownMasterKey
  if (Option.isNone(known)) return ok("Master key", "the first start makes one, and keeps it in the database")
  const { guessable, masterKey: key } = known.value
  const kept = yield* keptMasterKey
  if (Option.isNone(kept)) return ok("Master key", `${key.id}; the first start ties the database to it`)
  if (kept.value.check_value !== checkValue(key)) {
    return fail(
      "Master key",
      `the database belongs to ${kept.value.key_id}, but this process has ${key.id}: set CORRIDOR_MASTER_KEY to the key that was used before.`
    )
  }
  return guessable
    ? warn("Master key", `${key.id} follows from the database's name alone: change it with "corridor secrets rotate".`)
    : ok("Master key", `${key.id} is the one this database belongs to`)
})

const accounts = rowsAs(
  Schema.Struct({
    config_id: ConfigId,
    provider: ProviderName,
    sealed: Schema.NullOr(Schema.String),
    tested: Schema.Boolean
  })
)
const counted = theRowAs(Schema.Struct({ known: Schema.Number, usable: Schema.Number }))

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

const providers = ({ parties }: ProviderSettings["Type"]) =>
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

const rates = ({ rateMaxAge }: Settings["Type"]) =>
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

const people = Effect.gen(function* () {
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

/** A question that the database refuses to answer is a finding like any other. */
const orFinding = <R>(
  name: string,
  check: Effect.Effect<Check | ReadonlyArray<Check>, { readonly cause?: unknown }, R>
) =>
  Effect.catchAll(check, ({ cause }) =>
    Effect.succeed(fail(name, `could not be looked at: ${cause instanceof Error ? cause.message : String(cause)}.`))
  )

/** Identifies the database, to compare it with the running server's. */
const identity = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists("database_identity"))) return Option.none<string>()
  const row = yield* sql`select database_id::text from database_identity`.pipe(Effect.flatMap(identityRow))
  return Option.map(row, ({ database_id }) => database_id)
})

export const databaseChecks = (settings: Settings["Type"], providerSettings: ProviderSettings["Type"]) =>
  Effect.all({
    checks: Effect.all([
      orFinding("Database", reachable),
      orFinding("Primary", primary),
      orFinding("Replication", replication),
      orFinding("Migrations", schema),
      orFinding("Master key", masterKey),
      ...(settings.mode === "live"
        ? [
            orFinding("Providers", providers(providerSettings)),
            orFinding("Rates", rates(settings)),
            orFinding("People", people),
            orFinding("Reserves", reserves)
          ]
        : [])
    ]).pipe(Effect.map((found) => found.flat())),
    databaseId: identity
  })
