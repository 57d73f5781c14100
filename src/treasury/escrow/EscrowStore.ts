/** Escrows at rest, each as a whole. Whoever changes one locks it first, in the transaction that moves its money. */
import { Context, type Option } from "effect"
import type { AccountId, EscrowId, OrgId } from "../../domain/Identifiers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Escrow, EscrowStatus, NewEscrow } from "./Escrow.ts"

export interface EscrowFilter {
  readonly status?: EscrowStatus | undefined
  readonly account_id?: AccountId | undefined
}

export class EscrowStore extends Context.Tag("corridor/EscrowStore")<
  EscrowStore,
  {
    /** Belongs in a transaction: an escrow is several rows. */
    readonly insert: (escrow: NewEscrow) => Stored<Escrow>
    readonly list: (scope: Scope, filter: EscrowFilter, window: Window) => Stored<ReadonlyArray<Escrow>>
    readonly find: (scope: Scope, id: EscrowId) => Stored<Option.Option<Escrow>>
    /** The one that pays this party. */
    readonly findByParty: (orgId: OrgId, partyId: string) => Stored<Option.Option<Escrow>>
    /** Inside a transaction nobody else changes it until the end. */
    readonly lock: (scope: Scope, id: EscrowId) => Stored<Option.Option<Escrow>>
    /** Writes how far a locked one, its milestones and its splits have come; everything else of it stays as it was made. */
    readonly update: (escrow: Escrow) => Stored<Escrow>
  }
>() {}
