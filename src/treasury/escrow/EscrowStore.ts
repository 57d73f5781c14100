/**
 * Store of escrows, each read and written as a whole. Lock an escrow before changing it, in the transaction that moves
 * its money.
 */
import { Context, type Option, Effect } from "effect"
import type { AccountId, EscrowId, OrgId } from "../../domain/Ids.ts"
import { orNotFound, type Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import type { Escrow, EscrowStatus, NewEscrow } from "./Escrow.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Permit } from "../../domain/Access.ts"

export interface EscrowFilter {
  readonly status?: EscrowStatus | undefined
  readonly account_id?: AccountId | undefined
}

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
