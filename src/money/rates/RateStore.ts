/** Stores base rates as exact decimals, with their source and the time they were set. */
import { Context, Duration, Option, Schema, Effect, Layer } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { rateMoveWindow, rateProposalTime } from "../../domain/policies/PaymentPolicies.ts"
import { batchedReads } from "../../platform/database/Batcher.ts"
import { batchOf, execute, query } from "../../platform/database/Query.ts"

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
type RateOrigin = Pick<StoredRate, "source" | "published_at">

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
     * Rows of the pair and of the two pairs through a third currency, in both directions, if they exist. With the
     * spread of an organisation, or of none.
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
  }
>() {}

const ratesOf = query(StoredRate)
const ratesToChange = query(RateToChange)
const ratesWithTime = query(Schema.Struct({ ...RateToChange.fields, read_at: Schema.DateFromSelf }))
const fetchesOf = query(RateFetch)
const claimsOf = query(RateFetch.pick("source"))
const failuresOf = query(RateFetch.pick("failures"))
const proposalsOf = query(RateProposal)
const readRates = query(Schema.Struct({ ...ReadRate.fields, seq: Schema.Int }))

interface Question {
  readonly org: OrgId | null
  readonly codes: ReadonlyArray<string>
}

const keyOf = ({ codes, org }: Question): string => `${org} ${codes.join(" ")}`

export const rateStoreSql = Layer.scoped(
  RateStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const proposalColumns = sql.literal(
      "from_currency, to_currency, trim_scale(rate)::text as rate, proposed_by, proposed_at"
    )
    const current = sql.literal("from_currency, to_currency, trim_scale(rate)::text as rate, r.updated_at")
    const columns = sql`${current}, source, published_at`
    /** A window that has passed counts from the rate at its end. */
    const compared = sql`case when r.compared_at > now() - make_interval(secs => ${Duration.toSeconds(rateMoveWindow)})
      then r.compared_rate else r.rate end`
    const changeable = sql`${columns}, trim_scale(${compared})::text as compared_rate`

    const between = yield* batchedReads(keyOf, (asked: ReadonlyArray<Question>) =>
      sql`select a.seq, ${current}, now() as read_at, coalesce(o.spread_bps, 0) as spread_bps
        from ${batchOf(sql, asked, "org uuid, codes text[]")} a
        join rates r on r.from_currency = any (a.codes) and r.to_currency = any (a.codes)
        left join organizations o on o.org_id = a.org`.pipe(
        readRates.all,
        Effect.map((rows) => {
          const found = asked.map((): Array<ReadRate> => [])
          for (const { seq, ...row } of rows) found[seq]?.push(row)
          return found
        })
      )
    )

    const store: RateStore["Type"] = {
      set: (rates, origin = manualOrigin, isConfirmed = false) =>
        rates.length === 0
          ? Effect.void
          : execute(sql`insert into rates as r
              ${sql.insert(rates.map((rate) => ({ ...rate, ...origin, compared_rate: rate.rate })))}
              on conflict (from_currency, to_currency) do update set rate = excluded.rate, source = excluded.source,
                published_at = excluded.published_at, updated_at = now(),
                compared_rate = case when ${isConfirmed} then excluded.rate else ${compared} end,
                compared_at = case when not ${isConfirmed}
                  and r.compared_at > now() - make_interval(secs => ${Duration.toSeconds(rateMoveWindow)})
                  then r.compared_at else now() end`),
      list: ratesOf.all(sql`select ${columns} from rates r order by from_currency, to_currency`),
      listForUpdate: ratesWithTime.all(sql`select ${changeable}, now() as read_at from rates r
        order by from_currency, to_currency for update`),
      claimFetch: (source, every) =>
        Effect.map(
          claimsOf.first(sql`insert into rate_fetches as f (source, next_at)
            values (${source}, now() + make_interval(secs => ${Duration.toSeconds(every)}))
            on conflict (source) do update set next_at = excluded.next_at where f.next_at <= now()
            returning source`),
          Option.isSome
        ),
      fetched: (source, published_at) =>
        execute(sql`insert into rate_fetches (source, next_at, fetched_at, published_at)
          values (${source}, now(), now(), ${published_at})
          on conflict (source) do update set fetched_at = now(), published_at = excluded.published_at, failures = 0,
            last_error = null`),
      fetchFailed: (source, last_error) =>
        Effect.map(
          failuresOf.one(sql`insert into rate_fetches as f (source, next_at, failures, last_error)
            values (${source}, now(), 1, ${last_error})
            on conflict (source) do update set failures = f.failures + 1, last_error = excluded.last_error
            returning failures`),
          ({ failures }) => failures
        ),
      fetches: fetchesOf.all(sql`select source, fetched_at, published_at, failures, last_error from rate_fetches
        order by source`),
      findForUpdate: (from, to) =>
        ratesToChange.first(
          sql`select ${changeable} from rates r where from_currency = ${from} and to_currency = ${to} for update`
        ),
      between: (org, from, to, through) => between({ org, codes: [from, to, through] }),
      proposals: proposalsOf.all(sql`select ${proposalColumns} from rate_proposals
        where proposed_at > now() - make_interval(secs => ${Duration.toSeconds(rateProposalTime)})
        order by from_currency, to_currency`),
      propose: (proposal) =>
        proposalsOf.one(sql`insert into rate_proposals ${sql.insert(proposal)}
          on conflict (from_currency, to_currency)
          do update set rate = excluded.rate, proposed_by = excluded.proposed_by, proposed_at = now()
          returning ${proposalColumns}`),
      dropProposal: (from, to) =>
        execute(sql`delete from rate_proposals where from_currency = ${from} and to_currency = ${to}`)
    }
    return store
  })
)
