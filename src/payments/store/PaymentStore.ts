/** Payments at rest. A change of state, its history, its attempt, its events and its callback are one statement. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Context, Effect, Layer, Option, Random } from "effect"
import { batched } from "../../platform/database/Batcher.ts"
import type { LockWait } from "../../platform/database/LockWait.ts"
import { firstRow, inOrder, inScope, newest, type Scope, violates } from "../../platform/database/Query.ts"
import type { Flow, PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import type { InsufficientFunds } from "../../domain/Failure.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Window } from "../../platform/database/Window.ts"
import { insufficientFundsOf, postingRows } from "../../money/ledger/PostingSql.ts"
import { entriesOfChange, entriesOfOpening } from "./PaymentPostings.ts"
import { paymentStoreMemory } from "./PaymentMemory.ts"
import type {
  Attempt,
  Change,
  HistoryRow,
  Opening,
  AttemptPatch,
  DueAttempt,
  OpenItem,
  Payment,
  StoredCallback,
  StoredOperatorItem,
  StrayCallback
} from "./Payment.ts"
import {
  attemptFields,
  type AttemptInPayment,
  fromRow,
  knownOf,
  type PaymentRow,
  toRow,
  selectedColumns
} from "./PaymentRow.ts"
import { knownBy } from "./PaymentReference.ts"
import { applyStatement, changedColumns, createStatement, ownChangesStatement } from "./PaymentSql.ts"
import { signalQueries } from "./SignalSql.ts"

export interface PaymentFilter {
  readonly status?: PaymentStatus | undefined
  readonly direction?: Flow | undefined
  readonly payment_method?: PaymentMethod | undefined
  readonly client_reference?: string | undefined
  /** The caller's reference, or the beginning of either id. */
  readonly reference?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

export interface Story {
  readonly history: ReadonlyArray<HistoryRow>
  readonly attempts: ReadonlyArray<Attempt>
  readonly callbacks: ReadonlyArray<StoredCallback>
  readonly items: ReadonlyArray<StoredOperatorItem>
}

/** An attempt and its payment, as they were at one moment. */
export interface Known {
  readonly payment: Payment
  readonly attempt: Attempt
}

/** How many attempts of a provider there is room for. */
export interface Lane {
  readonly provider: ProviderName
  readonly room: number
}

export interface FoundStray {
  readonly stray: StrayCallback
  readonly attempt_id: string
}

export interface Store {
  /** False when the idempotency key is taken, and nothing was written. A payment that is there already is written once. */
  readonly create: (opening: Opening) => Effect.Effect<boolean, InsufficientFunds>
  /** False when the payment has changed since it was read: decide anew. Fails only where it holds money. */
  readonly apply: (change: Change) => Effect.Effect<boolean, InsufficientFunds>
  readonly find: (scope: Scope, paymentId: string) => Effect.Effect<Option.Option<Payment>>
  readonly findByTransaction: (scope: Scope, transactionId: string) => Effect.Effect<Option.Option<Payment>>
  readonly list: (scope: Scope, filter: PaymentFilter, window: Window) => Effect.Effect<ReadonlyArray<Payment>>
  readonly known: (attemptId: string) => Effect.Effect<Option.Option<Known>>
  readonly attemptOf: (provider: ProviderName, providerPaymentId: string) => Effect.Effect<Option.Option<Attempt>>
  readonly attemptsOf: (paymentId: string) => Effect.Effect<ReadonlyArray<Attempt>>
  /**
   * Attempts that are due to be asked about, by lanes: of a provider no more than it has room for, of its organisations
   * one after the other. Each is out of sight of other instances for the length of the lease; the asking counts from now.
   */
  readonly claimEnquiries: (lanes: ReadonlyArray<Lane>) => Effect.Effect<ReadonlyArray<DueAttempt>>
  /** Puts an attempt before whoever asks next, at most once in a while; false when one such hint is waiting already. */
  readonly hint: (attemptId: string) => Effect.Effect<boolean>
  /** Attempts that were committed for any instance to send: whoever claims one sends it at once, and nobody else does. */
  readonly claimUnsent: (lanes: ReadonlyArray<Lane>) => Effect.Effect<ReadonlyArray<Known>>
  /** Takes leave to send an attempt again: none where its lease was lost, or the attempt has its answer by now. */
  readonly renewSend: (attemptId: string, leaseToken: string | null) => Effect.Effect<Option.Option<Known>>
  readonly callbackSeen: (provider: ProviderName, key: string) => Effect.Effect<boolean>
  /** A callback that changes nothing, or not yet; false when it was stored before. */
  readonly storeCallback: (callback: StoredCallback | StrayCallback) => Effect.Effect<boolean>
  /** Callbacks that came before their attempt was known by its provider's id, and whose attempt is known now. */
  readonly foundStrays: (most: number) => Effect.Effect<ReadonlyArray<FoundStray>>
  /** The time by the clock that all instances share. */
  readonly now: Effect.Effect<Date>
  readonly story: (payment: Payment) => Effect.Effect<Story>
  readonly openItems: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<OpenItem>>
}

