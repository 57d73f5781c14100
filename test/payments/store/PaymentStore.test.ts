import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Effect, Exit, Layer, Option } from "effect"
import { type AttemptId, ConfigId, type OrgId, Ids } from "../../../src/domain/Ids.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { Report } from "../../../src/domain/Outcome.ts"
import { mostHintedIds, unmatchedCallbacksPerAccount } from "../../../src/domain/policies/PaymentPolicies.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import type { Attempt, Payment } from "../../../src/payments/store/Payment.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { backends } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { eventsOf, movableClock, openStoresOn, timePasses } from "../support/PaymentServices.ts"
import {
  answer,
  changeTo,
  makeAttempt,
  makePayment,
  newCallback,
  newEvent,
  newItem,
  newOwner,
  newPayment,
  shillings
} from "../support/NewPayment.ts"
import type { Change } from "../../../src/payments/store/Change.ts"
import { idFrom, nilId } from "../../support/AnyId.ts"

const anywhere = Option.none<OrgId>()

/** All that the store has of a payment. */
const stateOf = (payment: Payment) =>
  Effect.gen(function* () {
    const store = yield* PaymentStore
    return {
      payment: yield* store.find(anywhere, payment.payment_id),
      history: yield* store.history(payment),
      events: (yield* eventsOf(payment.payment_id)).map((event) => event.event_id)
    }
  })

/** A change that writes everything a change can write. */
const everythingAtOnce = (payment: Payment, attempt_id: AttemptId, about: Partial<Change> = {}) =>
  Effect.gen(function* () {
    const change = yield* changeTo(payment, "failed", {
      patch: { comments: "noted", provider: "stripe" },
      attempt: yield* answer({ attempt_id }, { outcome: "declined", reason: "no" }),
      nextAttempt: yield* makeAttempt({ provider: "adyen" }),
      events: [yield* newEvent(payment), yield* newEvent(payment)],
      callback: yield* newCallback(payment, attempt_id),
      openItems: [yield* newItem(payment, attempt_id)],
      closeItems: [{ kind: "unknown_outcome", attempt_id, by: "a test" }],
      ...about
    })
    // The database gives all of them the time of the change.
    return {
      ...change,
      callback: { ...change.callback!, received_at: change.at },
      openItems: change.openItems!.map((item) => ({ ...item, opened_at: change.at }))
    }
  })

