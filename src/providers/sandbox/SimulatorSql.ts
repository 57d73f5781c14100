/** Payments and timers of the simulators on PostgreSQL. Times of timers and leases are the database's. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { builtInRails } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { orDatabaseFailure, orTransactionFailure } from "../../platform/database/DatabaseFailure.ts"
import { batched } from "../../platform/database/Batcher.ts"
import { moneyOf, query } from "../../platform/database/Query.ts"
import {
  behaviours,
  type NewSimulatorTimer,
  simulatorKinds,
  type SimulatorPayment,
  simulatorStates,
  type SimulatorTimer,
  type SimulatorChange,
  SimulatorStore,
  announceTimers,
  SimulatorAnswer
} from "./SimulatorStore.ts"

const PaymentRow = Schema.Struct({
  reference: Schema.String,
  rail: Schema.Literal(...builtInRails),
  state: Schema.Literal(...simulatorStates),
  behaviour: Schema.Literal(...behaviours),
  amount: Schema.String,
  currency: Schema.typeSchema(AnyCurrencyCode),
  reason: Schema.NullOr(Schema.String),
  detail: Schema.Struct({
    kind: Schema.Literal(...simulatorKinds),
    answer: SimulatorAnswer,
    wrongPasswords: Schema.Int
  })
})

/** A claim that finds nothing still says when to look again: that row has no timer. */
const ClaimRow = Schema.Union(
  Schema.Struct({
    wait: Schema.NullOr(Schema.Number),
    timer_id: Schema.String,
    rail: Schema.Literal(...builtInRails),
    reference: Schema.String,
    kind: Schema.Literal(...simulatorKinds),
    amount: Schema.String,
    currency: Schema.typeSchema(AnyCurrencyCode),
    event_id: Schema.String,
    report: Schema.Literal(...simulatorStates),
    reason: Schema.NullOr(Schema.String),
    occurred_at: Schema.DateFromSelf,
    due_in: Schema.Number
  }),
  Schema.Struct({ wait: Schema.NullOr(Schema.Number), timer_id: Schema.Null })
)

const payments = query(PaymentRow)
const openedRows = query(Schema.Struct({ reference: Schema.String }))
const claimedRows = query(ClaimRow)

const paymentOf = ({ amount, currency, detail, ...row }: typeof PaymentRow.Type): SimulatorPayment => ({
  ...row,
  ...detail,
  money: moneyOf(amount, currency)
})

const rowOf = ({ answer, kind, money, wrongPasswords, ...payment }: SimulatorPayment) => ({
  amount: money.toNumericText(),
  currency: money.currency,
  detail: JSON.stringify({ kind, answer, wrongPasswords }),
  ...payment
})

const timersOf = (rows: ReadonlyArray<typeof ClaimRow.Type>): ReadonlyArray<SimulatorTimer> =>
  rows.flatMap((row) => {
    if (row.timer_id === null) return []
    const { amount, currency, due_in: dueInMillis, kind, rail, reason, reference, report } = row
    const { event_id: eventId, occurred_at: occurredAt, timer_id: timerId } = row
    const money = moneyOf(amount, currency)
    return [{ timerId, eventId, reference, occurredAt, dueInMillis, rail, reason, report, kind, money }]
  })

