/** Base rates in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { rowAs, rowsAs } from "../../platform/database/Rows.ts"
import { RateStore, ReadRate, StoredRate } from "./RateStore.ts"

const rateOf = rowAs(StoredRate)
const ratesOf = rowsAs(StoredRate)
const readRates = rowsAs(ReadRate)
const spread = rowAs(Schema.Struct({ spread_bps: Schema.Int }))

export const rateStoreSql = Layer.effect(
  RateStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal("from_currency, to_currency, trim_scale(rate)::text as rate, updated_at")
    return {
      set: (rates) =>
        rates.length === 0
          ? Effect.void
          : sql`insert into rates ${sql.insert(rates)}
              on conflict (from_currency, to_currency) do update set rate = excluded.rate, updated_at = now()`.pipe(
              Effect.orDie,
              Effect.asVoid
            ),
      list: sql`select ${columns} from rates order by from_currency, to_currency`.pipe(
        Effect.flatMap(ratesOf),
        Effect.orDie
      ),
      findForUpdate: (from, to) =>
        sql`select ${columns} from rates where from_currency = ${from} and to_currency = ${to} for update`.pipe(
          Effect.flatMap(rateOf),
          Effect.orDie
        ),
      between: (from, to, through) =>
        sql`select ${columns}, now() as read_at
          from rates where from_currency in (${from}, ${to}, ${through})
            and to_currency in (${from}, ${to}, ${through})`.pipe(Effect.flatMap(readRates), Effect.orDie),
      spreadOf: (orgId) =>
        sql`select spread_bps from organizations where org_id = ${orgId}`.pipe(
          Effect.flatMap(spread),
          Effect.map(Option.match({ onNone: () => 0, onSome: ({ spread_bps }) => spread_bps })),
          Effect.orDie
        ),
      setSpread: (orgId, basisPoints) =>
        sql`update organizations set spread_bps = ${basisPoints}, updated_at = now() where org_id = ${orgId}`.pipe(
          Effect.orDie,
          Effect.asVoid
        )
    }
  })
)
