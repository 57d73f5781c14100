/** The payment store in memory: the same answers as the SQL one, including the version check and the one-open rule. */
import { Clock, Effect, Either, Layer, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { newestFirst, openTables, seenIn } from "../../platform/database/MemoryDatabase.ts"
import type { Position, Scope } from "../../platform/database/Query.ts"
import type { InsufficientFunds } from "../../domain/Failure.ts"
import { organizationTables } from "../../people/organizations/OrganizationMemory.ts"
import { ledgerTables, postInMemory, reserveTables } from "../../money/ledger/LedgerMemory.ts"
import { idempotencyTables, nameOf, unanswered } from "../../platform/idempotency/IdempotencyMemory.ts"
import type { LockRefused } from "../../money/rates/RateLockStore.ts"
import { freeInMemory, lockUseTables, spendInMemory } from "../../money/rates/RateLockMemory.ts"
import { webhookTables, writeEvents } from "../../webhooks/EventMemory.ts"
import { paymentTables, booksIn, attemptQueueMemory, unclaimedHint } from "./AttemptQueueMemory.ts"
import { canCorrect, canMove } from "../../domain/PaymentStatus.ts"
import type { PaymentId } from "../../domain/Ids.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { type Attempt, kindOfAttempt, type OpenItem, type Payment, type StoredOperatorItem } from "./Payment.ts"
import { accountOfSum, queueItemOf, unallocatedSums } from "./UnallocatedMoney.ts"
import type { RecordedMovement } from "../../domain/Movement.ts"
import { entriesOfChange, entriesOfNewPayment } from "./PaymentPostings.ts"
import { reserveAfter } from "./PaymentReserve.ts"
import { isOfCustomer, hasReference } from "./PaymentSearch.ts"
import { containsText, matchesExactly } from "./SearchTerms.ts"
import { type PaymentFilter, PaymentStore, type Store, TransferTaken } from "./PaymentStore.ts"
import { type Change, freedLock, type NewAttempt, openAttempt } from "./Change.ts"

const names = ["status", "direction", "payment_method", "client_reference"] as const

/** `called`, `named`: payments that some provider calls by the reference, or by the search. */
const matches = (
  filter: PaymentFilter,
  payment: Payment,
  called: ReadonlySet<PaymentId>,
  named: ReadonlySet<PaymentId>
): boolean =>
  names.every((name) => filter[name] === undefined || payment[name] === filter[name]) &&
  (filter.reference === undefined || hasReference(filter.reference, payment, called)) &&
  (filter.customer === undefined || isOfCustomer(filter.customer, filter.home, payment)) &&
  (filter.search === undefined || matchesExactly(filter.search, filter.home, payment, named)) &&
  (filter.from === undefined || payment.created_at >= filter.from) &&
  (filter.to === undefined || payment.created_at < filter.to)

const inOrder = <Row>(rows: ReadonlyArray<Row>, key: (row: Row) => string): ReadonlyArray<Row> =>
  rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))

const ofPayment = <Row extends { readonly payment_id: PaymentId | null }>(rows: Iterable<Row>, paymentId: PaymentId) =>
  Array.from(rows).filter((row) => row.payment_id === paymentId)

/** A payment is written with its key, its postings and its events, or not at all. */
const writtenWithAPayment = {
  ...paymentTables,
  ...idempotencyTables,
  ...organizationTables,
  ...ledgerTables,
  ...lockUseTables,
  ...reserveTables,
  ...webhookTables
}