const attemptBody = ({ enquire_in, ...attempt }: AttemptPatch) => ({
  ...attempt,
  enquire_in: enquire_in === "as planned" ? null : enquire_in,
  as_planned: enquire_in === "as planned"
})

/** A change on its way to the database: its id tells it, when it is sent again, from another that was faster. */
interface SentChange {
  readonly change: Change
  readonly changeId: number
}

const changeBody = ({ change, changeId }: SentChange, seq: number) => {
  const { attempt, at, callback, cause, closeItems, events, nextAttempt, openItems, payment, status } = change
  return {
    ...changedColumns(change),
    seq,
    change_id: changeId,
    payment_id: payment.payment_id,
    org_id: payment.org_id,
    version: payment.version,
    from_status: payment.status,
    status,
    cause,
    at,
    attempt: attempt === undefined ? null : attemptBody(attempt),
    next_attempt: nextAttempt ?? null,
    postings: postingRows(entriesOfChange(change)),
    events: events.map(({ event_id, event_type, payload }) => ({ event_id, event_type, payload })),
    callback: callback ?? null,
    open_items: openItems ?? [],
    close_items: closeItems ?? []
  }
}

/** Whether it was written, or that there was not enough money to hold. */
type Written = boolean | InsufficientFunds

const orRefused = (written: Written): Effect.Effect<boolean, InsufficientFunds> =>
  typeof written === "boolean" ? Effect.succeed(written) : Effect.fail(written)

/** What the books refuse fails a batch like anything else; of one alone it is the answer. */
const refusedAlone =
  (all: ReadonlyArray<unknown>) =>
  (wrote: Effect.Effect<ReadonlyArray<Written>, SqlError.SqlError>): Effect.Effect<ReadonlyArray<Written>> =>
    Effect.catchAll(wrote, (error) => {
      const refused = all.length === 1 ? insufficientFundsOf(error) : Option.none()
      return Option.isSome(refused) ? Effect.succeed([refused.value]) : Effect.die(error)
    })

