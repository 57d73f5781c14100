/** Provider configurations in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { BigDecimal, Effect, Layer, Option, Schema } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { ProviderConfig as Config } from "../../contract/api/ProviderConfigs.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import type { Corridor } from "../../domain/Routing.ts"
import { batchedReads } from "../../platform/database/Batcher.ts"
import { inOrder, newest } from "../../platform/database/Query.ts"
import { rowAs, rowsAs } from "../../platform/database/Rows.ts"
import {
  complete,
  type ProviderConfig,
  ProviderConfigStore,
  wantedIn,
  type WholeConfig
} from "./ProviderConfigStore.ts"

const Row = Schema.Struct({
  ...Config.fields,
  min_amount: Schema.NullOr(Schema.String),
  max_amount: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

const rowOf = rowAs(Row)
const rowsOf = rowsAs(Row)
const answersOf = rowsAs(Schema.Struct({ seq: Schema.Int, ...Row.fields }))

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
  statement.pipe(Effect.flatMap(rowOf), Effect.map(Option.map(fromRow)), Effect.orDie)

const all = <E, R>(statement: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  statement.pipe(
    Effect.flatMap(rowsOf),
    Effect.map((rows) => rows.map(fromRow)),
    Effect.orDie
  )

interface CorridorOfOrg extends Corridor {
  readonly orgId: OrgId
}

const keyOf = ({ country, flow, orgId, paymentMethod }: CorridorOfOrg) => `${orgId} ${country} ${paymentMethod} ${flow}`

export const providerConfigStoreSql = Layer.scoped(
  ProviderConfigStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(Object.keys(Row.fields).join(", "))
    const joined = sql.literal(
      Object.keys(Row.fields)
        .map((name) => `c.${name}`)
        .join(", ")
    )

    const forCorridor = yield* batchedReads(keyOf, (asked: ReadonlyArray<CorridorOfOrg>) =>
      sql`select seq, ${joined}
        from jsonb_to_recordset(${inOrder(asked)}::jsonb)
          as a (seq integer, "orgId" uuid, country text, "paymentMethod" text, flow text)
        join provider_configs c on c.country = a.country and c.payment_method = a."paymentMethod"
          and c.direction = a.flow and (c.org_id = a."orgId" or c.org_id is null)`.pipe(
        Effect.flatMap(answersOf),
        Effect.map((rows) => {
          const found = asked.map((): Array<ProviderConfig> => [])
          for (const { seq, ...row } of rows) found[seq]!.push(fromRow(row))
          return found
        }),
        Effect.orDie
      )
    )

    return {
      insert: (configs) =>
        configs.length === 0
          ? Effect.succeed([])
          : all(sql`insert into provider_configs ${sql.insert(configs.map((config) => toRow(complete(config))))}
              returning ${columns}`),
      list: (filter, window) => {
        const wanted = wantedIn(filter).map(([column, value]) => sql`${sql(column)} = ${value}`)
        return all(sql`select ${columns} from provider_configs where ${sql.and(wanted)}
          ${newest(sql, "config_id", window)}`)
      },
      find: (id) => one(sql`select ${columns} from provider_configs where config_id = ${id}`),
      findForUpdate: (id) => one(sql`select ${columns} from provider_configs where config_id = ${id} for update`),
      update: (config) =>
        one(sql`update provider_configs set ${sql.update(toRow(config), ["config_id"])}, updated_at = now()
          where config_id = ${config.config_id} returning ${columns}`),
      remove: (id) => sql`delete from provider_configs where config_id = ${id}`.pipe(Effect.orDie, Effect.asVoid),
      forCorridor: (orgId, corridor) => forCorridor({ orgId, ...corridor })
    }
  })
)
