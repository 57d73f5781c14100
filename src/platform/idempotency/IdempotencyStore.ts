/**
 * Stored idempotency keys. A row is written in the transaction of its request; `claim` tells two requests with the
 * same key apart.
 */
import { Context, type Option, Schema } from "effect"
import { PaymentId, type AccountId, type EscrowId, type OrgId } from "../../domain/Ids.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

const KeyName = Schema.Struct({ org_id: Schema.String, operation: Schema.String, key: Schema.String })
export type KeyName = typeof KeyName.Type

const NewKey = Schema.Struct({ ...KeyName.fields, body_digest: Schema.String, claim: Schema.String })
/** Key that a request stores with its work. */
export type NewKey = typeof NewKey.Type

const StoredKey = Schema.Struct({
  ...NewKey.fields,
  payment_id: Schema.NullOr(PaymentId),
  created_at: Schema.DateFromSelf,
  status: Schema.NullOr(Schema.Number),
  response: Schema.NullOr(Schema.String)
})
export type StoredKey = typeof StoredKey.Type

/** Age by the store's clock, since clocks of instances differ. */
export const FoundKey = Schema.Struct({ ...StoredKey.fields, age_millis: Schema.Number })
export type FoundKey = typeof FoundKey.Type

export class IdempotencyStore extends Context.Tag("corridor/IdempotencyStore")<
  IdempotencyStore,
  {
    /** None for a key past its retention. */
    readonly find: (name: KeyName) => Stored<Option.Option<FoundKey>>
    /** Belongs before, or into the transaction of, the first thing that a request does. False when another was faster. */
    readonly claim: (paymentId: PaymentId | null, key: NewKey) => Stored<boolean>
    /** Only where the row is this request's, and the answer its first. */
    readonly keepResponse: (key: NewKey, status: number, response: string) => Stored<void>
    /** For a request that claimed its key and then did nothing. */
    readonly release: (key: NewKey) => Stored<void>
    /** Deletes a batch of keys past their retention; returns how many. */
    readonly forgetOld: Stored<number>
  }
>() {}

interface Named {
  readonly payment_id?: PaymentId | undefined
  readonly account_id?: AccountId | undefined
  readonly escrow_id?: EscrowId | undefined
}

/** Owner of the object that a request names, for callers that belong to no organisation. */
export class Owners extends Context.Tag("corridor/Owners")<
  Owners,
  /** The organisation of the first object that is named and exists. */
  { readonly ownerOf: (named: Named) => Stored<Option.Option<OrgId>> }
>() {}
