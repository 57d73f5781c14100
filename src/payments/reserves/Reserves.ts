/** Reserves of organisations: payins with held parts, the release of parts that are due, and the rules over HTTP. */
import { Context, Data, Effect, Layer, Option, Duration, Schema, Either } from "effect"
import { LedgerAccount } from "../../domain/Ledger.ts"
import {
  releaseBatch,
  releaseConcurrency,
  releasePoll,
  releaseDaysShown,
  releaseRetry
} from "../../domain/policies/PaymentPolicies.ts"
import { minimumIn, released, minimumOf, reserveRule, type ReserveRule } from "../../domain/Reserve.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { PaymentCommand } from "../settlement/PaymentCommand.ts"
import { organizationAccount, unallocatedOf } from "../store/PaymentPostings.ts"
import { heldInReserve } from "../store/PaymentReserve.ts"
import type { Payment, Books } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import type { OrgId } from "../../domain/Ids.ts"
import type { Money } from "../../domain/Money.ts"
import { SqlClient } from "@effect/sql"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { execute, moneyOf, ownedBy, query } from "../../platform/database/Query.ts"
import { booksColumns, booksOf, paymentOf, readRows, selectedColumns } from "../store/PaymentRow.ts"
import type { Reserve, ReservesApi } from "../../contract/api/ReservesApi.ts"
import { success } from "../../contract/api/Envelope.ts"
import { organizationOf } from "../../domain/Access.ts"
import { Invalid } from "../../domain/Failure.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** A payin with parts that are due. */
interface DueRelease extends Books {
  readonly payment: Payment
}

/** Money that leaves the reserve on a UTC day. */
export interface UpcomingRelease {
  readonly date: string
  readonly amount: Money
}

/** Payins with money in their organisation's reserve. Their parts change with the payment, in its store. */
export class ReserveStore extends Context.Tag("corridor/ReserveStore")<
  ReserveStore,
  {
    /** The longest due first. Nothing is claimed: the payment's version lets one instance release it. */
    readonly due: (most: number) => Stored<ReadonlyArray<DueRelease>>
    /** Looks at a release that cannot happen yet again after `releaseRetry`. */
    readonly postpone: (payment: Payment) => Stored<void>
    /** By day and currency, the first days. */
    readonly upcoming: (orgId: OrgId) => Stored<ReadonlyArray<UpcomingRelease>>
  }
>() {}

const upcomingRows = query(
  Schema.Struct({ date: Schema.String, currency: Schema.typeSchema(AnyCurrencyCode), amount: Schema.String })
)

export const reserveStoreSql = Layer.effect(
  ReserveStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    due: (most) =>
      sql`select ${sql.literal(selectedColumns("p."))}, ${sql.literal(booksColumns("p."))} from payments p
        where p.release_at <= now() order by p.release_at limit ${most}`.pipe(
        readRows((row) => ({ payment: paymentOf(row), ...booksOf(row) }))
      ),
    postpone: ({ org_id, payment_id, version }) =>
      execute(sql`update payments set release_at = now() + make_interval(secs => ${Duration.toSeconds(releaseRetry)})
        where payment_id = ${payment_id} and ${ownedBy(sql, org_id)} and version = ${version}
          and release_at <= now()`),
    // The part that is released last has paid refunds and chargebacks: earlier ones hold theirs in full.
    upcoming: (orgId) =>
      sql`with parts as (
          select p.target_currency as currency, p.reserve_held, (part ->> 'amount')::numeric as amount,
            (part ->> 'release_at')::timestamptz as release_at,
            sum((part ->> 'amount')::numeric) over (partition by p.payment_id order by nth) as so_far
          from payments p cross join lateral jsonb_array_elements(p.reserve -> 'parts') with ordinality as x (part, nth)
          where ${ownedBy(sql, orgId)} and p.release_at is not null and part ->> 'released_at' is null
        ), days as (
          select to_char(release_at at time zone 'UTC', 'YYYY-MM-DD') as date, currency,
            sum(least(amount, greatest(0, reserve_held - so_far + amount))) as amount
          from parts group by 1, 2
        )
        select date, currency, amount::text from days where amount > 0
        order by date, currency limit ${releaseDaysShown}`.pipe(
        upcomingRows.all,
        Effect.map((rows) => rows.map(({ amount, currency, date }) => ({ date, amount: moneyOf(amount, currency) })))
      )
  }))
)

