/** Escrows in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { inScope, newest, type Scope } from "../../platform/database/Query.ts"
import type { Escrow } from "./Escrow.ts"
import {
  escrowOfRows,
  escrowRow,
  type MilestoneRow,
  milestoneRows,
  type PartyRow,
  partyRows,
  type SplitRow,
  splitRows,
  type StoredEscrowRow
} from "./EscrowRow.ts"
import type { Store } from "./EscrowStore.ts"

const inserted = <Row extends object>(rows: ReadonlyArray<Row>) =>
  rows.map((row) => ({ ...row }) as Record<string, unknown>)

export const escrowStoreSql = Effect.map(SqlClient.SqlClient, (sql): Store => {
  const columns = sql.literal(`escrow_id, org_id, name, currency, account_id, status, total_amount, funded_amount,
    disbursed_amount, created_at, updated_at`)

  const whole = Effect.fnUntraced(function* (rows: ReadonlyArray<StoredEscrowRow>, scope: Scope) {
    if (rows.length === 0) return []
    const theirs = sql`${sql.in(
      "escrow_id",
      rows.map(({ escrow_id }) => escrow_id)
    )} and ${inScope(sql, scope)}`
    const parties = yield* sql<PartyRow>`select party_id, org_id, escrow_id, position, name, beneficiary_id, account_id,
      email from escrow_parties where ${theirs} order by escrow_id, position`
    const milestones = yield* sql<MilestoneRow>`select milestone_id, org_id, escrow_id, sequence, label, description,
      due_date, expected_disbursement, status, contract_reference, contract_submitted_at, disbursed_at
      from escrow_milestones where ${theirs} order by escrow_id, sequence`
    const splits = yield* sql<SplitRow>`select milestone_id, party_id, org_id, escrow_id, position, split_type,
      split_value from escrow_splits where ${theirs} order by milestone_id, position`
    return rows.map((row) => escrowOfRows(row, { parties, milestones, splits }))
  })

  const one = (scope: Scope, id: string, lock: "" | "for no key update") =>
    sql<StoredEscrowRow>`select ${columns} from escrows
      where escrow_id = ${id} and ${inScope(sql, scope)} ${sql.literal(lock)}`.pipe(
      Effect.flatMap((rows) => whole(rows, scope)),
      Effect.map((escrows) => Option.fromNullable(escrows[0])),
      Effect.orDie
    )

  return {
    insert: Effect.fnUntraced(function* (escrow) {
      const [row] = yield* sql<StoredEscrowRow>`insert into escrows ${sql.insert({ ...escrowRow(escrow) })}
        returning ${columns}`
      yield* sql`insert into escrow_parties ${sql.insert(inserted(partyRows(escrow)))}`
      yield* sql`insert into escrow_milestones ${sql.insert(inserted(milestoneRows(escrow)))}`
      yield* sql`insert into escrow_splits ${sql.insert(inserted(splitRows(escrow)))}`
      return { ...escrow, created_at: row!.created_at, updated_at: row!.updated_at }
    }, Effect.orDie),
    list: (scope, { account_id, status }, window) => {
      const conditions = [
        inScope(sql, scope),
        ...(account_id === undefined ? [] : [sql`account_id = ${account_id}`]),
        ...(status === undefined ? [] : [sql`status = ${status}`])
      ]
      return sql<StoredEscrowRow>`select ${columns} from escrows where ${sql.and(conditions)}
        ${newest(sql, "escrow_id", window)}`.pipe(
        Effect.flatMap((rows) => whole(rows, scope)),
        Effect.orDie
      )
    },
    find: (scope, id) => one(scope, id, ""),
    lock: (scope, id) => one(scope, id, "for no key update"),
    update: Effect.fnUntraced(function* (escrow: Escrow) {
      const { escrow_id, org_id } = escrow
      const { disbursed_amount, funded_amount, status } = escrowRow(escrow)
      const [row] = yield* sql<StoredEscrowRow>`update escrows set status = ${status}, funded_amount = ${funded_amount},
        disbursed_amount = ${disbursed_amount}, updated_at = now()
        where escrow_id = ${escrow_id} and org_id = ${org_id} returning ${columns}`
      yield* sql`update escrow_milestones m set status = r.status, contract_reference = r.contract_reference,
          contract_submitted_at = r.contract_submitted_at, disbursed_at = r.disbursed_at
        from jsonb_to_recordset(${JSON.stringify(milestoneRows(escrow))}::jsonb) as r (milestone_id uuid, status text,
          contract_reference text, contract_submitted_at timestamptz, disbursed_at timestamptz)
        where m.milestone_id = r.milestone_id and m.escrow_id = ${escrow_id} and m.org_id = ${org_id}`
      yield* sql`update escrow_splits s set split_value = r.split_value
        from jsonb_to_recordset(${JSON.stringify(splitRows(escrow))}::jsonb) as r (milestone_id uuid, party_id uuid,
          split_value numeric)
        where s.milestone_id = r.milestone_id and s.party_id = r.party_id and s.escrow_id = ${escrow_id}
          and s.org_id = ${org_id}`
      return { ...escrow, updated_at: row!.updated_at }
    }, Effect.orDie)
  }
})
