/** Fee rules in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import { Flow, PaymentMethod } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { batchOf, inScope, moneyOf, execute, query } from "../../platform/database/Query.ts"
import { cachedByConfigVersion } from "../../platform/database/Batcher.ts"
import { type FeeRule, FeeRuleStore, type FeeSubject, type NewFeeRule, subjectKey } from "./Fees.ts"

const Row = Schema.Struct({
  fee_rule_id: Schema.String,
  org_id: OrgId,
  payment_method: PaymentMethod,
  direction: Flow,
  basis_points: Schema.Int,
  fixed_amount: Schema.String,
  fixed_currency: Schema.NullOr(Schema.typeSchema(AnyCurrencyCode)),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

const rowsOf = query(Row)
const answersOf = query(Schema.Struct({ seq: Schema.Int, ...Row.fields }))

const fromRow = ({ fixed_amount, fixed_currency, ...row }: typeof Row.Type): FeeRule => ({
  ...row,
  fixed: fixed_currency === null ? null : moneyOf(fixed_amount, fixed_currency)
})

const toRow = ({ fixed, ...rule }: NewFeeRule) => ({
  ...rule,
  fixed_amount: fixed === null ? "0" : fixed.toNumericText(),
  fixed_currency: fixed === null ? null : fixed.currency
})

export const feeRuleStoreSql = Layer.scoped(
  FeeRuleStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(Object.keys(Row.fields).join(", "))

    const find = yield* cachedByConfigVersion(subjectKey, (asked: ReadonlyArray<FeeSubject>) => {
      const subjects = asked.map(({ direction, org_id, payment_method }) => ({
        of_org: org_id,
        of_method: payment_method,
        of_direction: direction
      }))
      return sql`select seq, ${columns}
        from ${batchOf(sql, subjects, "of_org uuid, of_method text, of_direction text")} a
        join fee_rules on org_id = of_org and payment_method = of_method and direction = of_direction`.pipe(
        answersOf.all,
        Effect.map((rows) => {
          const found = new Map(rows.map(({ seq, ...row }) => [seq, fromRow(row)]))
          return asked.map((_, seq) => Option.fromNullable(found.get(seq)))
        })
      )
    })

    return {
      put: (rule) =>
        sql`insert into fee_rules ${sql.insert(toRow(rule))}
          on conflict (org_id, payment_method, direction) do update set basis_points = excluded.basis_points,
            fixed_amount = excluded.fixed_amount, fixed_currency = excluded.fixed_currency, updated_at = now()
          returning ${columns}`.pipe(rowsOf.one, Effect.map(fromRow)),
      remove: (id) => execute(sql`delete from fee_rules where fee_rule_id = ${id}`),
      find,
      findForUpdate: ({ direction, org_id, payment_method }) =>
        sql`select ${columns} from fee_rules where org_id = ${org_id} and payment_method = ${payment_method}
          and direction = ${direction} for update`.pipe(rowsOf.first, Effect.map(Option.map(fromRow))),
      list: (scope) =>
        sql`select ${columns} from fee_rules where ${inScope(sql, scope)}
          order by org_id, payment_method collate "C", direction collate "C"`.pipe(
          rowsOf.all,
          Effect.map((rows) => rows.map(fromRow))
        )
    }
  })
)
