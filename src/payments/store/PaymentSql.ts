/** Payments in PostgreSQL. Concurrent requests share statements. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, FiberRef, Layer, Option, Random, Schema } from "effect"
import { type AttemptId, OrgId, PaymentId } from "../../domain/Ids.ts"
import { failOrDie, orDatabaseFailure, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { batched, type LockWait } from "../../platform/database/Batcher.ts"
import {
  anyRow,
  batchOf,
  execute,
  firstRow,
  ownedBy,
  query,
  rowsAs,
  sameOrg,
  violates
} from "../../platform/database/Query.ts"
import { currentTraceparent } from "../../platform/observability/Spans.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import { movementKinds } from "../../domain/Movement.ts"
import { storedPayloads } from "../../webhooks/EventPayloadStorage.ts"
import type { InsufficientFunds } from "../../domain/Failure.ts"
import { insufficientFundsOf, postingRows } from "../../money/ledger/LedgerSql.ts"
import { type LockRefused, lockRefusedOf } from "../../money/rates/RateLockStore.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import {
  attemptColumns,
  attemptOf,
  KIND_OF_ATTEMPT,
  attemptOfPaymentColumns,
  attemptOfPayment,
  allocationRow,
  movementRow,
  paymentOf,
  readRows,
  selectedColumns,
  toRow
} from "./PaymentRow.ts"
import { entriesOfChange, entriesOfNewPayment } from "./PaymentPostings.ts"
import { reserveAfter } from "./PaymentReserve.ts"
import { containing, filtered, historySql, openItemsSql, textSearched } from "./PaymentLists.ts"
import {
  applyStatement,
  type ChangePart,
  createStatement,
  type CreationPart,
  ownChangesStatement,
  partsOfChange,
  partsOfCreation,
  termsOf
} from "./PaymentWriteSql.ts"
import { PaymentStore, type Store, TransferTaken } from "./PaymentStore.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { attemptQueueSql } from "./AttemptQueueSql.ts"
import {
  type AttemptPatch,
  type Change,
  countChange,
  countNewPayment,
  freedLock,
  type NewAttempt,
  type NewPayment
} from "./Change.ts"
import { mergePayment } from "./Payment.ts"

const places = rowsAs(Schema.Struct({ seq: Schema.Number }))
const changedRows = rowsAs(Schema.Struct({ seq: Schema.Number, has_webhooks: Schema.Boolean }))
const takenRows = query(
  Schema.Struct({
    kind: Schema.Literal(...movementKinds),
    movement_id: Schema.String,
    payment_id: PaymentId,
    org_id: OrgId
  })
)

const attemptBody = (attempt: AttemptPatch) => ({
  attempt_id: attempt.attempt_id,
  outcome: attempt.outcome,
  reason: attempt.reason,
  provider_payment_id: attempt.provider_payment_id,
  renamed: attempt.renamed,
  answered_at: attempt.answered_at,
  enquire_in: attempt.enquire_in === "as planned" ? null : attempt.enquire_in,
  as_planned: attempt.enquire_in === "as planned"
})

/** A change with an id, by which a repeated write recognises its own first one. */
interface SentChange extends Traced {
  readonly change: Change
  readonly changeId: number
}

/** Trace of the request: null if requests are not traced, empty if none caused it. */
interface Traced {
  readonly traceparent?: string | undefined
}

interface SentOpening extends Traced {
  readonly opening: NewPayment
}

const attemptOfRequest = (attempt: NewAttempt, { traceparent }: Traced) =>
  traceparent === undefined || traceparent === "" ? attempt : { ...attempt, traceparent }

interface PostedChange extends SentChange {
  readonly entries: ReturnType<typeof entriesOfChange>
}