/** A release would leave less than the minimum in the reserve. */
class BelowMinimum extends Data.TaggedError("BelowMinimum") {}

const make = Effect.gen(function* () {
  const reserves = yield* ReserveStore
  const store = yield* PaymentStore
  const command = yield* PaymentCommand
  const organizations = yield* Organizations
  const ledger = yield* Ledger
  const { atomically } = yield* Transactor

  const minimumHeld = ({ org_id, target }: Payment) =>
    Effect.map(organizations.find(org_id), (found) =>
      Option.isNone(found) ? 0n : minimumIn(found.value.reserves, target.currency)
    )

  const release = Effect.fnUntraced(function* ({ payment, ...books }: DueRelease, now: Date) {
    const { org_id, reserve, target } = payment
    if (reserve === null) return
    const side = organizationAccount(payment)
    const held = heldInReserve(payment, books, side)
    const after = { ...reserve, parts: released(reserve.parts, held.minor, now) }
    const isLess = heldInReserve({ ...payment, reserve: after }, books, side).minor < held.minor
    // An undecided chargeback may need the money.
    if (unallocatedOf(payment, books).some(({ money }) => money.isNegative)) return yield* reserves.postpone(payment)
    const minimum = isLess ? yield* minimumHeld(payment) : 0n
    const patch = { reserve: after }
    const written = command.write(payment, {
      ...{ status: payment.status, patch, booksBefore: books },
      cause: "reserve released"
    })
    // The balance is read after the payment and its accounts are locked, in the order of every other change.
    const keepsMinimum = Effect.gen(function* () {
      yield* written
      const left = minimum === 0n ? undefined : yield* ledger.balance(LedgerAccount.reserve(org_id, target.currency))
      if (left !== undefined && left.minor < minimum) return yield* new BelowMinimum()
    })
    yield* Effect.catchTag(atomically(keepsMinimum), "BelowMinimum", () => reserves.postpone(payment))
  })

  /** A payment that changed meanwhile, or that another instance was faster with, is looked at again by the next run. */
  const alone = (now: Date) => (due: DueRelease) =>
    release(due, now).pipe(
      Effect.catchTag("VersionConflict", () => Effect.void),
      // Looked at later, so that payments behind it are not held up.
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          Effect.logError("A reserve was not released; it is tried again", cause),
          reserves.postpone(due.payment)
        )
      ),
      Effect.annotateLogs({ payment_id: due.payment.payment_id })
    )

  const runOnce = Effect.gen(function* () {
    const due = yield* reserves.due(releaseBatch)
    if (due.length > 0) {
      yield* Effect.forEach(due, alone(yield* store.now), { concurrency: releaseConcurrency, discard: true })
    }
    return due.length
  })

  return {
    /** Releases what is due; answers with how many payments were looked at. */
    runOnce,
    worker: Effect.forever(
      Effect.flatMap(runOnce, (looked) => (looked < releaseBatch ? Effect.sleep(releasePoll) : Effect.yieldNow()))
    ) as Stored<never>
  }
})

/** Gives parts of the reserve back to the organisation once they are due, each once. */
export class ReserveReleases extends Context.Tag("corridor/ReserveReleases")<
  ReserveReleases,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(ReserveReleases, make)
}

const shown = (rule: ReserveRule): typeof Reserve.Type => ({
  ...rule,
  minimum_amount: minimumOf(rule)?.toShown() ?? null
})

export const reservesHandlers = Effect.map(
  Effect.all([Organizations, ReserveStore]),
  ([organizations, store]): Handlers<typeof ReservesApi> => ({
    get: traced("ReservesHttp.get")(function* ({ permit }) {
      const orgId = yield* organizationOf(permit)
      const { reserves } = yield* organizations.reservesOf(permit)
      const releases = yield* store.upcoming(orgId)
      return success("Reserves", {
        rules: reserves.map(shown),
        releases: releases.map(({ amount, date }) => ({ date, currency: amount.currency, amount: amount.toShown() }))
      })
    }),
    set: traced("ReservesHttp.set")(function* ({ payload, permit }) {
      const orgId = yield* organizationOf(permit)
      const rule = yield* Either.mapLeft(reserveRule(payload), (message) => new Invalid({ message }))
      const { after } = yield* organizations.setReserve(permit, orgId, rule)
      return success(after === null ? "Reserve removed" : "Reserve set", after === null ? null : shown(after))
    })
  })
)
