/** What organisations are charged, at rest: at most one rule for an organisation, payment method and direction. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { batchedReads } from "../../platform/database/Batcher.ts"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { feeTables } from "./MemoryTables.ts"
import { firstRow, inScope, type Scope } from "../../platform/database/Query.ts"
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import type { Flow, PaymentMethod } from "../../domain/Corridor.ts"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import type { FeeTerms } from "../../domain/Fee.ts"

/** What a rule is about. */
export interface FeeSubject {
  readonly org_id: string
  readonly payment_method: PaymentMethod
  readonly direction: Flow
}

export interface FeeRule extends FeeSubject, FeeTerms {
  readonly fee_rule_id: string
  readonly created_at: Date
  readonly updated_at: Date
}

type Kept = Omit<FeeRule, "created_at" | "updated_at">

interface Store {
  /** A rule that is there keeps its id and gets the new terms. */
  readonly put: (rule: Kept) => Effect.Effect<FeeRule>
  readonly remove: (feeRuleId: string) => Effect.Effect<void>
  /** For payments on their way in: concurrent ones share a statement. */
  readonly find: (subject: FeeSubject) => Effect.Effect<Option.Option<FeeRule>>
  /** Inside a transaction the row stays locked until its end. */
  readonly findForUpdate: (subject: FeeSubject) => Effect.Effect<Option.Option<FeeRule>>
  /** In order of organisation, payment method and direction. */
  readonly list: (scope: Scope) => Effect.Effect<ReadonlyArray<FeeRule>>
}

interface Row extends Omit<FeeRule, "fixed"> {
  readonly fixed_amount: string
  readonly fixed_currency: AnyCurrencyCode | null
}

const fromRow = ({ fixed_amount, fixed_currency, ...row }: Row): FeeRule => ({
  ...row,
  fixed: fixed_currency === null ? null : moneyOf(fixed_amount, fixed_currency)
})

const toRow = ({ fixed, ...rule }: Kept) => ({
  ...rule,
  fixed_amount: fixed === null ? "0" : fixed.toNumericText(),
  fixed_currency: fixed === null ? null : fixed.currency
})

const keyOf = ({ direction, org_id, payment_method }: FeeSubject) => `${org_id} ${payment_method} ${direction}`

export class FeeRuleStore extends Context.Tag("corridor/FeeRuleStore")<FeeRuleStore, Store>() {
  static readonly layer = Layer.scoped(
    FeeRuleStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "fee_rule_id, org_id, payment_method, direction, basis_points, fixed_amount, fixed_currency, created_at, updated_at"
      )

      const find = yield* batchedReads(keyOf, (asked: ReadonlyArray<FeeSubject>) => {
        const subjects = asked.map(({ direction, org_id, payment_method }, seq) => ({
          seq,
          of_org: org_id,
          of_method: payment_method,
          of_direction: direction
        }))
        return sql<Row & { readonly seq: number }>`select seq, ${columns}
          from jsonb_to_recordset(${JSON.stringify(subjects)}::jsonb)
            as a (seq integer, of_org uuid, of_method text, of_direction text)
          join fee_rules on org_id = of_org and payment_method = of_method and direction = of_direction`.pipe(
          Effect.map((rows) => {
            const found = new Map(rows.map(({ seq, ...row }) => [seq, fromRow(row)]))
            return asked.map((_, seq) => Option.fromNullable(found.get(seq)))
          }),
          Effect.orDie
        )
      })

      const store: Store = {
        put: (rule) =>
          sql<Row>`insert into fee_rules ${sql.insert(toRow(rule))}
            on conflict (org_id, payment_method, direction) do update set basis_points = excluded.basis_points,
              fixed_amount = excluded.fixed_amount, fixed_currency = excluded.fixed_currency, updated_at = now()
            returning ${columns}`.pipe(
            Effect.map((rows) => fromRow(Option.getOrThrow(firstRow(rows)))),
            Effect.orDie
          ),
        remove: (id) => sql`delete from fee_rules where fee_rule_id = ${id}`.pipe(Effect.orDie, Effect.asVoid),
        find,
        findForUpdate: ({ direction, org_id, payment_method }) =>
          sql<Row>`select ${columns} from fee_rules where org_id = ${org_id} and payment_method = ${payment_method}
            and direction = ${direction} for update`.pipe(
            Effect.map((rows) => Option.map(firstRow(rows), fromRow)),
            Effect.orDie
          ),
        list: (scope) =>
          sql<Row>`select ${columns} from fee_rules where ${inScope(sql, scope)}
            order by org_id, payment_method collate "C", direction collate "C"`.pipe(
            Effect.map((rows) => rows.map(fromRow)),
            Effect.orDie
          )
      }
      return store
    })
  )

  static readonly layerMemory = Layer.effect(
    FeeRuleStore,
    Effect.map(openTables(feeTables), ({ feeRules }): Store => {
      const find = (subject: FeeSubject) => Effect.sync(() => Option.fromNullable(feeRules.get(keyOf(subject))))
      return {
        put: (rule) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const at = new Date(now)
            const before = feeRules.get(keyOf(rule))
            const row: FeeRule = {
              ...rule,
              fee_rule_id: before?.fee_rule_id ?? rule.fee_rule_id,
              created_at: before?.created_at ?? at,
              updated_at: at
            }
            feeRules.set(keyOf(rule), row)
            return row
          }),
        remove: (id) =>
          Effect.sync(() => {
            for (const [key, rule] of feeRules) if (rule.fee_rule_id === id) feeRules.delete(key)
          }),
        find,
        findForUpdate: find,
        list: (scope) =>
          Effect.sync(() =>
            Array.from(feeRules.values())
              .filter(({ org_id }) => Option.isNone(scope) || org_id === scope.value)
              .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
          )
      }
    })
  )
}