export const paymentStoreMemory = Layer.effect(
  PaymentStore,
  Effect.map(Effect.all([openTables(writtenWithAPayment), Settings]), ([tables, { retention }]): Store => {
    const { attempts, callbacks, history, idempotencyKeys, operatorItems, paymentFees, payments } = tables
    let tokens = 0
    const newToken = () => `lease ${(tokens += 1)}`
    const visible = (scope: Scope) => payments.all(seenIn(scope))
    const byId = (attempt: Attempt) => `${attempt.started_at.toISOString()} ${attempt.attempt_id}`
    const later = (now: number, seconds: number | null) => (seconds === null ? null : new Date(now + seconds * 1000))

    const addAttempt = (payment: Payment, attempt: NewAttempt, now: number) => {
      for (const other of attempts.values()) {
        const sameLeg = other.payment_id === payment.payment_id && other.leg === attempt.leg
        const one = other.leg !== "refund" && other.leg !== "return"
        if (sameLeg && one && other.outcome !== "declined") throw new Error("attempts_one_open")
      }
      attempts.set(attempt.attempt_id, {
        ...openAttempt(payment, attempt),
        next_enquiry_at: later(now, attempt.enquire_in),
        sends: attempt.enquire_in === null ? 0 : 1,
        sent_at: new Date(now),
        asked_at: null,
        hint_at: null,
        hints: 0,
        hinted_ids: null,
        leased_until: null,
        lease_token: null
      })
    }

    const addHistory = (payment: Payment, from: Payment["status"] | null, cause: string, at: Date) =>
      history.set(`${payment.payment_id} ${payment.version}`, {
        payment_id: payment.payment_id,
        org_id: payment.org_id,
        version: payment.version,
        from_status: from,
        to_status: payment.status,
        cause,
        at
      })

    const keyOf = ({
      account,
      kind,
      movement_id,
      provider
    }: Pick<RecordedMovement, "account" | "kind" | "movement_id" | "provider">) =>
      `${provider} ${account ?? ""} ${kind} ${movement_id}`

    /** Payments that a provider calls by a text. */
    const calledBy = (text: string | undefined): ReadonlySet<PaymentId> => {
      const rows = text === undefined ? [] : attempts.all()
      return new Set(rows.flatMap((row) => (row.provider_payment_id === text ? [row.payment_id] : [])))
    }
    const namedBy = (text: string | undefined): ReadonlySet<PaymentId> => {
      const rows = text === undefined ? [] : tables.movements.all()
      const moved = rows.flatMap((row) => (row.movement_id === text ? [row.payment_id] : []))
      return new Set([...calledBy(text), ...moved])
    }
    const positionOf = ({ created_at, payment_id }: Payment): Position => [created_at.toISOString(), payment_id]

    /** When what waits on an account last changed. */
    const lastPosted = (account: LedgerAccount): Date =>
      tables.ledgerPostings
        .all()
        .reduce((last, row) => (row.account === account && row.created_at > last ? row.created_at : last), new Date(0))
    const takenAmong = (paymentId: PaymentId, movements: ReadonlyArray<RecordedMovement>) =>
      movements.flatMap((movement) => {
        const found = tables.movements.get(keyOf(movement))
        return found === undefined || found.payment_id === paymentId ? [] : [found]
      })

    const recordReserve = (
      { org_id, payment_id, target: { currency } }: Payment,
      { moved, next }: ReturnType<typeof reserveAfter>
    ) => {
      const minor = (tables.reserves.get(payment_id)?.held.minor ?? 0n) + (moved?.minor ?? 0n)
      tables.reserves.set(payment_id, { org_id, held: new Money({ currency, minor }), release_at: next })
    }

    const recordMoney = ({ allocations = [], movements = [], payment }: Change) => {
      const { org_id, payment_id } = payment
      for (const { replaces, ...movement } of movements) {
        if (replaces !== undefined) {
          const [before] = Array.from(tables.movements).find(
            ([, row]) => row.payment_id === payment_id && row.movement_id === replaces
          ) ?? [undefined]
          if (before !== undefined) tables.movements.delete(before)
        }
        tables.movements.set(keyOf(movement), { ...movement, org_id, payment_id })
      }
      for (const one of allocations) tables.allocations.set(one.allocation_id, { ...one, org_id, payment_id })
    }

    const write = (change: Change, now: number): Either.Either<boolean, InsufficientFunds | TransferTaken> => {
      const {
        at,
        attempt,
        callback,
        cause,
        closeItems = [],
        nextAttempt,
        openItems = [],
        patch,
        payment,
        status
      } = change
      const current = payments.get(payment.payment_id)
      if (current?.version !== payment.version || current.org_id !== payment.org_id) return Either.right(false)
      if (status !== payment.status && !canMove(payment.status, status) && !canCorrect(payment.status, status)) {
        throw new Error(`payment ${payment.payment_id} cannot go from ${payment.status} to ${status}`)
      }
      if (callback !== undefined) {
        const key = `${callback.provider} ${callback.event_key}`
        const { adopted = false, ...row } = callback
        if (callbacks.has(key) !== adopted) throw new Error("provider_callbacks_pkey")
        callbacks.set(key, adopted ? { ...callbacks.get(key)!, ...row } : row)
      }
      if (takenAmong(payment.payment_id, change.movements ?? []).length > 0) return Either.left(new TransferTaken())
      const entries = entriesOfChange(change)
      const booked = postInMemory(tables, entries, now)
      if (Either.isLeft(booked)) return Either.left(booked.left)
      const updated_at = at < payment.created_at ? payment.created_at : at
      const next = { ...payment, ...patch, status, version: payment.version + 1, updated_at }
      payments.set(payment.payment_id, next)
      if (next.reserve !== null) recordReserve(next, reserveAfter(change, entries))
      recordMoney(change)
      if (status !== payment.status) addHistory(next, payment.status, cause, at)
      if (attempt !== undefined) {
        const { enquire_in, renamed, ...rest } = attempt
        const before = attempts.get(attempt.attempt_id)!
        const ownId =
          renamed === true ? rest.provider_payment_id : (before.provider_payment_id ?? rest.provider_payment_id)
        attempts.set(attempt.attempt_id, {
          ...before,
          ...rest,
          provider_payment_id: ownId,
          hinted_ids: ownId === null ? before.hinted_ids : null,
          next_enquiry_at: enquire_in === "as planned" ? before.next_enquiry_at : later(now, enquire_in),
          hint_at: unclaimedHint(before),
          leased_until: null,
          lease_token: null
        })
      }
      if (nextAttempt !== undefined) addAttempt(payment, nextAttempt, now)
      const freed = freedLock(change)
      if (freed !== null) freeInMemory(tables, freed, payment.payment_id)
      writeEvents(tables, change.events, now)
      const isOpen = (item: StoredOperatorItem) => item.payment_id === payment.payment_id && item.closed_at === null
      const sameAs = (one: Pick<StoredOperatorItem, "kind" | "attempt_id">) => (item: StoredOperatorItem) =>
        isOpen(item) && item.kind === one.kind && item.attempt_id === one.attempt_id
      for (const close of closeItems) {
        const item = operatorItems.all().find(sameAs(close))
        if (item !== undefined) operatorItems.set(item.item_id, { ...item, closed_at: at, closed_by: close.by })
      }
      for (const { closed_by = null, ...item } of openItems) {
        const open = closed_by === null ? operatorItems.all().find(sameAs(item)) : undefined
        if (open !== undefined) operatorItems.set(open.item_id, { ...open, detail: item.detail })
        else {
          const closed_at = closed_by === null ? null : at
          operatorItems.set(item.item_id, { by_platform: false, ...item, closed_at, closed_by })
        }
      }
      return Either.right(true)
    }

    return {
      create: (opening) =>
        tables.atomically(
          Effect.flatMap(Clock.currentTimeMillis, (now): Either.Either<boolean, InsufficientFunds | LockRefused> => {
            const { attempt, fees = [], item, key, lock, payment } = opening
            if (payments.has(payment.payment_id)) return Either.right(true)
            if (key !== undefined) {
              if (idempotencyKeys.has(nameOf(key))) return Either.right(false)
              idempotencyKeys.set(nameOf(key), unanswered(key, payment.payment_id, new Date(now)))
            }
            const { org_id, payment_id } = payment
            const spent =
              lock === undefined ? Either.void : spendInMemory(tables, lock, { org_id, used_by: payment_id }, now)
            if (Either.isLeft(spent)) return Either.left(spent.left)
            const booked = postInMemory(tables, entriesOfNewPayment(opening), now)
            if (Either.isLeft(booked)) return Either.left(booked.left)
            payments.set(payment.payment_id, payment)
            addHistory(payment, null, "initiated by the caller", payment.created_at)
            if (attempt !== null) addAttempt(payment, attempt, now)
            const { created_at } = payment
            for (const fee of fees) paymentFees.set(fee.fee_id, { ...fee, payment_id, org_id, created_at })
            if (item !== undefined) {
              operatorItems.set(item.item_id, { by_platform: false, ...item, closed_at: null, closed_by: null })
            }
            return Either.right(true)
          })
        ),
      apply: (change) => tables.atomically(Effect.flatMap(Clock.currentTimeMillis, (now) => write(change, now))),
      find: (scope, id) => Effect.sync(() => payments.one(id, seenIn(scope))),
      findByTransaction: (scope, id) =>
        Effect.sync(() => Option.fromNullable(visible(scope).find((row) => row.transaction_id === id))),
      list: (scope, filter, window) =>
        Effect.sync(() => {
          const { reference, search } = filter
          const [called, named] = [calledBy(reference), namedBy(search?.text)]
          return newestFirst(
            visible(scope).filter((row) => matches(filter, row, called, named)),
            (row) => row.payment_id,
            window
          )
        }),
      searchText: (scope, { search, ...filter }, window) =>
        Effect.sync(() => {
          const [called, named] = [calledBy(filter.reference), namedBy(search.text)]
          const found = newestFirst(
            visible(scope).filter(
              (row) =>
                matches(filter, row, called, named) &&
                containsText(search, row) &&
                !matchesExactly(search, filter.home, row, named)
            ),
            (row) => row.payment_id,
            window
          )
          const last = found.length === window.take ? found.at(-1) : undefined
          const next = Option.map(Option.fromNullable(last), (row) => positionOf(row))
          return { payments: found, next }
        }),
      findAttempt: (id, orgId) =>
        Effect.sync(() => {
          const attempt = attempts.get(id)
          return attempt === undefined || (orgId !== null && attempt.org_id !== orgId)
            ? Option.none()
            : Option.some({
                attempt,
                payment: payments.get(attempt.payment_id)!,
                ...booksIn(tables, attempt.payment_id)
              })
        }),
      attemptOf: (provider, account, id, kind) =>
        Effect.sync(() =>
          Option.fromNullable(
            inOrder(
              attempts.all(
                (row) =>
                  row.provider === provider &&
                  row.account === account &&
                  row.provider_payment_id === id &&
                  (kind === undefined || kind === kindOfAttempt(payments.get(row.payment_id)!, row))
              ),
              byId
            ).at(-1)
          )
        ),
      attemptsOf: (paymentId) => Effect.sync(() => inOrder(ofPayment(attempts.values(), paymentId), byId)),
      takenTransfers: (paymentId, movements) => Effect.sync(() => takenAmong(paymentId, movements)),
      callbackSeen: (provider, key) => Effect.sync(() => callbacks.has(`${provider} ${key}`)),
      ...attemptQueueMemory(
        tables,
        newToken,
        (account) => tables.ledgerBalances.get(account)?.balance.minor ?? 0n,
        retention.unmatchedCallbacks
      ),
      history: ({ payment_id }) =>
        Effect.sync(() => ({
          statusChanges: ofPayment(history.values(), payment_id).sort((a, b) => a.version - b.version),
          attempts: inOrder(ofPayment(attempts.values(), payment_id), byId),
          callbacks: inOrder(
            ofPayment(callbacks.values(), payment_id),
            (row) => `${row.received_at.toISOString()} ${row.callback_id}`
          ),
          items: inOrder(
            ofPayment(operatorItems.values(), payment_id),
            (row) => `${row.opened_at.toISOString()} ${row.item_id}`
          ),
          ...booksIn(tables, payment_id)
        })),
      replaceFees: ({ created_at, org_id, payment_id }, fees) =>
        Effect.sync(() => {
          const kept = new Set(fees.map(({ fee_id }) => fee_id))
          for (const { fee_id } of ofPayment(paymentFees.values(), payment_id)) {
            if (!kept.has(fee_id)) paymentFees.delete(fee_id)
          }
          for (const fee of fees) paymentFees.set(fee.fee_id, { ...fee, payment_id, org_id, created_at })
        }),
      openItems: (scope, window) =>
        Effect.sync(() => {
          const isOpen = (row: StoredOperatorItem): row is StoredOperatorItem & OpenItem => row.closed_at === null
          const open = operatorItems.all(seenIn(scope)).filter(isOpen)
          const waiting = visible(scope).flatMap((payment) => {
            const books = booksIn(tables, payment.payment_id)
            return unallocatedSums(payment, books).map((sum) =>
              queueItemOf(payment, sum, lastPosted(accountOfSum(payment, sum)))
            )
          })
          return newestFirst(
            [...open, ...waiting].map((row) => ({ ...row, created_at: row.opened_at })),
            (row) => row.item_id,
            window
          )
        })
    }
  })
)
