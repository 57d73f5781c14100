/** Provider accounts in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import { replacedCredentialsGrace, replacedCredentialsKept } from "../../domain/policies/ProviderPolicies.ts"
import { orDatabaseFailure, orTransactionFailure } from "../../platform/database/DatabaseFailure.ts"
import { execute, query, rowAs } from "../../platform/database/Query.ts"
import {
  NamedSealed,
  ProviderAccount,
  ProviderAccountStore,
  ReplacedCredentials,
  SealedReplaced,
  PlatformAccount,
  PlatformAccountStore
} from "./ProviderAccountStore.ts"

const accounts = query(ProviderAccount)
const writtenAccount = rowAs(ProviderAccount)
const replaced = query(ReplacedCredentials)
const sealedOnes = query(NamedSealed)
const sealedReplaced = query(SealedReplaced)

export const providerAccountStoreSql = Layer.effect(
  ProviderAccountStore,
  Effect.map(SqlClient.SqlClient, (sql): ProviderAccountStore["Type"] => {
    const columns = sql.literal("a.config_id, a.provider, a.sealed, a.version, a.tested_at, a.updated_at")
    const grace = Duration.toSeconds(replacedCredentialsGrace)
    const hold = Effect.asVoid(sql`lock table provider_accounts in share row exclusive mode`)
    return {
      find: (id) => accounts.first(sql`select ${columns} from provider_accounts a where config_id = ${id}`),
      // Serialises concurrent writers: each replaces what the one before has put.
      put: ({ config_id, provider, sealed, tested }) =>
        Effect.gen(function* () {
          yield* hold
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
      hold: orDatabaseFailure(hold),
      allSealed: sealedOnes.all(sql`select config_id, provider, sealed from provider_accounts order by config_id`),
      replaceSealed: ({ config_id, sealed }) =>
        execute(sql`update provider_accounts set sealed = ${sealed} where config_id = ${config_id}`),
      allReplaced: sealedReplaced.all(
        sql`select config_id, version, sealed from replaced_credentials order by config_id, version`
      ),
      resealReplaced: ({ config_id, sealed, version }) =>
        execute(sql`update replaced_credentials set sealed = ${sealed}
          where config_id = ${config_id} and version = ${version}`),
      forgetOld: sql`delete from replaced_credentials where until <= now() returning 1 as forgotten`.pipe(
        Effect.map((rows) => rows.length),
        orDatabaseFailure
      )
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
