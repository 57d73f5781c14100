/** Which provider serves which corridor, at rest. */
import { SqlClient } from "@effect/sql"
import { BigDecimal, Clock, Context, Effect, Layer, Option } from "effect"
import type * as ProviderConfigsApi from "../../contract/api/ProviderConfigs.ts"
import { batchedReads } from "../../platform/database/Batcher.ts"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { configTables } from "./MemoryTables.ts"
import { firstRow, inOrder, newest } from "../../platform/database/Query.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import type { Corridor } from "../../domain/Routing.ts"
import type { Window } from "../../platform/database/Window.ts"

export type ProviderConfig = typeof ProviderConfigsApi.ProviderConfig.Type

type Kept = Omit<ProviderConfig, "created_at" | "updated_at">

const unsaid = {
  api_version: null,
  webhook_required: false,
  min_amount: null,
  max_amount: null,
  description: null,
  webhook_url: null
} as const satisfies Partial<Kept>

export type NewProviderConfig = Omit<Kept, keyof typeof unsaid> & Partial<Pick<Kept, keyof typeof unsaid>>

const filterColumns = ["provider", "country", "payment_method", "direction", "org_id"] as const

/** Each says which value a field must have; an absent one matches all. */
export type ConfigFilter = {
  readonly [Field in (typeof filterColumns)[number]]?: NonNullable<ProviderConfig[Field]> | undefined
}

interface Store {
  readonly insert: (configs: ReadonlyArray<NewProviderConfig>) => Effect.Effect<ReadonlyArray<ProviderConfig>>
  readonly list: (filter: ConfigFilter, window: Window) => Effect.Effect<ReadonlyArray<ProviderConfig>>
  readonly find: (id: string) => Effect.Effect<Option.Option<ProviderConfig>>
  /** Inside a transaction the row stays locked until its end. */
  readonly findForUpdate: (id: string) => Effect.Effect<Option.Option<ProviderConfig>>
  readonly update: (config: Kept) => Effect.Effect<Option.Option<ProviderConfig>>
  readonly remove: (id: string) => Effect.Effect<void>
  /** What an organisation's payments may use there: its own and the global ones, in no order. */
  readonly forCorridor: (orgId: string, corridor: Corridor) => Effect.Effect<ReadonlyArray<ProviderConfig>>
}

const complete = (config: NewProviderConfig): Kept => ({ ...unsaid, ...config })

interface Row extends Omit<ProviderConfig, "min_amount" | "max_amount"> {
  readonly min_amount: string | null
  readonly max_amount: string | null
}

const amountOf = (text: string | null) => (text === null ? null : BigDecimal.unsafeFromString(text))
const textOf = (amount: BigDecimal.BigDecimal | null) => (amount === null ? null : toPlainText(amount))

const fromRow = (row: Row): ProviderConfig => ({
  ...row,
  min_amount: amountOf(row.min_amount),
  max_amount: amountOf(row.max_amount)
})

const toRow = (config: Kept) => ({
  ...config,
  min_amount: textOf(config.min_amount),
  max_amount: textOf(config.max_amount)
})

const wantedIn = (filter: ConfigFilter) =>
  filterColumns.flatMap((column) => (filter[column] === undefined ? [] : [[column, filter[column]] as const]))

interface CorridorOfOrg extends Corridor {
  readonly orgId: string
}

const keyOf = ({ country, flow, orgId, paymentMethod }: CorridorOfOrg) => `${orgId} ${country} ${paymentMethod} ${flow}`