export const simulatorStoreSql = Layer.scoped(
  SimulatorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const columns = sql.literal("reference, rail, state, behaviour, amount, currency, reason, detail")

    const timerColumns = sql.literal("timer_id, rail, reference, report, event_id, reason, occurred_at, due_at")
    const timerFields = sql.literal(
      `"timerId" uuid, "eventId" uuid, report text, reason text, "occursInMillis" float8, "dueInMillis" float8`
    )
    const timerValues = sql.literal(`t."timerId", owner.rail, owner.reference, t.report, t."eventId", t.reason,
      now() + t."occursInMillis" * interval '1 ms', now() + t."dueInMillis" * interval '1 ms'`)

    /** One text for any number of timers, so that the statement is prepared once. */
    const listed = (timerIds: ReadonlyArray<string>) =>
      sql`timer_id = any (array(select jsonb_array_elements_text(${JSON.stringify(timerIds)}::jsonb)::uuid))`

    const find = (reference: string) =>
      sql`select ${columns} from rail_payments where reference = ${reference}`.pipe(
        payments.first,
        Effect.map(Option.map(paymentOf))
      )

    const apply = Effect.fnUntraced(function* (payment: SimulatorPayment, change: SimulatorChange) {
      const { detail, reason, reference, state } = rowOf({ ...payment, ...change })
      yield* sql`update rail_payments set state = ${state}, reason = ${reason}, detail = ${detail}::jsonb
        where reference = ${reference}`
      if (change.dropTimers) yield* sql`delete from rail_timers where reference = ${reference}`
      if (change.timers !== undefined) {
        yield* sql`insert into rail_timers (${timerColumns})
          select ${timerValues} from rail_payments owner,
            json_to_recordset(${JSON.stringify(change.timers)}::json) as t (${timerFields})
          where owner.reference = ${reference}`
      }
    })

    const decideLocked = Effect.fnUntraced(function* <A>(
      reference: string,
      decide: (payment: SimulatorPayment) => readonly [A, SimulatorChange | null]
    ) {
      const found = yield* payments.first(
        sql`select ${columns} from rail_payments where reference = ${reference} for update`
      )
      const payment = Option.map(found, paymentOf)
      if (Option.isNone(payment)) return Option.none()
      const [answer, change] = decide(payment.value)
      if (change !== null) yield* apply(payment.value, change)
      return Option.some({ answer, timers: change?.timers ?? [] })
    })

    const open = yield* batched(
      (all: ReadonlyArray<{ readonly payment: SimulatorPayment; readonly timers: ReadonlyArray<NewSimulatorTimer> }>) =>
        sql`with input as (
            select * from jsonb_to_recordset(${JSON.stringify(all.map(({ payment, timers }) => ({ timers, ...rowOf(payment) })))}::jsonb)
              as i (reference uuid, rail text, state text, behaviour text, amount numeric, currency text, reason text,
                detail text, timers jsonb)
          ), owner as (
            insert into rail_payments (${columns})
            select reference, rail, state, behaviour, amount, currency, reason, detail::jsonb from input
            on conflict do nothing returning rail, reference
          ), scheduled as (
            insert into rail_timers (${timerColumns})
            select ${timerValues} from owner join input using (reference)
            cross join lateral jsonb_to_recordset(input.timers) as t (${timerFields})
          )
          select reference from owner`.pipe(
          openedRows.all,
          Effect.map((rows) => {
            const opened = new Set(rows.map(({ reference }) => reference))
            return all.map(({ payment }) => opened.has(payment.reference))
          })
        )
    )

    return {
      open: Effect.fnUntraced(function* (payment, timers) {
        const opened = yield* open({ payment, timers })
        // An existing payment may be this very one, whose answer was lost.
        yield* announceTimers(timers, false)
        return opened ? payment : yield* Effect.flatMap(find(payment.reference), Effect.orDie)
      }),
      find,
      change: (reference, decide) =>
        sql
          .withTransaction(decideLocked(reference, decide))
          .pipe(
            orTransactionFailure,
            Effect.tap(
              Option.match({ onNone: () => Effect.void, onSome: ({ timers }) => announceTimers(timers, true) })
            ),
            Effect.map(Option.map(({ answer }) => answer)),
            Effect.withSpan("SimulatorStore.change")
          ),
      // Locks the payment with its timer, and skips payments that are being changed.
      claim: ({ aheadMillis = 0, leaseMillis, limit, token }) =>
        sql`with due as (
            select t.timer_id, t.due_at, p.detail->>'kind' as kind, p.amount, p.currency from rail_timers t join rail_payments p on p.reference = t.reference
            where t.due_at <= now() + ${aheadMillis} * interval '1 ms' and not exists (
              select 1 from rail_timers held
              where held.reference = t.reference and held.lease_token is not null and held.due_at > now()
            ) order by t.due_at, t.timer_id limit ${limit} for update of t, p skip locked
          ), claimed as (
            update rail_timers t set due_at = now() + ${leaseMillis} * interval '1 ms', lease_token = ${token}
            from due where t.timer_id = due.timer_id
            returning t.timer_id, t.rail, t.reference, t.event_id, t.report, t.reason, t.occurred_at,
              due.due_at as was_due, due.kind, due.amount, due.currency
          ), reached as (
            update rail_payments p set state = c.report, reason = c.reason
            from (
              select distinct on (reference) reference, report, reason from claimed
              order by reference, report in ('completed', 'failed') desc, occurred_at desc
            ) c where p.reference = c.reference and p.state in ('pending', 'processing')
          )
          select next.wait, c.*, extract(epoch from c.was_due - now())::float8 * 1000 as due_in from (
            select extract(epoch from min(due_at) - now())::float8 * 1000 as wait
            from rail_timers where due_at > now() + ${aheadMillis} * interval '1 ms'
          ) next left join claimed c on true order by c.was_due, c.timer_id`.pipe(
          claimedRows.all,
          Effect.map((rows) => ({ timers: timersOf(rows), nextDueInMillis: Option.fromNullable(rows[0]?.wait) }))
        ),
      done: (token, timerIds) =>
        timerIds.length === 0
          ? Effect.void
          : sql`delete from rail_timers where lease_token = ${token} and ${listed(timerIds)}`.pipe(orDatabaseFailure),
      postpone: (token, timerIds, millis) =>
        timerIds.length === 0
          ? Effect.void
          : sql`update rail_timers set due_at = now() + ${millis} * interval '1 ms', lease_token = null
              where lease_token = ${token} and ${listed(timerIds)}`.pipe(orDatabaseFailure)
    }
  })
)