const changeBody = (
  { change, changeId, entries, traceparent }: PostedChange,
  seq: number,
  parts: ReadonlySet<ChangePart>
) => {
  const { attempt, at, callback, cause, closeItems, events, nextAttempt, openItems, payment, status } = change
  const reserve = reserveAfter(change, entries)
  const after = mergePayment(payment, change.patch)
  // Its columns are written out: an object that is spread and gets other fields is slow to make.
  const body = {
    seq,
    change_id: changeId,
    payment_id: payment.payment_id,
    org_id: payment.org_id,
    version: payment.version,
    from_status: payment.status,
    status,
    cause,
    at,
    provider: after.provider,
    account: after.account,
    provider_payment_id: after.provider_payment_id,
    provider_status: after.provider_status,
    provider_data: after.provider_data,
    next_action: after.next_action,
    action_data: after.action_data,
    comments: after.comments,
    webhook_metadata: after.webhook_metadata,
    refunded_amount: after.refunded.toNumericText(),
    taken_by: after.taken_by,
    attempt: attempt === undefined ? null : attemptBody(attempt),
    traceparent,
    reserve_moved: reserve.moved?.toNumericText() ?? null,
    release_at: reserve.next,
    // Of the fields below, a statement without their part reads none.
    next_attempt: nextAttempt && attemptOfRequest(nextAttempt, { traceparent }),
    postings: parts.has("postings") ? postingRows(entries) : undefined,
    movements: change.movements?.map(movementRow),
    allocations: change.allocations?.map(allocationRow),
    events: parts.has("events") ? storedPayloads(events, at) : undefined,
    callback,
    frees_lock: parts.has("lock") ? freedLock(change) : undefined,
    open_items: openItems,
    close_items: closeItems
  }
  return parts.has("terms") ? { ...body, ...termsOf(after) } : body
}

/** Result of writing a change: written or not, too little money to hold, or a transfer of another payment. */
type Written = boolean | InsufficientFunds | TransferTaken

/** Result of creating a payment: written or not, too little money to hold, or a locked rate that cannot be used. */
type Created = boolean | InsufficientFunds | LockRefused

/**
 * The statement gives a transfer of another payment no amount, and the table refuses that. One that an operator had stated
 * cannot get the id of another payment's.
 */
const transferTakenIn = (error: SqlError.SqlError): Option.Option<TransferTaken> => {
  const { column, table } = error.cause as { readonly column?: string; readonly table?: string }
  const isTaken = (table === "movements" && column === "amount") || violates(error, "movements_identity")
  return isTaken ? Option.some(new TransferTaken()) : Option.none()
}

const orRefused = <E extends Exclude<Created | Written, boolean>>(
  written: boolean | E,
  count: () => void
): Effect.Effect<boolean, E> => {
  if (typeof written !== "boolean") return Effect.fail(written)
  if (written) count()
  return Effect.succeed(written)
}

/** A refusal by the ledger fails a batch; for a single write it is the answer. */
const refusedAlone =
  <E extends Exclude<Created | Written, boolean>>(
    all: ReadonlyArray<unknown>,
    refusalOf: (error: SqlError.SqlError) => Option.Option<E>
  ) =>
  (wrote: Effect.Effect<ReadonlyArray<boolean | E>, SqlError.SqlError>): Stored<ReadonlyArray<boolean | E>> =>
    Effect.catchAll(wrote, (error) => {
      const refused = all.length === 1 ? refusalOf(error) : Option.none()
      return Option.isSome(refused) ? Effect.succeed([refused.value]) : failOrDie(error)
    })

