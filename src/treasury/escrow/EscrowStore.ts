/** Escrows as stored: parties, milestones, splits and totals. Their money is in the ledger. */
import { Context, Option, Effect, Layer, Schema } from "effect"
import { AccountId, EscrowId, OrgId, BeneficiaryId } from "../../domain/Ids.ts"
import { orNotFound, type Stored, orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import {
  type Scope,
  type Window,
  inScope,
  newest,
  ownedBy,
  ownedIn,
  moneyOf,
  query
} from "../../platform/database/Query.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Permit } from "../../domain/Access.ts"
import { SqlClient, type Statement } from "@effect/sql"
import { fromPlainText, toPlainText } from "../../domain/Decimal.ts"
import { splitTypes, type Share } from "../../domain/Split.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"

const escrowStatuses = ["active", "completed", "canceled"] as const
type EscrowStatus = (typeof escrowStatuses)[number]

const milestoneStatuses = ["pending", "contract_submitted", "disbursed", "canceled"] as const

const EscrowRow = Schema.Struct({
  escrow_id: EscrowId,
  org_id: OrgId,
  name: Schema.String,
  currency: Schema.typeSchema(CurrencyCode),
  /** The virtual account that funds the escrow and receives the remainder. */
  account_id: AccountId,
  status: Schema.Literal(...escrowStatuses),
  total_amount: Schema.String,
  funded_amount: Schema.String,
  disbursed_amount: Schema.String,
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

const PartyRow = Schema.Struct({
  party_id: Schema.String,
  escrow_id: EscrowId,
  name: Schema.String,
  /** Receives payouts, unless the party has an account. */
  beneficiary_id: Schema.NullOr(BeneficiaryId),
  /** A virtual account of the organisation. */
  account_id: Schema.NullOr(AccountId),
  email: Schema.NullOr(Schema.String)
})

export const MilestoneRow = Schema.Struct({
  milestone_id: Schema.String,
  escrow_id: EscrowId,
  sequence: Schema.Int,
  label: Schema.String,
  description: Schema.NullOr(Schema.String),
  due_date: Schema.NullOr(Schema.String),
  expected_disbursement: Schema.String,
  status: Schema.Literal(...milestoneStatuses),
  contract_reference: Schema.NullOr(Schema.String),
  contract_submitted_at: Schema.NullOr(Schema.DateFromSelf),
  disbursed_at: Schema.NullOr(Schema.DateFromSelf)
})

export type Party = Omit<typeof PartyRow.Type, "escrow_id">

export interface PartySplit extends Share {
  readonly party_id: string
}

export interface Milestone extends Omit<typeof MilestoneRow.Type, "escrow_id" | "expected_disbursement"> {
  readonly expected: Money
  /** Shares of one type; together they cover the milestone. */
  readonly splits: ReadonlyArray<PartySplit>
}

export interface Escrow extends Omit<typeof EscrowRow.Type, "total_amount" | "funded_amount" | "disbursed_amount"> {
  readonly total: Money
  /** Received minus returned money: the disbursed part and the ledger balance. */
  readonly funded: Money
  readonly disbursed: Money
  readonly parties: ReadonlyArray<Party>
  /** Ordered by sequence. */
  readonly milestones: ReadonlyArray<Milestone>
}

export type NewEscrow = Omit<Escrow, "created_at" | "updated_at">

export const escrowLedgerAccount = ({ currency, escrow_id }: Pick<Escrow, "escrow_id" | "currency">): LedgerAccount =>
  LedgerAccount.escrow(escrow_id, currency)

export const partyLedgerAccount = ({ currency }: Pick<Escrow, "currency">, { party_id }: Pick<Party, "party_id">) =>
  LedgerAccount.party(party_id, currency)

const fundingStatuses = ["unfunded", "partially_funded", "funded"] as const
type FundingStatus = (typeof fundingStatuses)[number]

interface Coverage {
  readonly covered: Money
  readonly funding_status: FundingStatus
}

const fundingStatusOf = (covered: Money, { expected, status }: Milestone): FundingStatus => {
  if (covered.isZero || status === "canceled") return "unfunded"
  return covered.minor === expected.minor ? "funded" : "partially_funded"
}

/** Coverage by milestone id: funds cover milestones in their sequence, except canceled ones. */
export const coverageOf = ({ currency, funded, milestones }: Escrow): ReadonlyMap<string, Coverage> => {
  const coverage = new Map<string, Coverage>()
  let left = funded.minor
  for (const milestone of milestones) {
    const wanted = milestone.status === "canceled" ? 0n : milestone.expected.minor
    const minor = left < wanted ? left : wanted
    left -= minor
    const covered = new Money({ currency, minor })
    coverage.set(milestone.milestone_id, { covered, funding_status: fundingStatusOf(covered, milestone) })
  }
  return coverage
}

export interface EscrowFilter {
  readonly status?: EscrowStatus | undefined
  readonly account_id?: AccountId | undefined
}

/**
 * Store of escrows, each read and written as a whole. Lock an escrow before changing it, in the transaction that moves
 * its money.
 */
export class EscrowStore extends Context.Tag("corridor/EscrowStore")<
  EscrowStore,
  {
    /** Requires a transaction: an escrow is several rows. */
    readonly insert: (escrow: NewEscrow) => Stored<Escrow>
    readonly list: (scope: Scope, filter: EscrowFilter, window: Window) => Stored<ReadonlyArray<Escrow>>
    readonly find: (scope: Scope, id: EscrowId) => Stored<Option.Option<Escrow>>
    /** The escrow of this party. */
    readonly findByParty: (orgId: OrgId, partyId: string) => Stored<Option.Option<Escrow>>
    /** Locks until the end of the transaction. */
    readonly lock: (scope: Scope, id: EscrowId) => Stored<Option.Option<Escrow>>
    /** Writes status, amounts, milestones and splits of a locked escrow; everything else is immutable. */
    readonly update: (escrow: Escrow) => Stored<Escrow>
  }
>() {}

/** Locks, saves and audits escrows. */
type EscrowPermit = Permit<"escrow">
type Detail = Readonly<Record<string, unknown>>

export const makeEscrowTransaction = Effect.gen(function* () {
  const store = yield* EscrowStore
  const audit = yield* AuditLog
  const found = orNotFound("escrow")

  const record = (permit: EscrowPermit, { escrow_id, org_id }: Escrow, action: string, detail: Detail) =>
    audit.record(permit, { action, org: org_id, subject: ["escrow", escrow_id], detail })

  return {
    find: (permit: EscrowPermit, id: EscrowId) => found(store.find(permit.scope, id)),
    /** Locks until the end of the transaction. */
    lock: (permit: EscrowPermit, id: EscrowId) => found(store.lock(permit.scope, id)),
    record,
    save: (permit: EscrowPermit, escrow: Escrow, action: string, detail: Detail) =>
      Effect.zipLeft(store.update(escrow), record(permit, escrow, action, detail))
  }
})

const SplitRow = Schema.Struct({
  milestone_id: Schema.String,
  party_id: Schema.String,
  split_type: Schema.Literal(...splitTypes),
  split_value: Schema.String
})

const escrowsOf = query(EscrowRow)
const timesOf = query(EscrowRow.pick("created_at", "updated_at"))
const partiesOf = query(PartyRow)
const milestonesOf = query(MilestoneRow)
const splitsOf = query(SplitRow)

const escrowRow = (escrow: NewEscrow) => ({
  escrow_id: escrow.escrow_id,
  org_id: escrow.org_id,
  name: escrow.name,
  currency: escrow.currency,
  account_id: escrow.account_id,
  status: escrow.status,
  total_amount: escrow.total.toNumericText(),
  funded_amount: escrow.funded.toNumericText(),
  disbursed_amount: escrow.disbursed.toNumericText()
})

const ownerOf = ({ escrow_id, org_id }: NewEscrow) => ({ escrow_id, org_id })

const partyRows = (escrow: NewEscrow) =>
  escrow.parties.map((party, position) => ({ ...ownerOf(escrow), ...party, position }))

const milestoneRows = (escrow: NewEscrow) =>
  escrow.milestones.map(({ expected, splits: _, ...milestone }) => ({
    ...ownerOf(escrow),
    ...milestone,
    expected_disbursement: expected.toNumericText()
  }))

const splitRows = (escrow: NewEscrow) =>
  escrow.milestones.flatMap(({ milestone_id, splits }) =>
    splits.map(({ party_id, split_type, split_value }, position) => ({
      ...ownerOf(escrow),
      milestone_id,
      party_id,
      position,
      split_type,
      split_value: toPlainText(split_value)
    }))
  )

const splitOfRow = ({ party_id, split_type, split_value }: typeof SplitRow.Type): PartySplit => ({
  party_id,
  split_type,
  split_value: Option.getOrThrowWith(fromPlainText(split_value), () => new Error(`${split_value} is no split`))
})

interface ChildRows {
  readonly parties: ReadonlyArray<typeof PartyRow.Type>
  readonly milestones: ReadonlyArray<typeof MilestoneRow.Type>
  readonly splits: ReadonlyArray<typeof SplitRow.Type>
}

/** `milestones`, `parties` and `splits` are ordered, and may belong to several escrows. */
const escrowOfRows = (row: typeof EscrowRow.Type, { milestones, parties, splits }: ChildRows): Escrow => {
  const { currency, disbursed_amount, escrow_id, funded_amount, total_amount, ...rest } = row
  return {
    ...rest,
    escrow_id,
    currency,
    total: moneyOf(total_amount, currency),
    funded: moneyOf(funded_amount, currency),
    disbursed: moneyOf(disbursed_amount, currency),
    parties: parties.filter((party) => party.escrow_id === escrow_id).map(({ escrow_id: _escrow, ...party }) => party),
    milestones: milestones
      .filter((milestone) => milestone.escrow_id === escrow_id)
      .map(({ escrow_id: _escrow, expected_disbursement, ...milestone }) => ({
        ...milestone,
        expected: moneyOf(expected_disbursement, currency),
        splits: splits.filter(({ milestone_id }) => milestone_id === milestone.milestone_id).map(splitOfRow)
      }))
  }
}

/** An escrow is a row and the rows of its parties, milestones and splits. */
export const escrowStoreSql = Layer.effect(
  EscrowStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columnsOf = ({ fields }: { readonly fields: object }) => sql.literal(Object.keys(fields).join(", "))
    const columns = columnsOf(EscrowRow)

    const whole = Effect.fnUntraced(function* (rows: ReadonlyArray<typeof EscrowRow.Type>, scope: Scope) {
      if (rows.length === 0) return []
      const ids = rows.map(({ escrow_id }) => escrow_id)
      const theirs = sql`${sql.in("escrow_id", ids)} and ${ownedIn(sql, scope)}`
      const parties = yield* partiesOf.all(
        sql`select ${columnsOf(PartyRow)} from escrow_parties where ${theirs} order by escrow_id, position`
      )
      const milestones = yield* milestonesOf.all(
        sql`select ${columnsOf(MilestoneRow)} from escrow_milestones where ${theirs} order by escrow_id, sequence`
      )
      const splits = yield* splitsOf.all(
        sql`select ${columnsOf(SplitRow)} from escrow_splits where ${theirs} order by milestone_id, position`
      )
      return rows.map((row) => escrowOfRows(row, { parties, milestones, splits }))
    })

    const one = (scope: Scope, id: EscrowId | Statement.Fragment, lock: "" | "for no key update") =>
      sql`select ${columns} from escrows
        where escrow_id = ${id} and ${ownedIn(sql, scope)} ${sql.literal(lock)}`.pipe(
        escrowsOf.all,
        Effect.flatMap((rows) => whole(rows, scope)),
        Effect.map((escrows) => Option.fromNullable(escrows[0]))
      )

    return {
      insert: Effect.fnUntraced(function* (escrow) {
        const times = yield* timesOf.one(sql`insert into escrows ${sql.insert(escrowRow(escrow))}
          returning created_at, updated_at`)
        yield* sql`insert into escrow_parties ${sql.insert(partyRows(escrow))}`
        yield* sql`insert into escrow_milestones ${sql.insert(milestoneRows(escrow))}`
        yield* sql`insert into escrow_splits ${sql.insert(splitRows(escrow))}`
        return { ...escrow, ...times }
      }, orDatabaseFailure),
      list: (scope, { account_id, status }, window) => {
        const conditions = [
          ...(account_id === undefined
            ? [inScope(sql, scope)]
            : [sql`account_id = ${account_id}`, ownedIn(sql, scope)]),
          ...(status === undefined ? [] : [sql`status = ${status}`])
        ]
        return sql`select ${columns} from escrows where ${sql.and(conditions)}
          ${newest(sql, "escrow_id", window)}`.pipe(
          escrowsOf.all,
          Effect.flatMap((rows) => whole(rows, scope))
        )
      },
      find: (scope, id) => one(scope, id, ""),
      findByParty: (orgId, partyId) =>
        one(Option.some(orgId), sql`(select escrow_id from escrow_parties where party_id = ${partyId})`, ""),
      lock: (scope, id) => one(scope, id, "for no key update"),
      update: Effect.fnUntraced(function* (escrow: Escrow) {
        const { escrow_id, org_id } = escrow
        const { disbursed_amount, funded_amount, status } = escrowRow(escrow)
        const times = yield* timesOf.one(sql`update escrows set status = ${status}, funded_amount = ${funded_amount},
          disbursed_amount = ${disbursed_amount}, updated_at = now()
          where escrow_id = ${escrow_id} and ${ownedBy(sql, org_id)} returning created_at, updated_at`)
        yield* sql`update escrow_milestones m set status = r.status, contract_reference = r.contract_reference,
            contract_submitted_at = r.contract_submitted_at, disbursed_at = r.disbursed_at
          from jsonb_to_recordset(${JSON.stringify(milestoneRows(escrow))}::jsonb) as r (milestone_id uuid, status text,
            contract_reference text, contract_submitted_at timestamptz, disbursed_at timestamptz)
          where m.milestone_id = r.milestone_id and m.escrow_id = ${escrow_id} and ${ownedBy(sql, org_id)}`
        yield* sql`update escrow_splits s set split_value = r.split_value
          from jsonb_to_recordset(${JSON.stringify(splitRows(escrow))}::jsonb) as r (milestone_id uuid, party_id uuid,
            split_value numeric)
          where s.milestone_id = r.milestone_id and s.party_id = r.party_id and s.escrow_id = ${escrow_id}
            and ${ownedBy(sql, org_id)}`
        return { ...escrow, ...times }
      }, orDatabaseFailure)
    }
  })
)
