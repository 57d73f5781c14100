/** The accounts of configurations in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import { replacedCredentialsGrace } from "../../domain/policies/Providers.ts"
import { rowAs, rowsAs } from "../../platform/database/Rows.ts"
import { ProviderAccount, ProviderAccountStore, ReplacedCredentials, SealedAccount } from "./ProviderAccountStore.ts"

const account = rowAs(ProviderAccount)
const replaced = rowAs(ReplacedCredentials)
const sealedOnes = rowsAs(SealedAccount)

export const providerAccountStoreSql = Layer.effect(
  ProviderAccountStore,
  Effect.map(SqlClient.SqlClient, (sql): ProviderAccountStore["Type"] => {
    const columns = sql.literal("a.config_id, a.provider, a.sealed, a.version, a.tested_at, a.updated_at")
    return {
      find: (id) =>
        sql`select ${columns} from provider_accounts a where config_id = ${id}`.pipe(
          Effect.flatMap(account),
          Effect.orDie
        ),
      put: ({ config_id, provider, sealed, tested }) =>
        sql`insert into provider_accounts as a (config_id, provider, sealed, tested_at)
          values (${config_id}, ${provider}, ${sealed}, case when ${tested} then now() end)
          on conflict (config_id) do update set provider = excluded.provider, sealed = excluded.sealed,
            tested_at = excluded.tested_at, version = a.version + 1, updated_at = now(),
            replaced = case when a.tested_at is null then a.replaced else a.sealed end,
            replaced_until = case when a.tested_at is null then a.replaced_until
              else now() + make_interval(secs => ${Duration.toSeconds(replacedCredentialsGrace)}) end
          where excluded.tested_at is not null or a.tested_at is null
          returning ${columns}`.pipe(Effect.flatMap(account), Effect.orDie),
      replaced: (id) =>
        sql`select config_id, replaced as sealed, replaced_until as until from provider_accounts
          where config_id = ${id} and replaced_until > now()`.pipe(Effect.flatMap(replaced), Effect.orDie),
      markTested: (id, version) =>
        sql`update provider_accounts a set tested_at = now() where config_id = ${id} and version = ${version}
          returning ${columns}`.pipe(Effect.flatMap(account), Effect.orDie),
      hold: sql`lock table provider_accounts in share row exclusive mode`.pipe(Effect.asVoid, Effect.orDie),
      allSealed: sql`select config_id, sealed from provider_accounts order by config_id`.pipe(
        Effect.flatMap(sealedOnes),
        Effect.orDie
      ),
      replaceSealed: ({ config_id, sealed }) =>
        sql`update provider_accounts set sealed = ${sealed} where config_id = ${config_id}`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      allReplaced: sql`select config_id, replaced as sealed from provider_accounts where replaced is not null
        order by config_id`.pipe(Effect.flatMap(sealedOnes), Effect.orDie),
      resealReplaced: ({ config_id, sealed }) =>
        sql`update provider_accounts set replaced = ${sealed} where config_id = ${config_id}`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      forgetOld: sql`update provider_accounts set replaced = null, replaced_until = null where replaced_until <= now()
        returning 1 as forgotten`.pipe(
        Effect.map((rows) => rows.length),
        Effect.orDie
      )
    }
  })
)
