/** Stores of the configurations' accounts, with encrypted credentials, and of the platform's account fingerprints. */
import { Context, type Option, Schema, Duration, Effect, Layer } from "effect"
import { ConfigId } from "../../domain/Ids.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import { type Stored, orTransactionFailure } from "../../platform/database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { replacedCredentialsGrace, replacedCredentialsKept } from "../../domain/policies/ProviderPolicies.ts"
import { deletedRows, execute, query, rowAs } from "../../platform/database/Query.ts"

export const ProviderAccount = Schema.Struct({
  config_id: ConfigId,
  provider: ProviderName,
  sealed: Schema.String,
  /** Incremented with every change of the credentials. */
  version: Schema.Int,
  tested_at: Schema.NullOr(Schema.DateFromSelf),
  updated_at: Schema.DateFromSelf
})

export type ProviderAccount = typeof ProviderAccount.Type

export const EncryptedAccount = ProviderAccount.pipe(Schema.pick("config_id", "sealed"))
export type EncryptedAccount = typeof EncryptedAccount.Type

const NamedCredentials = ProviderAccount.pipe(Schema.pick("config_id", "provider", "sealed"))
type NamedCredentials = typeof NamedCredentials.Type

/** Replaced credentials. Callbacks may still be signed with them. */
export const ReplacedCredentials = Schema.Struct({
  config_id: ConfigId,
  sealed: Schema.String,
  /** Version of the account that they were. */
  version: Schema.Int,
  until: Schema.DateFromSelf
})
export type ReplacedCredentials = typeof ReplacedCredentials.Type

export interface NewAccount extends Pick<ProviderAccount, "config_id" | "provider" | "sealed"> {
  /** Whether the provider accepted the credentials in a test. */
  readonly tested: boolean
}

export class ProviderAccountStore extends Context.Tag("corridor/ProviderAccountStore")<
  ProviderAccountStore,
  {
    readonly find: (id: ConfigId) => Stored<Option.Option<ProviderAccount>>
    /** Stores credentials; none, and no change, where untested ones would replace tested ones. */
    readonly put: (account: NewAccount) => Stored<Option.Option<ProviderAccount>>
    /** Newest first, within their grace period; without those that were never in use. */
    readonly replaced: (id: ConfigId) => Stored<ReadonlyArray<ReplacedCredentials>>
    readonly forgetReplaced: (id: ConfigId) => Stored<void>
    /** Marks the credentials as tested; none if they have changed since. */
    readonly markTested: (id: ConfigId, version: number) => Stored<Option.Option<ProviderAccount>>
    readonly allCredentials: Stored<ReadonlyArray<NamedCredentials>>
    /** Deletes those past their grace period, and counts them. */
    readonly forgetOld: Stored<number>
  }
>() {}

/** Fingerprint of the platform's credentials, as seen by instances. No credential is stored. */
export const PlatformAccount = Schema.Struct({
  provider: ProviderName,
  fingerprint: Schema.String,
  first_seen_at: Schema.DateFromSelf,
  last_seen_at: Schema.DateFromSelf
})

export type PlatformAccount = typeof PlatformAccount.Type

export type NamedAccount = Pick<PlatformAccount, "provider" | "fingerprint">

export class PlatformAccountStore extends Context.Tag("corridor/PlatformAccountStore")<
  PlatformAccountStore,
  {
    /** Records these as in use now, and returns all that ever were. */
    readonly see: (named: ReadonlyArray<NamedAccount>) => Stored<ReadonlyArray<PlatformAccount>>
  }
>() {}

const accounts = query(ProviderAccount)
const writtenAccount = rowAs(ProviderAccount)
const replaced = query(ReplacedCredentials)
const credentialRows = query(NamedCredentials)

export const providerAccountStoreSql = Layer.effect(
  ProviderAccountStore,
  Effect.map(SqlClient.SqlClient, (sql): ProviderAccountStore["Type"] => {
    const columns = sql.literal("a.config_id, a.provider, a.sealed, a.version, a.tested_at, a.updated_at")
    const grace = Duration.toSeconds(replacedCredentialsGrace)
    return {
      find: (id) => accounts.first(sql`select ${columns} from provider_accounts a where config_id = ${id}`),
      // Serialises concurrent writers: each replaces what the one before has put.
      put: ({ config_id, provider, sealed, tested }) =>
        Effect.gen(function* () {
          yield* sql`lock table provider_accounts in share row exclusive mode`
          if (tested) {
            yield* sql`insert into replaced_credentials (config_id, version, sealed, until)
              select config_id, version, sealed, now() + make_interval(secs => ${grace})
              from provider_accounts where config_id = ${config_id} and tested_at is not null`
            yield* sql`delete from replaced_credentials where config_id = ${config_id} and version not in (
              select version from replaced_credentials where config_id = ${config_id}
              order by version desc limit ${replacedCredentialsKept})`
          }
          const rows = yield* sql`insert into provider_accounts as a (config_id, provider, sealed, tested_at)
            values (${config_id}, ${provider}, ${sealed}, case when ${tested} then now() end)
            on conflict (config_id) do update set provider = excluded.provider, sealed = excluded.sealed,
              tested_at = excluded.tested_at, version = a.version + 1, updated_at = now()
            where excluded.tested_at is not null or a.tested_at is null
            returning ${columns}`
          return yield* writtenAccount(rows)
        }).pipe(sql.withTransaction, orTransactionFailure),
      replaced: (id) =>
        replaced.all(sql`select config_id, version, sealed, until from replaced_credentials
          where config_id = ${id} and until > now() order by version desc`),
      forgetReplaced: (id) => execute(sql`delete from replaced_credentials where config_id = ${id}`),
      markTested: (id, version) =>
        accounts.first(sql`update provider_accounts a set tested_at = now() where config_id = ${id} and version = ${version}
          returning ${columns}`),
      allCredentials: credentialRows.all(
        sql`select config_id, provider, sealed from provider_accounts order by config_id`
      ),
      forgetOld: deletedRows(sql`delete from replaced_credentials where until <= now() returning 1 as forgotten`)
    }
  })
)

const platformAccounts = query(PlatformAccount)

export const platformAccountStoreSql = Layer.effect(
  PlatformAccountStore,
  Effect.map(SqlClient.SqlClient, (sql): PlatformAccountStore["Type"] => ({
    see: (named) =>
      // Ordered, so that two instances cannot deadlock. Read after the write, so that of two concurrent starts one
      // sees the other.
      execute(sql`insert into platform_accounts as a (provider, fingerprint)
          select provider, fingerprint
          from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as named (provider text, fingerprint text)
          order by provider, fingerprint
          on conflict (provider, fingerprint) do update set last_seen_at = greatest(a.last_seen_at, now())`).pipe(
        Effect.zipRight(
          platformAccounts.all(sql`select provider, fingerprint, first_seen_at, last_seen_at from platform_accounts`)
        )
      )
  }))
)
