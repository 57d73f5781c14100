/** Fee rules as operators set them, every change audited, and the fees of a new payment. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { type Charged, feeOf, type FeeTerms, type NewFee, totalOf } from "../../domain/Fee.ts"
import type { Money } from "../../domain/Money.ts"
import { Invalid, NotFound } from "../../domain/Failure.ts"
import { Ids, OrgId } from "../../domain/Ids.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { Flow, PaymentMethod } from "../../domain/Corridor.ts"
import { type Scope, batchOf, inScope, moneyOf, execute, query } from "../../platform/database/Query.ts"
import type { Fee, FeesApi } from "../../contract/api/FeesApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { SqlClient } from "@effect/sql"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { cachedByConfigVersion } from "../../platform/database/Batcher.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Organisation, method and direction of a fee rule. */
export interface FeeSubject {
  readonly org_id: OrgId
  readonly payment_method: PaymentMethod
  readonly direction: Flow
}

export interface FeeRule extends FeeSubject, FeeTerms {
  readonly fee_rule_id: string
  readonly created_at: Date
  readonly updated_at: Date
}

type NewFeeRule = Omit<FeeRule, "created_at" | "updated_at">

export class FeeRuleStore extends Context.Tag("corridor/FeeRuleStore")<
  FeeRuleStore,
  {
    /** A rule that is there keeps its id and gets the new terms. */
    readonly put: (rule: NewFeeRule) => Stored<FeeRule>
    readonly remove: (feeRuleId: string) => Stored<void>
    /** For payments on their way in: concurrent ones share a statement. */
    readonly find: (subject: FeeSubject) => Stored<Option.Option<FeeRule>>
    /** Inside a transaction the row stays locked until its end. */
    readonly findForUpdate: (subject: FeeSubject) => Stored<Option.Option<FeeRule>>
    /** In order of organisation, payment method and direction. */
    readonly list: (scope: Scope) => Stored<ReadonlyArray<FeeRule>>
  }
>() {}

export const subjectKey = ({ direction, org_id, payment_method }: FeeSubject): string =>
  `${org_id} ${payment_method} ${direction}`

const detailOf = ({ basis_points, fixed }: FeeTerms) => ({
  basis_points,
  fixed_amount: fixed === null ? null : fixed.toNumericText(),
  fixed_currency: fixed === null ? null : fixed.currency
})

/** A fee is taken from what the organisation receives, or added to what it pays: of a ramp it does neither. */
const NO_RAMP_FEES =
  "direction: external payments (ramps) are charged no fee, since none of their money is the organisation's: set its spread instead, or a fee for inbound or outbound payments."

/** A payment whose amounts changed, with what it was charged before. */
interface ChargedBefore extends FeeSubject, Charged {
  readonly total_fees: Money | null
  readonly fee_ids: ReadonlyArray<string>
}

const isFree = ({ basis_points, fixed }: FeeTerms): boolean => basis_points === 0 && fixed === null

const make = Effect.gen(function* () {
  const store = yield* FeeRuleStore
  const organizations = yield* Organizations
  const audit = yield* AuditLog
  const ids = yield* Ids
  const { atomically } = yield* Transactor

  const replace = (
    before: Option.Option<FeeRule>,
    { direction, org_id, payment_method }: FeeSubject,
    terms: FeeTerms
  ) =>
    Effect.gen(function* () {
      if (!isFree(terms)) {
        const { basis_points, fixed } = terms
        const fee_rule_id = yield* ids.next
        const rule = { fee_rule_id, org_id, payment_method, direction, basis_points, fixed }
        return Option.some(yield* store.put(rule))
      }
      if (Option.isSome(before)) yield* store.remove(before.value.fee_rule_id)
      return Option.none<FeeRule>()
    })

  /** Fees of a new payment, to be written with it. A fee that rounds to zero is left out. */
  const charge = Effect.fnUntraced(function* (payment: FeeSubject & Charged) {
    const rule = yield* store.find(payment)
    if (Option.isNone(rule)) return []
    const amount = feeOf(rule.value, payment)
    if (amount.isZero) return []
    return [{ fee_id: yield* ids.next, fee_rule_id: rule.value.fee_rule_id, amount }]
  })

  return {
    /** The terms replace those of the rule as a whole; terms that charge nothing remove it. Ramps are not charged. */
    set: traced("Fees.set")(function* (permit: Permit<"platform">, subject: FeeSubject, terms: FeeTerms) {
      const { direction, org_id, payment_method } = subject
      if (direction === "external" && !isFree(terms)) return yield* new Invalid({ message: NO_RAMP_FEES })
      return yield* atomically(
        Effect.gen(function* () {
          if (Option.isNone(yield* organizations.find(org_id))) {
            return yield* new NotFound({ message: "There is no such organisation." })
          }
          const before = yield* store.findForUpdate(subject)
          const after = yield* replace(before, subject, terms)
          const rule = Option.orElse(after, () => before)
          if (Option.isSome(rule)) {
            yield* audit.record(permit, {
              action: "fee_rule.set",
              org: org_id,
              subject: ["fee_rule", rule.value.fee_rule_id],
              detail: {
                payment_method,
                direction,
                old: Option.getOrNull(Option.map(before, detailOf)),
                new: Option.getOrNull(Option.map(after, detailOf))
              }
            })
          }
          return { before, after }
        })
      )
    }),
    list: (permit: Permit<"reports"> | Permit<"platform">) => store.list(permit.scope),
    charge,
    /** Fees of a payment by its new amounts. Fees keep their ids; a payment without a fee gets none. */
    chargeAgain: Effect.fnUntraced(function* (payment: ChargedBefore) {
      const charged = payment.total_fees === null ? [] : yield* charge(payment)
      const fees = charged.map((fee, nth): NewFee => ({ ...fee, fee_id: payment.fee_ids[nth] ?? fee.fee_id }))
      const total_fees: Money | null = totalOf(fees.map(({ amount }) => amount))
      return { fees, totals: { total_fees, fee_ids: fees.map(({ fee_id }) => fee_id) } }
    })
  }
})

export class Fees extends Context.Tag("corridor/Fees")<Fees, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Fees, make)
}

const shown = ({ fixed, ...rule }: FeeRule): typeof Fee.Type => ({
  ...rule,
  fixed_amount: fixed === null ? null : fixed.toShown(),
  fixed_currency: fixed === null ? null : fixed.currency
})

export const feesHandlers = Effect.map(Fees, (fees): Handlers<typeof FeesApi> => ({
  list: ({ permit }) => answer("Fees", fees.list(permit), (rules) => rules.map(shown))
}))

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
