/** Whose is what a request names? Asked for a caller who belongs to no organisation, and whose key must belong to one. */
import { Context, type Option } from "effect"
import type { AccountId, EscrowId, OrgId, PaymentId } from "../../domain/Identifiers.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

export interface Named {
  readonly payment_id?: PaymentId | undefined
  readonly account_id?: AccountId | undefined
  readonly escrow_id?: EscrowId | undefined
}

interface Store {
  /** The organisation of the first of them that is named and there. */
  readonly ownerOf: (named: Named) => Stored<Option.Option<OrgId>>
}

export class Owners extends Context.Tag("corridor/Owners")<Owners, Store>() {}
