/** Beneficiaries in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { type BeneficiaryId, OrgId } from "../../domain/Ids.ts"
import * as Api from "../../contract/api/BeneficiariesApi.ts"
import { isFinal, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { anyRow, execute, inScope, newest, ownedIn, query, type Scope } from "../../platform/database/Query.ts"
import { type BeneficiaryFields, BeneficiaryStore, type Store } from "./Beneficiary.ts"

const Row = Schema.typeSchema(Schema.Struct({ ...Api.Beneficiary.fields, org_id: OrgId }))
const beneficiaries = query(Row)

const underWay = paymentStatuses.filter((status) => !isFinal(status))

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

export const beneficiaryStoreSql = Layer.effect(
  BeneficiaryStore,
  Effect.map(SqlClient.SqlClient, (sql): Store => {
    const columns = sql.literal(`beneficiary_id, org_id, beneficiary_of, account_type, beneficiary_type, country,
        currency, fname, lname, email, phone_number, momo_details, bank_details, loan_client_details, wallet_details,
        external_account_id, created_at, updated_at`)
    const one = (scope: Scope, id: BeneficiaryId) =>
      sql`beneficiary_id = ${id} and deleted_at is null and ${ownedIn(sql, scope)}`
    return {
      insert: (made) =>
        beneficiaries.one(sql`insert into beneficiaries ${sql.insert(asColumns(made))} returning ${columns}`),
      list: (scope, of, window) => {
        const theirs = Option.match(of, {
          onNone: () => inScope(sql, scope),
          onSome: (userId) => sql`beneficiary_of = ${userId} and ${ownedIn(sql, scope)}`
        })
        return beneficiaries.all(sql`select ${columns} from beneficiaries where deleted_at is null
            and ${theirs} ${newest(sql, "beneficiary_id", window)}`)
      },
      find: (scope, id) => beneficiaries.first(sql`select ${columns} from beneficiaries where ${one(scope, id)}`),
      findForUpdate: (scope, id) =>
        beneficiaries.first(sql`select ${columns} from beneficiaries where ${one(scope, id)} for update`),
      update: (scope, id, fields) =>
        beneficiaries.first(sql`update beneficiaries set ${sql.update(asColumns(fields))}, updated_at = now()
            where ${one(scope, id)} returning ${columns}`),
      remove: (scope, id) => execute(sql`update beneficiaries set deleted_at = now() where ${one(scope, id)}`),
      hasPaymentUnderWay: (scope, id) =>
        anyRow(sql`select 1 from payments where beneficiary_id = ${id} and ${sql.in("status", underWay)}
            and ${ownedIn(sql, scope)} limit 1`)
    }
  })
)
