/** Stores base rates as exact decimals, with the time they were set. */
import { Context, type Option, Schema } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export const StoredRate = Schema.Struct({
  from_currency: Schema.String,
  to_currency: Schema.String,
  /** Decimal text, without trailing zeros. */
  rate: Schema.String,
  updated_at: Schema.DateFromSelf
})
export type StoredRate = typeof StoredRate.Type

/** With the time at which it was read, by the same clock as `updated_at`. */
export const ReadRate = Schema.Struct({
  ...StoredRate.fields,
  read_at: Schema.DateFromSelf,
  /** Margin of the asking organisation, in basis points. */
  spread_bps: Schema.Int
})
export type ReadRate = typeof ReadRate.Type

/** A rate that waits for a second person. */
export const RateProposal = Schema.Struct({
  from_currency: Schema.String,
  to_currency: Schema.String,
  rate: Schema.String,
  /** A user, or an operator at the command line. */
  proposed_by: Schema.String,
  proposed_at: Schema.DateFromSelf
})
export type RateProposal = typeof RateProposal.Type

export class RateStore extends Context.Tag("corridor/RateStore")<
  RateStore,
  {
    readonly set: (rates: ReadonlyArray<Omit<StoredRate, "updated_at">>) => Stored<void>
    readonly list: Stored<ReadonlyArray<StoredRate>>
    /** Inside a transaction the row stays locked until its end. */
    readonly findForUpdate: (from: string, to: string) => Stored<Option.Option<StoredRate>>
    /**
     * The pair's own row and the two that cross through a third currency, each both ways, as far as there are any; with
     * the spread of an organisation, or of none.
     */
    readonly between: (
      orgId: OrgId | null,
      from: string,
      to: string,
      through: string
    ) => Stored<ReadonlyArray<ReadRate>>
    /** Proposals that are young enough to be confirmed. */
    readonly proposals: Stored<ReadonlyArray<RateProposal>>
    /** Keeps a proposal, in place of an earlier one for the same pair. */
    readonly propose: (proposal: Omit<RateProposal, "proposed_at">) => Stored<RateProposal>
    /** Takes the proposal of a pair away, if there is one. */
    readonly dropProposal: (from: string, to: string) => Stored<void>
    readonly setSpread: (orgId: OrgId, basisPoints: number) => Stored<void>
  }
>() {}
