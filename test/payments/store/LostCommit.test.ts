/** A statement is committed and its answer lost: the batcher sends it again, and it answers as the first would have. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { type OrgId, Ids } from "../../../src/domain/Ids.ts"
import { StoresLive } from "../../../src/app/Stores.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { IdempotencyStore } from "../../../src/platform/idempotency/IdempotencyStore.ts"
import { SimulatorStore } from "../../../src/providers/sandbox/SimulatorStore.ts"
import { lossy } from "../../support/LossyDatabase.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { onDatabase } from "../../money/ledger/BooksOnPostgres.ts"
import {
  answer,
  changeTo,
  makeAttempt,
  makePayment,
  newEvent,
  newItem,
  newOwner,
  newPayment,
  shillings
} from "../support/NewPayment.ts"

const { layer: LossyDatabase, losses } = lossy()

const services = StoresLive.pipe(
  Layer.provideMerge(LossyDatabase),
  Layer.provideMerge(Ids.layer),
  Layer.provide(testSettings())
)

const CREATES = "insert into payments"
const APPLIES = "update payments p set"

const fullOpening = Effect.gen(function* () {
  const owner = yield* newOwner
  const payment = yield* makePayment(owner, { direction: "outbound", holds: true })
  // Enough for one of them: a second would be refused.
  const { atomically } = yield* Transactor
  const { setLimit } = yield* LedgerStore
  const { amount } = payment
  yield* atomically(setLimit({ org_id: owner.org_id, currency: CurrencyCode.make("KES"), credit_limit: amount }))
  const name = { org_id: owner.org_id, operation: "a test", key: yield* nextId }
  const key = { ...name, body_digest: "digest", claim: yield* nextId }
  const attempt = yield* makeAttempt()
  const opening = { payment, attempt, item: yield* newItem(payment, attempt.attempt_id), key }
  return { opening, owner, payment, name }
})

const heldBy = (org_id: OrgId) =>
  Effect.map(
    Effect.flatMap(LedgerStore, ({ balancesOf }) => balancesOf(Option.some(org_id))),
    (all) => all.map(({ account, balance }) => `${account} ${balance.toString()}`).toSorted()
  )

onBothStores("An opening that is written twice", (it) => {
  it.effect("is one payment, and says so both times", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const { opening, owner, payment } = yield* fullOpening
      expect(yield* store.create(opening)).toBe(true)
      const before = yield* heldBy(owner.org_id)
      expect(yield* store.create(opening)).toBe(true)
      expect(yield* store.attemptsOf(payment.payment_id)).toHaveLength(1)
      expect(yield* heldBy(owner.org_id)).toEqual(before)
    })
  )

  it.effect("is refused where its key is another's", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const { opening, owner } = yield* fullOpening
      expect(yield* store.create(opening)).toBe(true)
      const other = yield* makePayment(owner)
      expect(
        yield* store.create({ payment: other, attempt: null, key: { ...opening.key, claim: yield* nextId } })
      ).toBe(false)
      expect(Option.isNone(yield* store.find(Option.none(), other.payment_id))).toBe(true)
    })
  )
})

layer(services, onDatabase)("Where the connection is lost after the commit", (it) => {
  it.effect("a payment is created, with all that belongs to it, once", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const { name, opening, owner, payment } = yield* fullOpening
      losses.next(CREATES)
      expect(yield* store.create(opening)).toBe(true)
      expect(losses.happened()).toBe(true)
      const entries = yield* store.history(payment)
      expect([entries.attempts.length, entries.statusChanges.length, entries.items.length]).toEqual([1, 1, 1])
      const kept = yield* Effect.flatMap(IdempotencyStore, ({ find }) => find(name))
      expect(Option.getOrThrow(kept).payment_id).toBe(payment.payment_id)
      expect(yield* heldBy(owner.org_id)).toEqual(expect.arrayContaining([expect.stringContaining("1500")]))
      expect((yield* Effect.flatMap(LedgerStore, ({ check }) => check)).problems).toEqual([])
    })
  )

  it.effect("none of a batch is refused for it", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const owner = yield* newOwner
      const drafts = yield* Effect.replicateEffect(makePayment(owner), 12)
      losses.next(CREATES)
      const written = yield* Effect.forEach(drafts, (payment) => store.create({ payment, attempt: null }), {
        concurrency: "unbounded"
      })
      expect(losses.happened()).toBe(true)
      expect(written).toEqual(drafts.map(() => true))
    })
  )

  it.effect("a change is written once, and its sender is not refused as the slower of two", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const { attempt, payment } = yield* newPayment(yield* newOwner)
      const counted = yield* changeTo(payment, payment.status, { patch: { otp_failures: 1 } })
      losses.next(APPLIES)
      expect(yield* store.apply(counted), "with nothing but a patch").toBe(true)
      expect(losses.happened()).toBe(true)
      const after = Option.getOrThrow(yield* store.find(Option.none(), payment.payment_id))
      expect(after).toMatchObject({ otp_failures: 1, version: 2 })
      const next = yield* makeAttempt({ provider: "adyen" })
      const refused = yield* changeTo(after, "initiated", {
        attempt: yield* answer(attempt, { outcome: "declined" }),
        nextAttempt: next,
        events: [yield* newEvent(payment)]
      })
      losses.next(APPLIES)
      expect(yield* store.apply(refused), "with an attempt and an event").toBe(true)
      expect(losses.happened()).toBe(true)
      expect(yield* store.attemptsOf(payment.payment_id)).toHaveLength(2)
    })
  )

  it.effect("two changes that were decided on one version stay apart, though they are alike", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const { payment } = yield* newPayment(yield* newOwner)
      const change = yield* changeTo(payment, payment.status, { patch: { otp_failures: 1 } })
      losses.next(APPLIES)
      const written = yield* Effect.all([store.apply(change), store.apply({ ...change })], { concurrency: 2 })
      expect(losses.happened()).toBe(true)
      expect(written.toSorted()).toEqual([false, true])
    })
  )

  it.effect("a change is known by its attempt where the payment has gone on since", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const sql = yield* SqlClient.SqlClient
      const { attempt, payment } = yield* newPayment(yield* newOwner)
      const next = yield* makeAttempt({ provider: "adyen" })
      const change = yield* changeTo(payment, payment.status, {
        attempt: yield* answer(attempt, { outcome: "declined" }),
        nextAttempt: next
      })
      const { payment_id } = payment
      losses.next(APPLIES, sql`update payments set version = 3, last_change = null where payment_id = ${payment_id}`)
      expect(yield* store.apply(change)).toBe(true)
      expect(losses.happened()).toBe(true)
    })
  )

  it.effect("a simulator that has taken an order wakes its worker all the same", () =>
    Effect.gen(function* () {
      const simulators = yield* SimulatorStore
      const reference = yield* nextId
      const timer = {
        timerId: yield* nextId,
        eventId: yield* nextId,
        report: "completed" as const,
        reason: null,
        occursInMillis: 20,
        dueInMillis: 20
      }
      const { rest } = yield* WorkQueues
      const woken = yield* Effect.fork(Effect.repeat(rest("simulator"), { until: (isDue) => isDue }))
      losses.next("insert into rail_payments")
      const opened = yield* simulators.open(
        {
          reference,
          rail: "fiat",
          kind: "collection",
          state: "processing",
          behaviour: "completes",
          money: shillings(100n),
          reason: null,
          answer: { state: "processing", nextAction: null, actionData: {} },
          wrongPasswords: 0
        },
        [timer]
      )
      expect(losses.happened()).toBe(true)
      expect(opened.reference).toBe(reference)
      const signal = yield* Effect.timeoutOption(Fiber.join(woken), "2 seconds")
      expect(Option.isSome(signal), "somebody woke it").toBe(true)
    })
  )
})
