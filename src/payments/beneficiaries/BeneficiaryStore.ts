/** Beneficiaries at rest. A deleted one stays as a row, since payments refer to it, and is seen by nobody. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { beneficiaryTables } from "./MemoryTables.ts"
import { paymentTables } from "../store/MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../../platform/database/Query.ts"
import { isSettled, paymentStatuses } from "../../domain/PaymentStatus.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Beneficiary, BeneficiaryFields } from "./Beneficiary.ts"

export interface StoredBeneficiary extends Beneficiary {
  readonly deleted_at: Date | null
}

export type NewBeneficiary = Omit<Beneficiary, "created_at" | "updated_at">

interface Store {
  readonly insert: (beneficiary: NewBeneficiary) => Effect.Effect<Beneficiary>
  readonly list: (scope: Scope, of: Option.Option<string>, window: Window) => Effect.Effect<ReadonlyArray<Beneficiary>>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<Beneficiary>>
  /** Inside a transaction the row stays locked until its end, and no payment to it can begin. */
  readonly findForUpdate: (scope: Scope, id: string) => Effect.Effect<Option.Option<Beneficiary>>
  readonly update: (scope: Scope, id: string, fields: BeneficiaryFields) => Effect.Effect<Option.Option<Beneficiary>>
  readonly remove: (scope: Scope, id: string) => Effect.Effect<void>
  readonly hasPaymentUnderWay: (scope: Scope, id: string) => Effect.Effect<boolean>
}

const underWay = paymentStatuses.filter((status) => !isSettled(status))

const withoutDeletion = ({ deleted_at: _deleted, ...beneficiary }: StoredBeneficiary): Beneficiary => beneficiary

const asColumns = <F extends BeneficiaryFields>({
  bank_details,
  loan_client_details,
  momo_details,
  wallet_details,
  ...scalars
}: F) => ({
  ...scalars,
  bank_details: JSON.stringify(bank_details),
  loan_client_details: JSON.stringify(loan_client_details),
  momo_details: JSON.stringify(momo_details),
  wallet_details: JSON.stringify(wallet_details)
})

export class BeneficiaryStore extends Context.Tag("corridor/BeneficiaryStore")<BeneficiaryStore, Store>() {
  static readonly layer = Layer.effect(
    BeneficiaryStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal(`beneficiary_id, org_id, beneficiary_of, account_type, beneficiary_type, country,
        currency, fname, lname, email, phone_number, momo_details, bank_details, loan_client_details, wallet_details,
        external_account_id, created_at, updated_at`)
      const one = (scope: Scope, id: string) =>
        sql`beneficiary_id = ${id} and deleted_at is null and ${inScope(sql, scope)}`
      return {
        insert: (beneficiary) =>
          sql<Beneficiary>`insert into beneficiaries ${sql.insert(asColumns(beneficiary))} returning ${columns}`.pipe(
            Effect.map((rows) => rows[0]!),
            Effect.orDie
          ),
        list: (scope, of, window) => {
          const maker = Option.match(of, {
            onNone: () => sql.literal("true"),
            onSome: (userId) => sql`beneficiary_of = ${userId}`
          })
          return sql<Beneficiary>`select ${columns} from beneficiaries where deleted_at is null
            and ${inScope(sql, scope)} and ${maker} ${newest(sql, "beneficiary_id", window)}`.pipe(Effect.orDie)
        },
        find: (scope, id) =>
          sql<Beneficiary>`select ${columns} from beneficiaries where ${one(scope, id)}`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          ),
        findForUpdate: (scope, id) =>
          sql<Beneficiary>`select ${columns} from beneficiaries where ${one(scope, id)} for update`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          ),
        update: (scope, id, fields) =>
          sql<Beneficiary>`update beneficiaries set ${sql.update(asColumns(fields))}, updated_at = now()
            where ${one(scope, id)} returning ${columns}`.pipe(Effect.map(firstRow), Effect.orDie),
        remove: (scope, id) =>
          sql`update beneficiaries set deleted_at = now() where ${one(scope, id)}`.pipe(Effect.orDie, Effect.asVoid),
        hasPaymentUnderWay: (scope, id) =>
          sql`select 1 from payments where beneficiary_id = ${id} and ${sql.in("status", underWay)}
            and ${inScope(sql, scope)} limit 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    BeneficiaryStore,
    Effect.map(openTables({ ...beneficiaryTables, ...paymentTables }), ({ beneficiaries, payments }): Store => {
      const sees = (scope: Scope, row: { readonly org_id: string }) =>
        Option.isNone(scope) || row.org_id === scope.value
      const find = (scope: Scope, id: string) =>
        Option.fromNullable(beneficiaries.get(id)).pipe(
          Option.filter((row) => row.deleted_at === null && sees(scope, row))
        )
      const change = (scope: Scope, id: string, patch: (now: Date) => Partial<StoredBeneficiary>) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(find(scope, id), (row) => {
            const changed: StoredBeneficiary = { ...row, ...patch(new Date(now)) }
            beneficiaries.set(id, changed)
            return withoutDeletion(changed)
          })
        )
      const look = (scope: Scope, id: string) => Effect.sync(() => Option.map(find(scope, id), withoutDeletion))
      return {
        insert: (beneficiary) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const at = new Date(now)
            const row: Beneficiary = { ...beneficiary, created_at: at, updated_at: at }
            beneficiaries.set(row.beneficiary_id, { ...row, deleted_at: null })
            return row
          }),
        list: (scope, of, window) =>
          Effect.sync(() => {
            const rows = Array.from(beneficiaries.values()).filter(
              (row) =>
                row.deleted_at === null && sees(scope, row) && (Option.isNone(of) || row.beneficiary_of === of.value)
            )
            return newestFirst(rows, (row) => row.beneficiary_id, window).map(withoutDeletion)
          }),
        find: look,
        findForUpdate: look,
        update: (scope, id, fields) => change(scope, id, (now) => ({ ...fields, updated_at: now })),
        remove: (scope, id) => Effect.asVoid(change(scope, id, (now) => ({ deleted_at: now }))),
        hasPaymentUnderWay: (scope, id) =>
          Effect.sync(() =>
            Array.from(payments.values()).some(
              (row) => row.beneficiary_id === id && sees(scope, row) && !isSettled(row.status)
            )
          )
      }
    })
  )
}