export class ProviderConfigStore extends Context.Tag("corridor/ProviderConfigStore")<ProviderConfigStore, Store>() {
  static readonly layer = Layer.scoped(
    ProviderConfigStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns =
        sql.literal(`config_id, org_id, provider, country, payment_method, direction, api_version, priority,
        is_active, webhook_required, min_amount, max_amount, description, webhook_url, created_at, updated_at`)
      const one = Effect.map((rows: ReadonlyArray<Row>) => Option.map(firstRow(rows), fromRow))
      const all = Effect.map((rows: ReadonlyArray<Row>) => rows.map(fromRow))

      const forCorridor = yield* batchedReads(keyOf, (asked: ReadonlyArray<CorridorOfOrg>) =>
        sql<
          Row & { readonly seq: number }
        >`select seq, config_id, c.org_id, provider, c.country, payment_method, direction,
            api_version, priority, is_active, webhook_required, min_amount, max_amount, description, webhook_url,
            created_at, updated_at
          from jsonb_to_recordset(${inOrder(asked)}::jsonb)
            as a (seq integer, "orgId" uuid, country text, "paymentMethod" text, flow text)
          join provider_configs c on c.country = a.country and c.payment_method = a."paymentMethod"
            and c.direction = a.flow and (c.org_id = a."orgId" or c.org_id is null)`.pipe(
          Effect.map((rows) =>
            asked.map((_, seq) => rows.flatMap(({ seq: of, ...row }) => (of === seq ? [fromRow(row)] : [])))
          ),
          Effect.orDie
        )
      )

      const store: Store = {
        insert: (configs) =>
          configs.length === 0
            ? Effect.succeed([])
            : sql<Row>`insert into provider_configs ${sql.insert(configs.map((config) => toRow(complete(config))))}
                returning ${columns}`.pipe(all, Effect.orDie),
        list: (filter, window) => {
          const wanted = wantedIn(filter).map(([column, value]) => sql`${sql(column)} = ${value}`)
          return sql<Row>`select ${columns} from provider_configs where ${sql.and(wanted)}
            ${newest(sql, "config_id", window)}`.pipe(all, Effect.orDie)
        },
        find: (id) => sql<Row>`select ${columns} from provider_configs where config_id = ${id}`.pipe(one, Effect.orDie),
        findForUpdate: (id) =>
          sql<Row>`select ${columns} from provider_configs where config_id = ${id} for update`.pipe(one, Effect.orDie),
        update: (config) =>
          sql<Row>`update provider_configs set ${sql.update(toRow(config), ["config_id"])}, updated_at = now()
            where config_id = ${config.config_id} returning ${columns}`.pipe(one, Effect.orDie),
        remove: (id) => sql`delete from provider_configs where config_id = ${id}`.pipe(Effect.orDie, Effect.asVoid),
        forCorridor: (orgId, corridor) => forCorridor({ orgId, ...corridor })
      }
      return store
    })
  )

  static readonly layerMemory = Layer.effect(
    ProviderConfigStore,
    Effect.map(openTables(configTables), ({ providerConfigs }): Store => {
      const find = (id: string) => Effect.sync(() => Option.fromNullable(providerConfigs.get(id)))
      return {
        insert: (configs) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            configs.map((config) => {
              const at = new Date(now)
              const row = { ...complete(config), created_at: at, updated_at: at }
              providerConfigs.set(row.config_id, row)
              return row
            })
          ),
        list: (filter, window) =>
          Effect.sync(() => {
            const wanted = wantedIn(filter)
            const rows = Array.from(providerConfigs.values()).filter((config) =>
              wanted.every(([column, value]) => config[column] === value)
            )
            return newestFirst(rows, (config) => config.config_id, window)
          }),
        find,
        findForUpdate: find,
        update: (config) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            Option.map(Option.fromNullable(providerConfigs.get(config.config_id)), ({ created_at }) => {
              const row = { ...config, created_at, updated_at: new Date(now) }
              providerConfigs.set(row.config_id, row)
              return row
            })
          ),
        remove: (id) => Effect.sync(() => void providerConfigs.delete(id)),
        forCorridor: (orgId, { country, flow, paymentMethod }) =>
          Effect.sync(() =>
            Array.from(providerConfigs.values()).filter(
              (config) =>
                config.country === country &&
                config.payment_method === paymentMethod &&
                config.direction === flow &&
                (config.org_id === orgId || config.org_id === null)
            )
          )
      }
    })
  )
}