for (const backend of backends) {
  const clock = movableClock()
  const services = openStoresOn(backend).pipe(
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(testSettings()),
    Layer.provideMerge(Layer.setClock(clock))
  )
  layer(services, { excludeTestServices: true, timeout: "60 seconds" })(`PaymentStore on ${backend}`, (it) => {
    it.effect("never says that a payment was changed before it was made, whatever the clock of who changed it", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { payment } = yield* newPayment(yield* newOwner)
        const at = new Date(payment.created_at.getTime() - 60_000)
        expect(yield* store.apply({ ...(yield* changeTo(payment, "processing")), at })).toBe(true)
        const { created_at, updated_at } = Option.getOrThrow(yield* store.find(anywhere, payment.payment_id))
        expect(updated_at).toEqual(created_at)
      })
    )

    it.effect("keeps a payment exactly as it was made, with its first attempt and the start of its history", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const { attempt, payment } = yield* newPayment(
          owner,
          {
            client_reference: "order-1 ünï",
            description: "a 'quoted' \"thing\" \\ and more",
            metadata: { deep: [{ n: 1.5 }, null, "x"], empty: {} },
            return_url: "https://shop.example",
            action_data: { redirect_url: null, a: "b" },
            account: yield* nextId
          },
          { account: yield* nextId, own_account: true }
        )
        const scope = Option.some(owner.org_id)
        expect(yield* store.find(scope, payment.payment_id)).toEqual(Option.some(payment))
        expect(yield* store.findByTransaction(scope, payment.transaction_id)).toEqual(Option.some(payment))
        const { enquire_in: _, ...kept } = attempt
        const [only, ...others] = yield* store.attemptsOf(payment.payment_id)
        expect(others).toEqual([])
        expect(only).toMatchObject({
          ...kept,
          payment_id: payment.payment_id,
          outcome: null,
          answered_at: null,
          enquiries: 0
        })
        for (const owner of [payment.org_id, null]) {
          const known = yield* store.findAttempt(attempt.attempt_id, owner)
          expect(Option.map(known, (one) => one.attempt)).toEqual(Option.some(only))
        }
        const dueIn = only!.next_enquiry_at!.getTime() - attempt.started_at.getTime()
        expect(Math.abs(dueIn - 45_000)).toBeLessThan(10_000)
        const { callbacks, statusChanges: history, items } = yield* store.history(payment)
        expect(history).toEqual([
          {
            payment_id: payment.payment_id,
            org_id: owner.org_id,
            version: 1,
            from_status: null,
            to_status: "initiated",
            cause: "initiated by the caller",
            at: payment.created_at
          }
        ])
        expect([callbacks, items]).toEqual([[], []])
      })
    )

    it.effect("moves what is held to whatever pays through the next who is asked, or moves nothing", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const ledger = yield* LedgerStore
        const owner = yield* newOwner
        const { org_id } = owner
        const account = yield* nextId
        const amount = shillings(150_000n)
        const own = LedgerAccount.ownAccount(org_id, account, amount.currency)
        const [settlement, held] = [
          LedgerAccount.settlement(org_id, amount.currency),
          LedgerAccount.held(org_id, amount.currency)
        ]
        const { attempt, payment } = yield* newPayment(
          owner,
          {
            direction: "outbound",
            payment_method: "bank_transfer",
            total_fees: shillings(50n),
            holds: true,
            funding: own
          },
          { account, own_account: true }
        )
        const balances = Effect.map(ledger.balances([own, settlement, held]), (all) =>
          Array.from(all.values(), ({ minor }) => minor)
        )
        expect(yield* balances).toEqual([-150_050n, 0n, 150_050n])
        const next = yield* makeAttempt({ provider: "adyen" })
        const declined = yield* answer(attempt, { outcome: "declined" })
        const moving = yield* changeTo(payment, payment.status, {
          attempt: declined,
          nextAttempt: next,
          patch: { holds: true, funding: null }
        })
        yield* ledger.setLimit({ org_id, currency: amount.currency, credit_limit: shillings(150_049n) })
        expect(yield* Effect.flip(store.apply(moving))).toMatchObject({ account: settlement })
        expect(yield* balances).toEqual([-150_050n, 0n, 150_050n])
        expect(yield* store.attemptsOf(payment.payment_id)).toHaveLength(1)
        yield* ledger.setLimit({ org_id, currency: amount.currency, credit_limit: shillings(150_050n) })
        expect(yield* store.apply(moving)).toBe(true)
        expect(yield* balances).toEqual([0n, -150_050n, 150_050n])
        const moved = Option.getOrThrow(yield* store.find(anywhere, payment.payment_id))
        expect(moved).toMatchObject({ funding: null, holds: true })
        const failed = yield* changeTo(moved, "failed", { patch: { holds: false } })
        expect(yield* store.apply(failed)).toBe(true)
        expect(yield* balances).toEqual([0n, 0n, 0n])
      })
    )

    it.effect("takes a payment without an attempt", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const payment = yield* makePayment(yield* newOwner)
        yield* store.create({ payment, attempt: null })
        expect(yield* store.attemptsOf(payment.payment_id)).toEqual([])
        expect(yield* store.find(anywhere, payment.payment_id)).toEqual(Option.some(payment))
      })
    )

    it.effect("remembers payins that wait for a card, and finds those past their end until they are forgotten", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const now = (yield* store.now).getTime()
        const ends = [now - 1000, now - 60_000, now + 3_600_000]
        const payments = yield* Effect.forEach(ends, (end) =>
          Effect.gen(function* () {
            const expires_at = new Date(end)
            const payment = yield* makePayment(owner, { status: "pending", next_action: "redirect", expires_at })
            yield* store.create({ payment, attempt: null })
            yield* store.awaitCard({ ...payment, expires_at: new Date(now + 1_000_000) })
            yield* store.awaitCard({ ...payment, expires_at })
            return payment
          })
        )
        const forgotten = yield* makePayment(owner, { status: "pending", expires_at: new Date(now - 1000) })
        yield* store.create({ payment: forgotten, attempt: null })
        const due = Effect.map(store.expiredCardWaits(100), (found) =>
          found.filter(({ org_id }) => org_id === owner.org_id)
        )
        expect(yield* due, "the one that waits longest first").toEqual([payments[1], payments[0]])
        expect(yield* store.expiredCardWaits(1)).toHaveLength(1)
        yield* store.deleteCardWait(payments[1]!)
        expect(yield* due).toEqual([payments[0]])
        yield* store.deleteCardWait(payments[0]!)
        expect(yield* due).toEqual([])
      })
    )

    it.effect("finds nothing under unknown ids, or in another organisation", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { attempt, payment } = yield* newPayment(yield* newOwner)
        const { org_id } = yield* newOrganization()
        const foreign = Option.some(org_id)
        expect(yield* store.find(foreign, payment.payment_id)).toEqual(Option.none())
        expect(yield* store.findByTransaction(foreign, payment.transaction_id)).toEqual(Option.none())
        expect(yield* store.list(foreign, {}, everything)).toEqual([])
        const intruder = yield* changeTo({ ...payment, org_id }, "failed", { attempt: yield* answer(attempt) })
        if (backend === "PostgreSQL") expect(yield* store.apply(intruder)).toBe(false)
        expect(yield* store.find(anywhere, nilId)).toEqual(Option.none())
        expect(yield* store.findByTransaction(anywhere, idFrom(payment.payment_id))).toEqual(Option.none())
        expect(yield* store.findAttempt(nilId, null)).toEqual(Option.none())
        expect(yield* store.findAttempt(attempt.attempt_id, org_id)).toEqual(Option.none())
        expect(yield* store.attemptOf("stripe", null, "unheard of")).toEqual(Option.none())
        expect(yield* store.find(Option.some(payment.org_id), payment.payment_id)).toEqual(Option.some(payment))
      })
    )

    it.effect("writes a change with its history, attempt, event, callback and item together", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { attempt, payment } = yield* newPayment(yield* newOwner)
        const change = yield* everythingAtOnce(payment, attempt.attempt_id)
        expect(yield* store.apply(change)).toBe(true)
        const { events, payment: found, history } = yield* stateOf(payment)
        expect(found).toEqual(
          Option.some({
            ...payment,
            ...change.patch,
            status: "failed",
            version: 2,
            updated_at: change.at
          })
        )
        expect(history.statusChanges.map((row) => [row.version, row.from_status, row.to_status, row.cause])).toEqual([
          [1, null, "initiated", "initiated by the caller"],
          [2, "initiated", "failed", "a test"]
        ])
        expect(history.attempts.map((row) => [row.provider, row.outcome, row.reason])).toEqual([
          ["stripe", "declined", "no"],
          ["adyen", null, null]
        ])
        expect(history.attempts[0]!.next_enquiry_at).toBeNull()
        expect(history.callbacks).toEqual([change.callback])
        expect(history.items).toEqual(
          change.openItems.map((item) => ({ by_platform: false, ...item, closed_at: null, closed_by: null }))
        )
        expect(events.toSorted()).toEqual(change.events.map((event) => event.event_id).toSorted())
        expect((yield* eventsOf(payment.payment_id))[0]?.payload).toBe('{"amount":1500.00}')
      })
    )

    it.effect("writes nothing on a version that has passed", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { attempt, payment } = yield* newPayment(yield* newOwner)
        expect(yield* store.apply(yield* changeTo(payment, "processing"))).toBe(true)
        const before = yield* stateOf(payment)
        expect(yield* store.apply(yield* everythingAtOnce(payment, attempt.attempt_id))).toBe(false)
        const future = yield* everythingAtOnce({ ...payment, version: 3, status: "processing" }, attempt.attempt_id)
        expect(yield* store.apply(future)).toBe(false)
        expect(yield* stateOf(payment)).toEqual(before)
      })
    )

    it.effect("lets exactly one of many changes of one version through", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { payment } = yield* newPayment(yield* newOwner)
        const change = yield* changeTo(payment, "processing", { events: [] })
        const tries = Array.from({ length: 12 }, () => store.apply(change))
        const results = yield* Effect.all(tries, { concurrency: "unbounded" })
        expect(results.filter(Boolean)).toHaveLength(1)
        expect((yield* stateOf(payment)).history.statusChanges).toHaveLength(2)
      })
    )

    it.effect("leaves no history for a change that keeps the status", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { payment } = yield* newPayment(yield* newOwner)
        expect(yield* store.apply(yield* changeTo(payment, "initiated", { patch: { comments: "seen" } }))).toBe(true)
        const { payment: found, history } = yield* stateOf(payment)
        expect(Option.getOrThrow(found)).toMatchObject({ version: 2, comments: "seen", status: "initiated" })
        expect(history.statusChanges).toHaveLength(1)
      })
    )

    it.effect("bars a second attempt until the first is declined", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        for (const outcome of ["accepted", "unknown", null] as const) {
          const { attempt, payment } = yield* newPayment(owner)
          const before = yield* stateOf(payment)
          const change = yield* changeTo(payment, "processing", {
            attempt: yield* answer(attempt, { outcome }),
            nextAttempt: yield* makeAttempt({ provider: "adyen" }),
            events: [yield* newEvent(payment)]
          })
          expect(Exit.isFailure(yield* Effect.exit(store.apply(change))), String(outcome)).toBe(true)
          expect(yield* stateOf(payment)).toEqual(before)
        }
        const { attempt, payment } = yield* newPayment(owner)
        const declined = yield* changeTo(payment, "initiated", {
          attempt: yield* answer(attempt, { outcome: "declined" }),
          nextAttempt: yield* makeAttempt({ provider: "adyen" })
        })
        expect(yield* store.apply(declined)).toBe(true)
        const rows = yield* store.attemptsOf(payment.payment_id)
        expect(rows.map((row) => [row.provider, row.outcome])).toEqual([
          ["stripe", "declined"],
          ["adyen", null]
        ])
      })
    )

    it.effect("writes nothing of a change when one part of it is refused", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const taken = yield* newPayment(owner)
        const known = yield* newCallback(taken.payment, taken.attempt.attempt_id)
        expect(yield* store.apply(yield* changeTo(taken.payment, "processing", { callback: known }))).toBe(true)

        const { attempt, payment } = yield* newPayment(owner)
        const before = yield* stateOf(payment)
        const again = yield* newCallback(payment, attempt.attempt_id, { event_key: known.event_key })
        const repeated = yield* everythingAtOnce(payment, attempt.attempt_id, { callback: again })
        expect(Exit.isFailure(yield* Effect.exit(store.apply(repeated)))).toBe(true)
        expect(yield* stateOf(payment)).toEqual(before)

        const outOfTable = yield* everythingAtOnce(payment, attempt.attempt_id, { status: "refunded" })
        expect(Exit.isFailure(yield* Effect.exit(store.apply(outOfTable)))).toBe(true)
        expect(yield* stateOf(payment)).toEqual(before)
        expect(yield* store.callbackSeen("stripe", known.event_key)).toBe(true)
        expect(yield* store.callbackSeen("adyen", known.event_key)).toBe(false)
      })
    )

    it.effect("counts what is sent again from its first sending, though the clock of the first instance was fast", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const started_at = new Date((yield* store.now).getTime() + 3_600_000)
        const { attempt, payment } = yield* newPayment(yield* newOwner, {}, { started_at })
        yield* timePasses(clock, "61 seconds")
        const [before] = yield* store.attemptsOf(payment.payment_id)
        const again = Option.getOrThrow(yield* store.renewSend(attempt.attempt_id, null))
        expect([again.attempt.sends, again.attempt.started_at]).toEqual([2, before!.sent_at])
      })
    )

    /** A callback that came before its payment was known by the id that it is called by. */
    const unmatchedOf = (
      said: Report,
      provider_payment_id: string,
      about?: "payin" | "payout" | "refund",
      account: ConfigId | null = null
    ) =>
      Effect.gen(function* () {
        const { payment, attempt } = yield* newPayment(yield* newOwner)
        const made = yield* newCallback(payment, attempt.attempt_id)
        const unknownPayment = { payment_id: null, attempt_id: null, org_id: null, effect: "unknown payment" } as const
        return { ...made, ...unknownPayment, provider_payment_id, account, about, signal: said }
      })

    /** The payment that its provider calls so. */
    const calledBy = (provider_payment_id: string, about: Partial<Payment> = {}, account: ConfigId | null = null) =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { payment, attempt } = yield* newPayment(yield* newOwner, about, { account })
        const known = yield* answer(attempt, { provider_payment_id })
        yield* store.apply(yield* changeTo(payment, "processing", { attempt: known }))
        return attempt
      })

    const saidIn = (event_key: string) =>
      Effect.map(
        Effect.flatMap(PaymentStore, ({ matchedCallbacks }) => matchedCallbacks(100)),
        (all) => all.filter(({ callback: unmatched }) => unmatched.event_key === event_key)
      )

    it.effect("finds an unmatched callback with its whole report", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const [pending, returned] = [
          new Report({
            state: "pending",
            reason: null,
            providerPaymentId: "intent",
            providerStatus: "pending",
            waitsFor: { nextAction: "wait", actionData: { address: "0x52908400098527886E", network: null } }
          }),
          new Report({
            state: "returned",
            reason: "it was disputed",
            providerPaymentId: "intent",
            providerStatus: "disputed",
            fee: shillings(100n),
            code: "CARD_DECLINED",
            providerCode: "4853",
            calledOff: true,
            movements: [
              { kind: "collection", id: "ch_1", amount: null, state: "settled" },
              { kind: "reversal", id: "dp_1", amount: shillings(40_000n), state: "settled", isTotal: true }
            ]
          })
        ]
        const unmatchedOnes = [yield* unmatchedOf(pending, "intent"), yield* unmatchedOf(returned, "intent")]
        yield* Effect.forEach(unmatchedOnes, store.storeCallback)
        const { attempt_id } = yield* calledBy("intent")
        for (const { event_key, signal } of unmatchedOnes) {
          const found = yield* saidIn(event_key)
          expect(found.map((one) => [one.attempt_id, one.callback.signal])).toEqual([[attempt_id, signal]])
        }
      })
    )

    it.effect("finds no unmatched callback about another kind of the same id", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const said = new Report({ state: "completed", reason: null, providerPaymentId: "77", providerStatus: null })
        const payin = yield* unmatchedOf(said, "77", "payin")
        const payout = yield* unmatchedOf(said, "77", "payout")
        yield* Effect.forEach([payin, payout], store.storeCallback)
        const paid = yield* calledBy("77", { direction: "outbound" })
        expect(yield* saidIn(payin.event_key)).toEqual([])
        const found = yield* saidIn(payout.event_key)
        expect(found.map(({ attempt_id, callback: unmatched }) => [attempt_id, unmatched.about])).toEqual([
          [paid.attempt_id, "payout"]
        ])
      })
    )

    it.effect("finds no unmatched callback that came through another account of the same provider", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const accounts: ReadonlyArray<ConfigId | null> = [null, yield* nextId, yield* nextId]
        const said = new Report({ state: "completed", reason: null, providerPaymentId: "same", providerStatus: null })
        const unmatchedOnes = yield* Effect.forEach(accounts, (account) =>
          unmatchedOf(said, "same", undefined, account)
        )
        yield* Effect.forEach(unmatchedOnes, store.storeCallback)
        for (const [at, account] of accounts.entries()) {
          const { attempt_id } = yield* calledBy("same", {}, account)
          for (const [nth, { event_key }] of unmatchedOnes.entries()) {
            const found = (yield* saidIn(event_key)).map((each) => each.attempt_id)
            if (nth === at) expect(found, "its own").toEqual([attempt_id])
            else expect(found, "another's").not.toContain(attempt_id)
            if (nth > at) expect(found, "of an account that has none yet").toEqual([])
          }
        }
      })
    )

    it.effect("keeps the provider's id that was written first, unless the provider gave it up", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { attempt, payment } = yield* newPayment(yield* newOwner)
        const reported = Effect.fnUntraced(function* (provider_payment_id: string | null, renamed?: true) {
          const found = Option.getOrThrow(yield* store.find(Option.none(), payment.payment_id))
          const patch = yield* answer(attempt, { provider_payment_id, ...(renamed === undefined ? {} : { renamed }) })
          expect(yield* store.apply(yield* changeTo(found, "processing", { attempt: patch }))).toBe(true)
          const [row] = yield* store.attemptsOf(payment.payment_id)
          return row!.provider_payment_id
        })
        expect(yield* reported(null)).toBeNull()
        expect(yield* reported("link")).toBe("link")
        expect(yield* reported("another")).toBe("link")
        expect(yield* reported(null)).toBe("link")
        expect(yield* reported("payment", true)).toBe("payment")
        expect(yield* reported("link")).toBe("payment")
      })
    )

    it.effect("keeps the newest ids that hints name, until the attempt has its own", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { attempt, payment } = yield* newPayment(yield* newOwner, {}, { provider: "mtn_momo" })
        const { attempt_id } = attempt
        const unknown = yield* answer(attempt, { outcome: "unknown" })
        yield* store.apply(yield* changeTo(payment, "processing", { attempt: unknown }))
        const claimed = Effect.gen(function* () {
          yield* timePasses(clock, "2 minutes")
          const due = yield* store.claimEnquiries([{ provider: "mtn_momo", room: 100 }])
          return due.filter((one) => one.attempt_id === attempt_id).map(({ hinted_ids }) => hinted_ids)
        })
        expect(yield* store.hint(attempt_id)).toBe(true)
        expect(yield* claimed).toEqual([null])
        expect(yield* store.hint(attempt_id, "first")).toBe(true)
        expect(yield* store.hint(attempt_id, "second"), "a hint waits, and the id is kept nevertheless").toBe(false)
        expect(yield* store.hint(attempt_id, "second")).toBe(false)
        expect(yield* claimed).toEqual([["second", "first"]])
        yield* Effect.forEach(["a", "b", "c", "d", "e"], (id) => store.hint(attempt_id, id))
        const [newest] = yield* claimed
        expect(newest, "a crash of the instance that asked loses none").toEqual(["e", "d", "c", "b"])
        expect(newest).toHaveLength(mostHintedIds)
        const found = Option.getOrThrow(yield* store.find(Option.none(), payment.payment_id))
        const known = yield* answer(attempt, { provider_payment_id: "own" })
        yield* store.apply(yield* changeTo(found, "processing", { attempt: known }))
        expect(yield* store.hint(attempt_id, "late")).toBe(true)
        expect(yield* claimed, "no report stands beside its own id").toEqual([null])
      })
    )

    it.effect("stores an unmatched callback once", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { attempt, payment } = yield* newPayment(yield* newOwner)
        const made = yield* newCallback(payment, attempt.attempt_id)
        const unmatched = {
          ...made,
          payment_id: null,
          attempt_id: null,
          org_id: null,
          effect: "unknown payment"
        } as const
        const another = { ...unmatched, callback_id: yield* nextId }
        const results = yield* Effect.forEach([unmatched, another], store.storeCallback, { concurrency: "unbounded" })
        expect(results.toSorted()).toEqual([false, true])
        expect(yield* store.callbackSeen("stripe", unmatched.event_key)).toBe(true)
      })
    )

    it.effect(
      "keeps so many unmatched callbacks of one account, the newest, and all of another",
      () =>
        Effect.gen(function* () {
          const store = yield* PaymentStore
          const said = new Report({ state: "completed", reason: null, providerPaymentId: null, providerStatus: null })
          const first = yield* unmatchedOf(said, "none")
          const at = (nth: number) => new Date(first.received_at.getTime() + nth)
          const keyOf = (nth: number) => `${first.event_key} ${nth}`
          const unmatchedAt = (nth: number, account: ConfigId | null) =>
            Effect.map(nextId, (callback_id) => ({
              ...{ ...first, callback_id, account, event_key: `${keyOf(nth)}${account ?? ""}` },
              received_at: at(nth)
            }))
          const account = ConfigId.make(yield* nextId)
          yield* store.storeCallback(yield* unmatchedAt(0, null))
          const keep = (nth: number) => Effect.flatMap(unmatchedAt(nth, account), store.storeCallback)
          const fill = Effect.forEach(Arr.range(0, unmatchedCallbacksPerAccount - 1), keep, { discard: true })
          const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
          yield* Option.match(sql, {
            onNone: () => fill,
            onSome: (some) =>
              Effect.zipRight(
                keep(0),
                some`insert into provider_callbacks
                select (jsonb_populate_record(k, jsonb_build_object('callback_id', gen_random_uuid(),
                  'event_key', ${first.event_key} || ' ' || n || ${account},
                  'received_at', k.received_at + n * interval '1 millisecond'))).*
                from provider_callbacks k, generate_series(1, ${unmatchedCallbacksPerAccount - 1}::int) n
                where k.event_key = ${`${keyOf(0)}${account}`}`
              )
          })
          expect(yield* store.callbackSeen(first.provider, `${keyOf(0)}${account}`)).toBe(true)
          yield* Effect.forEach(Arr.range(unmatchedCallbacksPerAccount, unmatchedCallbacksPerAccount + 2), keep)
          const isKept = (nth: number) => store.callbackSeen(first.provider, `${keyOf(nth)}${account}`)
          for (const nth of [0, 1, 2]) expect(yield* isKept(nth), `the oldest, ${nth}`).toBe(false)
          for (const nth of [3, 4, unmatchedCallbacksPerAccount, unmatchedCallbacksPerAccount + 2])
            expect(yield* isKept(nth)).toBe(true)
          expect(yield* store.callbackSeen(first.provider, keyOf(0)), "of another account").toBe(true)
        }),
      120_000
    )

    it.effect("finds the newest attempt by the provider's own id", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const provider_payment_id = `pi_${yield* nextId}`
        const early = yield* newPayment(owner, {}, { started_at: new Date("2026-01-01T00:00:00Z") })
        const late = yield* newPayment(owner, {}, { started_at: new Date("2026-01-02T00:00:00Z") })
        for (const { attempt, payment } of [late, early]) {
          yield* store.apply(
            yield* changeTo(payment, "processing", { attempt: yield* answer(attempt, { provider_payment_id }) })
          )
        }
        const found = Option.getOrThrow(yield* store.attemptOf("stripe", null, provider_payment_id))
        expect(found.attempt_id).toBe(late.attempt.attempt_id)
        expect(yield* store.attemptOf("adyen", null, provider_payment_id)).toEqual(Option.none())
        expect(yield* store.attemptOf("stripe", null, provider_payment_id, "payin")).toEqual(Option.some(found))
        expect(yield* store.attemptOf("stripe", null, provider_payment_id, "payout")).toEqual(Option.none())
      })
    )

    it.effect("lists what the filter asks for, newest first, page by page", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const scope = Option.some(owner.org_id)
        const three = Effect.replicateEffect(newPayment(owner, {}), 3)
        const made = [
          ...(yield* atOneMoment(three)),
          ...(yield* timePasses(clock, "5 millis").pipe(Effect.zipRight(atOneMoment(three))))
        ]
        yield* expectWindows(
          made.map(({ payment }) => payment),
          (window) => store.list(scope, {}, window),
          (row) => row.payment_id
        )
      })
    )

    it.effect("filters on each field, from inclusive, to exclusive", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const scope = Option.some(owner.org_id)
        const at = (day: number) => new Date(Date.UTC(2026, 0, day))
        const days = yield* Effect.forEach([1, 2, 3], (day) =>
          newPayment(owner, { created_at: at(day), client_reference: `day ${day}` })
        )
        const [first, second, third] = days.map(({ payment }) => payment.payment_id)
        const payout = yield* newPayment(owner, {
          created_at: at(4),
          direction: "outbound",
          payment_method: "wallet",
          status: "failed"
        })
        const list = (filter: Parameters<typeof store.list>[1]) =>
          Effect.map(store.list(scope, filter, everything), (rows) => rows.map((row) => row.payment_id))
        expect(yield* list({})).toEqual([payout.payment.payment_id, third, second, first])
        expect(yield* list({ from: at(2), to: at(3) })).toEqual([second])
        expect(yield* list({ from: at(2) })).toEqual([payout.payment.payment_id, third, second])
        expect(yield* list({ to: at(2) })).toEqual([first])
        expect(yield* list({ status: "failed" })).toEqual([payout.payment.payment_id])
        expect(yield* list({ direction: "outbound" })).toEqual([payout.payment.payment_id])
        expect(yield* list({ payment_method: "wallet" })).toEqual([payout.payment.payment_id])
        expect(yield* list({ client_reference: "day 2" })).toEqual([second])
        expect(yield* list({ client_reference: "DAY 2" })).toEqual([])
        expect(yield* list({ client_reference: "day 2", status: "failed" })).toEqual([])
        expect(yield* store.list(anywhere, { client_reference: "day 2" }, everything)).toHaveLength(1)
      })
    )

    it.effect("hands an attempt that is due to one of many that ask, and to another only after the lease", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const made = yield* Effect.replicateEffect(newPayment(owner, {}, { enquire_in: 30 }), 12)
        const settled = yield* newPayment(owner, {}, { enquire_in: 30 })
        const done = yield* changeTo(settled.payment, "completed", {
          attempt: yield* answer(settled.attempt),
          patch: { provider: "fiat" }
        })
        yield* store.apply(done)
        const ids = [settled, ...made].map(({ attempt }) => attempt.attempt_id)
        const due = ids.slice(1).toSorted()
        const mine = (claim: ReadonlyArray<Attempt>) =>
          claim.map((row) => row.attempt_id).filter((id) => ids.includes(id))
        const all = Effect.map(store.claimEnquiries([{ provider: "stripe", room: 1000 }]), mine)
        expect(yield* all, "not due yet").toEqual([])
        yield* timePasses(clock, "31 seconds")
        const claims = yield* Effect.all(
          Array.from({ length: 4 }, () => store.claimEnquiries([{ provider: "stripe", room: 3 }])),
          { concurrency: "unbounded" }
        )
        for (const claim of claims) expect(claim.length).toBeLessThanOrEqual(3)
        const claimed = [...claims.flatMap(mine), ...(yield* all)]
        expect(claimed.toSorted(), "each once, the settled one never").toEqual(due)
        expect(yield* all, "all are leased").toEqual([])
        yield* timePasses(clock, "50 seconds")
        expect(yield* all, "the lease still holds").toEqual([])
        yield* timePasses(clock, "11 seconds")
        expect((yield* all).toSorted()).toEqual(due)
      })
    )

    // However many there are: all of a few are looked at, and not all of many.
    for (const [size, provider] of [
      [20, "coinbase"],
      [600, "circle"]
    ] as const) {
      it.effect(`hands out what is due in turn, one of each organisation: ${size} come before all others`, () =>
        Effect.gen(function* () {
          const store = yield* PaymentStore
          const queued = { provider, enquire_in: 30 } as const
          const [crowd, neighbour, third] = [yield* newOwner, yield* newOwner, yield* newOwner]
          yield* Effect.replicateEffect(newPayment(crowd, {}, queued), size, { concurrency: "unbounded" })
          yield* timePasses(clock, "1 second")
          yield* Effect.replicateEffect(newPayment(neighbour, {}, queued), 2)
          yield* Effect.replicateEffect(newPayment(third, {}, { ...queued, enquire_in: 300 }), 2)
          yield* timePasses(clock, "31 seconds")
          const claimed = yield* store.claimEnquiries([{ provider, room: 4 }])
          const ofEach = [crowd, neighbour].map(({ org_id }) => claimed.filter((row) => row.org_id === org_id).length)
          expect(ofEach).toEqual([2, 2])
          yield* Effect.replicateEffect(newPayment(neighbour, {}, queued), 2)
          yield* timePasses(clock, "31 seconds")
          const busy = { [crowd.org_id]: 7 }
          const [later, ...others] = yield* store.claimEnquiries([{ provider, room: 1, busy }])
          expect([later?.org_id, others], "room comes back one by one").toEqual([neighbour.org_id, []])
          const rest = yield* store.claimEnquiries([{ provider, room: 1000, busy }])
          const all = [...claimed, later!, ...rest].map(({ attempt_id }) => attempt_id)
          expect(new Set(all).size, "each once").toBe(size + 4)
        })
      )
    }

    it.effect("has the history of one payment only, in order", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const { attempt, payment } = yield* newPayment(owner)
        const other = yield* newPayment(owner)
        const at = (seconds: number) => new Date(payment.created_at.getTime() + seconds * 1000)
        let current: Payment = payment
        for (const [second, status] of (["pending", "processing", "completed"] as const).entries()) {
          const callback = yield* newCallback(payment, attempt.attempt_id, { received_at: at(second), report: status })
          const change = yield* changeTo(current, status, { callback, patch: { provider: "fiat" } })
          yield* store.apply({ ...change, at: at(second) })
          current = { ...current, status, version: current.version + 1 }
        }
        const { attempts, callbacks, statusChanges: history } = yield* store.history(payment)
        expect(history.map((row) => row.to_status)).toEqual(["initiated", "pending", "processing", "completed"])
        expect(history.map((row) => row.version)).toEqual([1, 2, 3, 4])
        expect(callbacks.map((row) => row.report)).toEqual(["pending", "processing", "completed"])
        expect(attempts.map((row) => row.attempt_id)).toEqual([attempt.attempt_id])
        const untouched = yield* store.history(other.payment)
        expect([untouched.statusChanges.length, untouched.callbacks.length]).toEqual([1, 0])
      })
    )

    it.effect("opens an operator item once, closes it by kind, and may open it again", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const scope = Option.some(owner.org_id)
        const { attempt, payment } = yield* newPayment(owner)
        let current: Payment = payment
        const apply = (about: Partial<Change>) =>
          Effect.gen(function* () {
            expect(yield* store.apply(yield* changeTo(current, "initiated", about))).toBe(true)
            current = { ...current, version: current.version + 1 }
          })
        const open = Effect.map(store.openItems(scope, everything), (items) => items.map((item) => item.kind))
        const unknown = newItem(payment, attempt.attempt_id, { kind: "unknown_outcome" })
        yield* apply({ openItems: [yield* unknown] })
        yield* apply({ openItems: [yield* unknown] })
        expect(yield* open).toEqual(["unknown_outcome"])
        yield* timePasses(clock, "1 second")
        yield* apply({ openItems: [yield* newItem(payment, attempt.attempt_id, { kind: "review" })] })
        expect(yield* open).toEqual(["review", "unknown_outcome"])
        yield* apply({ closeItems: [{ kind: "unknown_outcome", attempt_id: attempt.attempt_id, by: "an operator" }] })
        expect(yield* open).toEqual(["review"])
        yield* timePasses(clock, "1 second")
        yield* apply({ openItems: [yield* unknown] })
        expect(yield* open).toEqual(["unknown_outcome", "review"])
        const { items } = yield* store.history(payment)
        expect(items.filter((item) => item.closed_by === "an operator")).toHaveLength(1)
        expect(items).toHaveLength(3)
        const { org_id } = yield* newOrganization()
        expect(yield* store.openItems(Option.some(org_id), everything)).toEqual([])
        expect((yield* store.openItems(anywhere, everything)).map((item) => item.payment_id)).toContain(
          payment.payment_id
        )
      })
    )

    it.effect("lists open items newest first, page by page", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const opened = Effect.gen(function* () {
          const { attempt, payment } = yield* newPayment(owner)
          const openItem = yield* newItem(payment, attempt.attempt_id)
          yield* store.apply({
            ...(yield* changeTo(payment, "failed", { openItems: [openItem] })),
            at: openItem.opened_at
          })
          return { ...openItem, kind: "unknown_outcome" as const, created_at: openItem.opened_at }
        })
        const first = yield* atOneMoment(Effect.replicateEffect(opened, 3))
        yield* timePasses(clock, "1 second")
        const second = yield* atOneMoment(Effect.replicateEffect(opened, 2))
        yield* expectWindows(
          [...first, ...second],
          (window) =>
            Effect.map(store.openItems(Option.some(owner.org_id), window), (items) =>
              items.map((item) => ({ ...item, created_at: item.opened_at }))
            ),
          (item) => item.item_id
        )
      })
    )
  })
}
