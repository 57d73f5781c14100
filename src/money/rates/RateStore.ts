/** Stores base rates as exact decimals, with their source and the time they were set. */
import { Context, type Duration, type Option, Schema } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

const CurrentRate = Schema.Struct({
  from_currency: Schema.String,
  to_currency: Schema.String,
  /** Decimal text, without trailing zeros. */
  rate: Schema.String,
  updated_at: Schema.DateFromSelf
})

export const StoredRate = Schema.Struct({
  ...CurrentRate.fields,
  /** `manual`, or the source that it was fetched from. */
  source: Schema.String,
  /** When the source published it; null where it does not say. */
  published_at: Schema.NullOr(Schema.DateFromSelf)
})
export type StoredRate = typeof StoredRate.Type

/** A rate before it is changed. */
export const RateToChange = Schema.Struct({
  ...StoredRate.fields,
  /** The rate at the beginning of the present window of 24 hours, or the one that a second person confirmed since. */
  compared_rate: Schema.String
})
export type RateToChange = typeof RateToChange.Type

export type NewRate = Pick<StoredRate, "from_currency" | "to_currency" | "rate">
export type RateOrigin = Pick<StoredRate, "source" | "published_at">

/** Set by a person, or by the sandbox. */
export const manualOrigin: RateOrigin = { source: "manual", published_at: null }

/** Name under which a source proposes rates that move too far; a person confirms them. */
export const proposerOf = (source: string): string => `source ${source}`

export const sourceOfProposer = (proposedBy: string): string | null =>
  proposedBy.startsWith("source ") ? proposedBy.slice("source ".length) : null

/** How fetching from a source went so far. */
export const RateFetch = Schema.Struct({
  source: Schema.String,
  /** The last success; null: none so far. */
  fetched_at: Schema.NullOr(Schema.DateFromSelf),
  published_at: Schema.NullOr(Schema.DateFromSelf),
  /** Failures since the last success. */
  failures: Schema.Int,
  last_error: Schema.NullOr(Schema.String)
})
export type RateFetch = typeof RateFetch.Type

/** With the time at which it was read, by the same clock as `updated_at`. */
export const ReadRate = Schema.Struct({
  ...CurrentRate.fields,
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
    /** By hand, unless an origin is given. Later rates are compared with a confirmed one, whatever was before it. */
    readonly set: (rates: ReadonlyArray<NewRate>, origin?: RateOrigin, isConfirmed?: boolean) => Stored<void>
    readonly list: Stored<ReadonlyArray<StoredRate>>
    /** With the time of reading. Inside a transaction the rows stay locked until its end. */
    readonly listForUpdate: Stored<ReadonlyArray<RateToChange & { readonly read_at: Date }>>
    /** Whether the source is due; if so, it is due again after `every`, for all instances. */
    readonly claimFetch: (source: string, every: Duration.Duration) => Stored<boolean>
    readonly fetched: (source: string, published_at: Date | null) => Stored<void>
    /** Answers with the number of failures since the last success. */
    readonly fetchFailed: (source: string, error: string) => Stored<number>
    readonly fetches: Stored<ReadonlyArray<RateFetch>>
    /** Inside a transaction the row stays locked until its end. */
    readonly findForUpdate: (from: string, to: string) => Stored<Option.Option<RateToChange>>
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
