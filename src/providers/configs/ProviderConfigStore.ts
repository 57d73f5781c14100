/** Store of provider configurations: which provider serves which corridor. */
import { Context, Option, BigDecimal, Effect, Layer, Schema } from "effect"
import type { ConfigId, OrgId } from "../../domain/Ids.ts"
import type * as ProviderConfigsApi from "../../contract/api/ProviderConfigsApi.ts"
import type { Corridor } from "../../domain/Routing.ts"
import { type Stored, orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { type Window, batchOf, execute, newest, query, rowAs, rowsAs } from "../../platform/database/Query.ts"
import { SqlClient, type Statement } from "@effect/sql"
import { ProviderConfig as Config } from "../../contract/api/ProviderConfigsApi.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { cachedByConfigVersion } from "../../platform/database/Batcher.ts"

export type ProviderConfig = typeof ProviderConfigsApi.ProviderConfig.Type

/** Summary of its account, which has a store of its own. */
export type OfAccount = Pick<ProviderConfig, "has_credentials" | "credentials_tested_at">

export type WholeConfig = Omit<ProviderConfig, "created_at" | "updated_at" | keyof OfAccount>

/** Configuration as routing reads it, with the version of its credentials. */
export interface ServingConfig extends ProviderConfig {
  readonly credentials_version: number | null
}

const unsaid = {
  api_version: null,
  webhook_required: false,
  min_amount: null,
  max_amount: null,
  description: null,
  webhook_url: null
} as const satisfies Partial<WholeConfig>

export type NewProviderConfig = Omit<WholeConfig, keyof typeof unsaid> & Partial<Pick<WholeConfig, keyof typeof unsaid>>

export const complete = (config: NewProviderConfig): WholeConfig => ({ ...unsaid, ...config })

const filterColumns = ["provider", "country", "payment_method", "direction", "org_id"] as const

/** Required values of fields; an absent field matches all. */
export type ConfigFilter = {
  readonly [Field in (typeof filterColumns)[number]]?: NonNullable<ProviderConfig[Field]> | undefined
}

export const wantedIn = (filter: ConfigFilter) =>
  filterColumns.flatMap((column) => (filter[column] === undefined ? [] : [[column, filter[column]] as const]))

export class ProviderConfigStore extends Context.Tag("corridor/ProviderConfigStore")<
  ProviderConfigStore,
  {
    readonly insert: (configs: ReadonlyArray<NewProviderConfig>) => Stored<ReadonlyArray<ProviderConfig>>
    readonly list: (filter: ConfigFilter, window: Window) => Stored<ReadonlyArray<ProviderConfig>>
    readonly find: (id: ConfigId) => Stored<Option.Option<ProviderConfig>>
    /** Inside a transaction the row stays locked until its end. */
    readonly findForUpdate: (id: ConfigId) => Stored<Option.Option<ProviderConfig>>
    readonly update: (config: WholeConfig) => Stored<Option.Option<ProviderConfig>>
    readonly remove: (id: ConfigId) => Stored<void>
    /** The organisation's own configurations and the global ones, unordered. */
    readonly forCorridor: (orgId: OrgId, corridor: Corridor) => Stored<ReadonlyArray<ServingConfig>>
  }
>() {}

const Row = Schema.Struct({
  ...Config.fields,
  min_amount: Schema.NullOr(Schema.String),
  max_amount: Schema.NullOr(Schema.String),
  credentials_tested_at: Schema.NullOr(Schema.DateFromSelf),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

const rowOf = rowAs(Row)
const rowsOf = rowsAs(Row)
const answersOf = query(
  Schema.Struct({ seq: Schema.Int, credentials_version: Schema.NullOr(Schema.Int), ...Row.fields })
)

/** Columns of the account that a configuration brings. */
const ofAccount: Readonly<Record<string, string>> = {
  has_credentials: "a.config_id is not null",
  credentials_tested_at: "a.tested_at"
}

const columnsOfBoth = Object.keys(Row.fields).map((name) => `${ofAccount[name] ?? `c.${name}`} as ${name}`)

const amountOf = (text: string | null) => (text === null ? null : BigDecimal.unsafeFromString(text))
const textOf = (amount: BigDecimal.BigDecimal | null) => (amount === null ? null : toPlainText(amount))

const fromRow = (row: typeof Row.Type): ProviderConfig => ({
  ...row,
  min_amount: amountOf(row.min_amount),
  max_amount: amountOf(row.max_amount)
})

const toRow = (config: WholeConfig) => ({
  ...config,
  min_amount: textOf(config.min_amount),
  max_amount: textOf(config.max_amount)
})

const one = <E, R>(statement: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  statement.pipe(Effect.flatMap(rowOf), Effect.map(Option.map(fromRow)), orDatabaseFailure)

const all = <E, R>(statement: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  statement.pipe(
    Effect.flatMap(rowsOf),
    Effect.map((rows) => rows.map(fromRow)),
    orDatabaseFailure
  )

interface CorridorOfOrg extends Corridor {
  readonly orgId: OrgId
}

const keyOf = ({ country, flow, orgId, paymentMethod }: CorridorOfOrg) => `${orgId} ${country} ${paymentMethod} ${flow}`

export const providerConfigStoreSql = Layer.scoped(
  ProviderConfigStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(columnsOfBoth.join(", "))
    const account = sql.literal("left join provider_accounts a on a.config_id = c.config_id")
    const changedBy = (statement: Statement.Fragment) =>
      sql`with c as (${statement} returning *) select ${columns} from c ${account}`

    const forCorridor = yield* cachedByConfigVersion(keyOf, (asked: ReadonlyArray<CorridorOfOrg>) =>
      sql`select seq, a.version as credentials_version, ${columns}
        from ${batchOf(sql, asked, '"orgId" uuid, country text, "paymentMethod" text, flow text')} q
        join provider_configs c on c.country = q.country and c.payment_method = q."paymentMethod"
          and c.direction = q.flow and (c.org_id = q."orgId" or c.org_id is null)
        ${account}`.pipe(
        answersOf.all,
        Effect.map((rows) => {
          const found = asked.map((): Array<ServingConfig> => [])
          for (const { credentials_version, seq, ...row } of rows) {
            found[seq]!.push({ ...fromRow(row), credentials_version })
          }
          return found
        })
      )
    )

    return {
      insert: (configs) =>
        configs.length === 0
          ? Effect.succeed([])
          : all(
              changedBy(
                sql`insert into provider_configs ${sql.insert(configs.map((config) => toRow(complete(config))))}`
              )
            ),
      list: (filter, window) => {
        const wanted = wantedIn(filter).map(([column, value]) => sql`c.${sql(column)} = ${value}`)
        return all(sql`select ${columns} from (select * from provider_configs c where ${sql.and(wanted)}
          ${newest(sql, "config_id", window)}) c ${account} order by c.created_at desc, c.config_id desc`)
      },
      find: (id) => one(sql`select ${columns} from provider_configs c ${account} where c.config_id = ${id}`),
      findForUpdate: (id) =>
        one(sql`select ${columns} from provider_configs c ${account} where c.config_id = ${id} for update of c`),
      update: (config) =>
        one(
          changedBy(sql`update provider_configs set ${sql.update(toRow(config), ["config_id"])}, updated_at = now()
            where config_id = ${config.config_id}`)
        ),
      remove: (id) => execute(sql`delete from provider_configs where config_id = ${id}`),
      forCorridor: (orgId, corridor) => forCorridor({ orgId, ...corridor })
    }
  })
)