export const paymentStoreSql = Layer.scoped(
  PaymentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { announce } = yield* WorkQueues
    const columns = sql.literal(selectedColumns())
    const ofAttempt = sql.literal(attemptColumns())

    const createAll = (all: ReadonlyArray<SentOpening>, wait: LockWait) => {
      const parts = new Set<CreationPart>()
      const bodies = all.map(({ opening, ...traced }) => {
        const { attempt, fees = [], item, key, lock, payment } = opening
        const postings = postingRows(entriesOfNewPayment(opening))
        for (const part of partsOfCreation(opening, postings.length > 0)) parts.add(part)
        return {
          payment: toRow(payment),
          attempt: attempt === null ? null : attemptOfRequest(attempt, traced),
          fees: fees.map(({ amount, fee_id, fee_rule_id }) => ({
            fee_id,
            fee_rule_id,
            amount: amount.toNumericText(),
            currency: amount.currency
          })),
          item: item ?? null,
          idempotency: key ?? null,
          postings,
          lock
        }
      })
      return sql.unsafe(createStatement(parts).text, [stringifyWire(bodies), wait]).pipe(
        Effect.as(all.map((): Created => true)),
        Effect.catchIf(
          (error) => all.length === 1 && violates(error, "idempotency_keys_pkey"),
          () => Effect.succeed([false])
        ),
        refusedAlone<InsufficientFunds | LockRefused>(all, (error) =>
          Option.orElse(insufficientFundsOf(error), () => lockRefusedOf(error))
        )
      )
    }
    const create = yield* batched(createAll, { queueOf: ({ opening }) => opening.payment.org_id })

    /** Asked afterwards, since a statement does not see what was committed while it waited. */
    const ownAmong = (changes: ReadonlyArray<SentChange>, written: ReadonlySet<number>) => {
      const doubtful = changes.flatMap(({ change, changeId }, seq) => {
        const next_attempt_id = change.nextAttempt?.attempt_id ?? null
        return written.has(seq)
          ? []
          : [
              {
                seq,
                change_id: changeId,
                payment_id: change.payment.payment_id,
                org_id: change.payment.org_id,
                next_attempt_id
              }
            ]
      })
      return doubtful.length === 0
        ? Effect.succeed([])
        : Effect.flatMap(sql.unsafe(ownChangesStatement, [JSON.stringify(doubtful)]), places)
    }
    const applyAll = (changes: ReadonlyArray<SentChange>, wait: LockWait) =>
      Effect.gen(function* () {
        const posted = changes.map((one): PostedChange => ({ entries: entriesOfChange(one.change), ...one }))
        const needed = new Set(posted.flatMap(({ change, entries }) => partsOfChange(change, entries.length > 0)))
        const { parts, text } = applyStatement(needed)
        const bodies = posted.map((one, seq) => changeBody(one, seq, parts))
        const rows = yield* Effect.flatMap(sql.unsafe(text, [JSON.stringify(bodies), wait]), changedRows)
        const written = new Set(rows.map(({ seq }) => seq))
        const own = yield* ownAmong(changes, written)
        for (const { seq } of own) written.add(seq)
        if (own.length > 0 || rows.some(({ has_webhooks }) => has_webhooks)) yield* announce("webhooks")
        return changes.map((_, seq): Written => written.has(seq))
      }).pipe(
        refusedAlone<InsufficientFunds | TransferTaken>(changes, (error) =>
          Option.orElse(insufficientFundsOf(error), () => transferTakenIn(error))
        )
      )
    const apply = yield* batched(applyAll, { queueOf: ({ change }) => change.payment.org_id })

    const prefixed = sql.literal(selectedColumns("p."))
    const findBy = (column: "payment_id" | "transaction_id") =>
      batched((asked: ReadonlyArray<{ readonly org: OrgId | null; readonly id: string }>) =>
        sql`select a.seq, ${prefixed}
            from ${batchOf(sql, asked, "org uuid, id uuid")} a
            join payments p on p.${sql(column)} = a.id and (${sql.literal(sameOrg("p.org_id", "a.org"))} or a.org is null)`.pipe(
          Effect.map((rows) => {
            const found = new Map(rows.map((row) => [row["seq"], paymentOf(row)]))
            return asked.map((_, seq) => Option.fromNullable(found.get(seq)))
          }),
          orDatabaseFailure
        )
      )
    const byPayment = yield* findBy("payment_id")
    const byTransaction = yield* findBy("transaction_id")

    const foundAmong = (ids: ReadonlyArray<AttemptId>) => (rows: ReadonlyArray<object>) => {
      const found = new Map(rows.map(attemptOfPayment).map((subject) => [subject.attempt.attempt_id, subject]))
      return ids.map((id) => Option.fromNullable(found.get(id)))
    }
    const both = sql.literal(attemptOfPaymentColumns)
    const attemptsOfOrganization = yield* batched(
      (asked: ReadonlyArray<{ readonly id: AttemptId; readonly org: OrgId }>) =>
        sql`select ${both} from ${batchOf(sql, asked, "id uuid, org uuid")} k
          join attempts a on a.attempt_id = k.id and ${sql.literal(sameOrg("a.org_id", "k.org"))}
          join payments p on p.payment_id = a.payment_id and ${sql.literal(sameOrg("p.org_id", "k.org"))}`.pipe(
          Effect.map(foundAmong(asked.map(({ id }) => id))),
          orDatabaseFailure
        )
    )
    const attemptsAnywhere = yield* batched((ids: ReadonlyArray<AttemptId>) =>
      sql`select ${both} from attempts a join payments p on p.payment_id = a.payment_id
          where a.attempt_id = any (array(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)::uuid))`.pipe(
        Effect.map(foundAmong(ids)),
        orDatabaseFailure
      )
    )

    /** The trace of the request is read only if requests are traced. */
    const isTraced = yield* FiberRef.get(FiberRef.currentTracerEnabled)
    const traced = Effect.map(currentTraceparent, (traceparent = ""): Traced => ({ traceparent }))
    const requested = isTraced
      ? <A, E>(ask: (by: Traced) => Effect.Effect<A, E>) => Effect.flatMap(traced, ask)
      : <A, E>(ask: (by: Traced) => Effect.Effect<A, E>) => ask({})

    const announceEnquiry = ({ attempt }: Change): Effect.Effect<void> => {
      const enquireIn = attempt?.enquire_in
      return typeof enquireIn === "number" ? announce("enquiries", enquireIn * 1000) : Effect.void
    }

    const store: Store = {
      create: (opening) =>
        Effect.flatMap(
          requested((by) => create({ opening, ...by })),
          (written) => orRefused(written, () => countNewPayment(opening))
        ),
      apply: (change) =>
        Effect.flatMap(Random.nextInt, (changeId) =>
          Effect.flatMap(
            requested((by) => apply({ change, changeId, ...by })),
            (written) => orRefused(written, () => countChange(change))
          )
        ).pipe(Effect.tap((written) => (written ? announceEnquiry(change) : Effect.void))),
      find: (scope, id) => byPayment({ org: Option.getOrNull(scope), id }),
      findByTransaction: (scope, id) => byTransaction({ org: Option.getOrNull(scope), id }),
      list: (scope, filter, window) =>
        sql`select ${columns} from payments ${filtered(sql, scope, filter, window)}`.pipe(readRows(paymentOf)),
      searchText: (scope, filter, window) =>
        sql`${containing(sql, scope, columns, filter, window)}`.pipe(
          Effect.map((rows) => textSearched(rows, filter, window)),
          orDatabaseFailure
        ),
      findAttempt: (id, org) => (org === null ? attemptsAnywhere(id) : attemptsOfOrganization({ id, org })),
      attemptOf: (provider, account, id, kind) =>
        sql`select ${sql.literal(attemptColumns("a."))} from attempts a join payments p on p.payment_id = a.payment_id
            where a.provider = ${provider} and a.provider_payment_id = ${id}
            and a.account is not distinct from ${account}::uuid
            and ${kind === undefined ? sql.literal("true") : sql`${sql.literal(KIND_OF_ATTEMPT)} = ${kind}`}
            order by a.started_at desc limit 1`.pipe(readRows(attemptOf), Effect.map(firstRow)),
      attemptsOf: (paymentId) =>
        sql`select ${ofAttempt} from attempts where payment_id = ${paymentId} order by started_at, attempt_id`.pipe(
          readRows(attemptOf)
        ),
      takenTransfers: (paymentId, movements) =>
        takenRows.all(sql`select m.kind, m.movement_id, m.payment_id, m.org_id
            from jsonb_to_recordset(${JSON.stringify(movements.map(movementRow))}::jsonb) as x (
              provider text, account uuid, kind text, movement_id text)
            cross join lateral (select * from movements o
              where o.provider = x.provider and o.kind = x.kind and o.movement_id = x.movement_id
                and coalesce(o.account, '00000000-0000-0000-0000-000000000000')
                  = coalesce(x.account, '00000000-0000-0000-0000-000000000000') limit 1) m
            where m.payment_id <> ${paymentId}`),
      callbackSeen: (provider, key) =>
        anyRow(sql`select 1 from provider_callbacks where provider = ${provider} and event_key = ${key}`),
      ...attemptQueueSql(sql, announce, (yield* Settings).retention.unmatchedCallbacks),
      history: (payment) => historySql(sql, payment),
      replaceFees: ({ created_at, org_id, payment_id }, fees) => {
        const rows = fees.map(({ amount, ...fee }) => ({
          ...fee,
          amount: amount.toNumericText(),
          currency: amount.currency
        }))
        return execute(sql`with kept as (
            insert into payment_fees (fee_id, payment_id, org_id, fee_rule_id, amount, currency, created_at)
            select f.fee_id, ${payment_id}::uuid, ${org_id}::uuid, f.fee_rule_id, f.amount, f.currency, ${created_at}::timestamptz
            from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as f (
              fee_id uuid, fee_rule_id uuid, amount numeric, currency text)
            on conflict (fee_id) do update set amount = excluded.amount, fee_rule_id = excluded.fee_rule_id
            returning fee_id
          )
          delete from payment_fees where payment_id = ${payment_id} and ${ownedBy(sql, org_id)}
            and fee_id not in (select fee_id from kept)`)
      },
      openItems: (scope, window) => openItemsSql(sql, scope, window)
    }
    return store
  })
)