export class PaymentStore extends Context.Tag("corridor/PaymentStore")<PaymentStore, Store>() {
  static readonly layer = Layer.scoped(
    PaymentStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(selectedColumns())
      const attemptColumns = sql.literal(attemptFields.join(", "))
      const attemptInPayment = sql.literal(attemptFields.map((name) => `a.${name} as a_${name}`).join(", "))
      const payments = (rows: ReadonlyArray<PaymentRow>) => rows.map(fromRow)

      const createAll = (all: ReadonlyArray<Opening>, wait: LockWait) => {
        const bodies = all.map((opening) => {
          const { attempt, fees = [], item, key, payment } = opening
          return {
            ...toRow(payment),
            attempt,
            fees: fees.map(({ amount, fee_id, fee_rule_id }) => ({
              fee_id,
              fee_rule_id,
              amount: amount.toNumericText(),
              currency: amount.currency
            })),
            item: item ?? null,
            idempotency: key ?? null,
            postings: postingRows(entriesOfOpening(opening))
          }
        })
        return sql.unsafe(createStatement, [stringifyWire(bodies), wait]).pipe(
          Effect.as(all.map((): Written => true)),
          Effect.catchIf(
            (error) => all.length === 1 && violates(error, "idempotency_keys_pkey"),
            () => Effect.succeed([false])
          ),
          refusedAlone(all)
        )
      }
      const create = yield* batched(createAll, { laneOf: ({ payment }) => payment.org_id })

      /** Asked afterwards, since a statement does not see what was committed while it waited. */
      const ownAmong = (changes: ReadonlyArray<SentChange>, written: ReadonlySet<number>) => {
        const doubtful = changes.flatMap(({ change, changeId }, seq) => {
          const next_attempt_id = change.nextAttempt?.attempt_id ?? null
          return written.has(seq)
            ? []
            : [{ seq, change_id: changeId, payment_id: change.payment.payment_id, next_attempt_id }]
        })
        return doubtful.length === 0
          ? Effect.succeed([])
          : sql.unsafe<{ seq: number }>(ownChangesStatement, [JSON.stringify(doubtful)])
      }
      const applyAll = (changes: ReadonlyArray<SentChange>, wait: LockWait) =>
        Effect.gen(function* () {
          const rows = yield* sql.unsafe<{ seq: number }>(applyStatement, [
            JSON.stringify(changes.map(changeBody)),
            wait
          ])
          const written = new Set(rows.map(({ seq }) => seq))
          for (const { seq } of yield* ownAmong(changes, written)) written.add(seq)
          return changes.map((_, seq): Written => written.has(seq))
        }).pipe(refusedAlone(changes))
      const apply = yield* batched(applyAll, { laneOf: ({ change }) => change.payment.org_id })

      const prefixed = sql.literal(selectedColumns("p."))
      const findBy = (column: "payment_id" | "transaction_id") =>
        batched((asked: ReadonlyArray<{ readonly org: string | null; readonly id: string }>) =>
          sql<PaymentRow & { readonly seq: number }>`select a.seq, ${prefixed}
            from jsonb_to_recordset(${inOrder(asked)}::jsonb) as a (seq integer, org uuid, id uuid)
            join payments p on p.${sql(column)} = a.id and (p.org_id = a.org or a.org is null)`.pipe(
            Effect.map((rows) => {
              const found = new Map(rows.map(({ seq, ...row }) => [seq, fromRow(row)]))
              return asked.map((_, seq) => Option.fromNullable(found.get(seq)))
            }),
            Effect.orDie
          )
        )
      const byPayment = yield* findBy("payment_id")
      const byTransaction = yield* findBy("transaction_id")

      const known = yield* batched((ids: ReadonlyArray<string>) =>
        sql<PaymentRow & AttemptInPayment>`select ${prefixed}, ${attemptInPayment}
          from attempts a join payments p on p.payment_id = a.payment_id
          where a.attempt_id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)::uuid)`.pipe(
          Effect.map((rows) => {
            const found = new Map(rows.map((row) => [row.a_attempt_id, knownOf(row)]))
            return ids.map((id) => Option.fromNullable(found.get(id)))
          }),
          Effect.orDie
        )
      )

      const store: Store = {
        create: (opening) => Effect.flatMap(create(opening), orRefused),
        apply: (change) =>
          Effect.flatMap(Random.nextInt, (changeId) => Effect.flatMap(apply({ change, changeId }), orRefused)),
        find: (scope, id) => byPayment({ org: Option.getOrNull(scope), id }),
        findByTransaction: (scope, id) => byTransaction({ org: Option.getOrNull(scope), id }),
        list: (scope, filter, window) => {
          const equal = (["status", "direction", "payment_method", "client_reference"] as const).flatMap((name) =>
            filter[name] === undefined ? [] : [sql`${sql(name)} = ${filter[name]}`]
          )
          const conditions = [
            inScope(sql, scope),
            ...equal,
            ...(filter.reference === undefined ? [] : [knownBy(sql, scope, filter.reference)]),
            ...(filter.from === undefined ? [] : [sql`created_at >= ${filter.from}`]),
            ...(filter.to === undefined ? [] : [sql`created_at < ${filter.to}`])
          ]
          return sql<PaymentRow>`select ${columns} from payments where ${sql.and(conditions)}
            ${newest(sql, "payment_id", window)}`.pipe(Effect.map(payments), Effect.orDie)
        },
        known,
        attemptOf: (provider, id) =>
          sql<Attempt>`select ${attemptColumns} from attempts where provider = ${provider} and provider_payment_id = ${id}
            order by started_at desc limit 1`.pipe(Effect.map(firstRow), Effect.orDie),
        attemptsOf: (paymentId) =>
          sql<Attempt>`select ${attemptColumns} from attempts where payment_id = ${paymentId}
            order by started_at, attempt_id`.pipe(Effect.orDie),
        callbackSeen: (provider, key) =>
          sql`select 1 from provider_callbacks where provider = ${provider} and event_key = ${key}`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        ...signalQueries(sql),
        story: ({ payment_id, org_id }) =>
          Effect.all({
            history: sql<HistoryRow>`select payment_id, org_id, version, from_status, to_status, cause, at
              from payment_history where payment_id = ${payment_id} and org_id = ${org_id} order by version`,
            attempts: sql<Attempt>`select ${attemptColumns} from attempts
              where payment_id = ${payment_id} and org_id = ${org_id} order by started_at, attempt_id`,
            callbacks: sql<StoredCallback>`select callback_id, provider, event_key, payment_id, attempt_id, org_id,
              report, effect, received_at from provider_callbacks
              where payment_id = ${payment_id} and org_id = ${org_id} order by received_at, callback_id`,
            items: sql<StoredOperatorItem>`select item_id, org_id, kind, payment_id, attempt_id, detail, opened_at,
              closed_at, closed_by from operator_items
              where payment_id = ${payment_id} and org_id = ${org_id} order by opened_at, item_id`
          }).pipe(Effect.orDie),
        openItems: (scope, window) => {
          const rest = Option.match(window.after, {
            onNone: () => sql`true`,
            onSome: ([at, id]) => sql`(opened_at, item_id) < (${at}::timestamptz, ${id}::uuid)`
          })
          return sql<OpenItem>`select item_id, org_id, kind, payment_id, attempt_id, detail, opened_at
            from operator_items where closed_at is null and ${inScope(sql, scope)} and ${rest}
            order by opened_at desc, item_id desc limit ${window.take}`.pipe(Effect.orDie)
        }
      }
      return store
    })
  )

  static readonly layerMemory = Layer.effect(PaymentStore, paymentStoreMemory)
}
