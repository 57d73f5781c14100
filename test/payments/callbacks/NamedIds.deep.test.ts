/** The provider's own ids that callbacks name: one that was written first stays, and one that a hint names is asked about. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, HashMap, Layer, Logger, LogLevel, ManagedRuntime, Option } from "effect"
import { type ConfigId, Ids } from "../../../src/domain/Ids.ts"
import { Report, Unknown } from "../../../src/domain/Outcome.ts"
import { hintGap, mostHintedIds } from "../../../src/domain/policies/PaymentPolicies.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { callbackRequest } from "../../providers/support/CallbackFixtures.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { backends, type Backend } from "../../support/OnBothStores.ts"
import { newOwner, newPayment } from "../support/NewPayment.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { accepts, isLost, PROOF, scripted } from "../support/ScriptedProvider.ts"
import { servicesIn, worldOn } from "../support/RestartableServices.ts"

const reportOf = (state: Report["state"], providerPaymentId: string | null, movements: Report["movements"] = []) =>
  new Report({ state, reason: null, providerPaymentId, providerStatus: state, movements })

const collection = (id: string) => ({ kind: "collection", id, amount: null, state: "settled" }) as const

/** A payin that was sent to stripe, and the script that stripe follows for it. */
const sent = (backend: Backend, about: Partial<Provider> = {}) =>
  Effect.gen(function* () {
    const world = yield* worldOn(backend)
    const base = Layer.merge(world.stores, Ids.layer)
    const stripe = scripted("stripe", about)
    const alerts: Array<string> = []
    const listening = Logger.add(
      Logger.make(({ annotations }) => {
        const kind = HashMap.get(annotations, "operator_alert")
        if (Option.isSome(kind)) alerts.push(String(kind.value))
      })
    )
    /** Restarts the services as after a crash: only what is in the store is left. */
    const instance = Effect.acquireRelease(
      Effect.sync(() => ManagedRuntime.make(servicesIn(world, stopAtStep(-1, "the step fails"), [stripe]))),
      ({ disposeEffect }) => disposeEffect
    )
    let here = yield* instance
    const run = <A, E>(effect: Effect.Effect<A, E, Callbacks | StatusPoller | PaymentStore | RecordOutcome>) =>
      Effect.suspend(() =>
        effect.pipe(Effect.provide(listening), Logger.withMinimumLogLevel(LogLevel.All), Effect.provide(here))
      )
    const store = yield* Effect.provide(PaymentStore, world.stores)
    const made = (account: ConfigId | null = null) =>
      Effect.gen(function* () {
        const owner = yield* newOwner
        return yield* newPayment(owner, { status: "processing" }, { account })
      }).pipe(Effect.provide(base))
    const { attempt, payment } = yield* made()
    const recordSignal = (signal: Parameters<(typeof RecordOutcome)["Service"]["record"]>[1], of = attempt) =>
      run(
        Effect.gen(function* () {
          const { record } = yield* RecordOutcome
          yield* record(yield* Effect.flatten(store.findAttempt(of.attempt_id, null)), signal, { cause: "a test" })
        })
      )
    let nth = 0
    const calls = (words: object, account: ConfigId | null = null) => {
      nth += 1
      const body = { key: `event ${nth}`, reference: null, ...words }
      const request = callbackRequest(JSON.stringify(body), PROOF)
      return run(Effect.flatMap(Callbacks, ({ receive }) => receive(stripe, request, account))).pipe(
        Effect.map(({ received }) => received[0])
      )
    }
    return {
      stripe,
      store,
      alerts,
      made,
      recordSignal,
      calls,
      attempt,
      /** A hint, which proves nothing, under our reference. */
      hints: (providerPaymentId: string | null) =>
        calls({ reference: attempt.attempt_id, providerPaymentId, state: null }),
      round: run(Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)),
      applyMatched: run(Effect.flatMap(Callbacks, ({ applyMatched }) => applyMatched)),
      crash: Effect.map(instance, (another) => void (here = another)),
      passes: (time: Duration.DurationInput) => timePasses(world.clock, time).pipe(Effect.provide(world.stores)),
      record: Effect.map(store.find(Option.none(), payment.payment_id), Option.getOrThrow),
      statusOf: ({ payment_id }: typeof payment) =>
        Effect.map(store.find(Option.none(), payment_id), (found) => Option.getOrThrow(found).status)
    }
  })

describe.each(backends)("the provider's id of an attempt, on %s", (backend) => {
  it.live("is not replaced by a report that names another: the provider is asked, and an operator is alerted", () =>
    Effect.gen(function* () {
      const { attempt, calls, recordSignal, record, round, store, stripe, alerts } = yield* sent(backend)
      yield* recordSignal(accepts({ providerPaymentId: "own" }))
      stripe.says(attempt.attempt_id, reportOf("processing", "own"))
      for (const state of ["pending", "failed"]) {
        const words = { reference: attempt.attempt_id, providerPaymentId: "another", state }
        expect(yield* calls(words), state).toBe("provider asked")
      }
      expect(yield* record).toMatchObject({ status: "processing", provider_payment_id: "own" })
      expect(alerts).toEqual(["other_payment_named", "other_payment_named"])
      expect(yield* round, "at once").toBe(1)
      expect(stripe.enquiries.at(-1)).toMatchObject({ providerPaymentId: "own", hintedIds: [] })
      const known = yield* Effect.flatten(store.findAttempt(attempt.attempt_id, null))
      expect(known).toMatchObject({ attempt: { outcome: "accepted", provider_payment_id: "own" }, movements: [] })
      expect(yield* calls({ reference: attempt.attempt_id, providerPaymentId: "own", state: "completed" })).toBe(
        "applied"
      )
      expect(yield* record).toMatchObject({ status: "completed", provider_payment_id: "own" })
    }).pipe(Effect.scoped)
  )

  it.live("is not replaced by a report of money under another, and the money counts", () =>
    Effect.gen(function* () {
      const { attempt, calls, recordSignal, record, store, alerts } = yield* sent(backend)
      yield* recordSignal(accepts({ providerPaymentId: "own" }))
      const paid = (id: string) =>
        calls({ reference: attempt.attempt_id, providerPaymentId: id, state: "completed", movements: [collection(id)] })
      expect(yield* paid("another")).toBe("applied")
      expect(yield* record).toMatchObject({ status: "completed", provider_payment_id: "own" })
      expect(alerts).toEqual(["other_payment_named"])
      yield* paid("own")
      const waits = yield* store.openItems(Option.some((yield* record).org_id), { after: Option.none(), take: 10 })
      expect(waits, "its payer paid twice").toMatchObject([{ kind: "suspense", attempt_id: attempt.attempt_id }])
      yield* paid("own")
      yield* paid("another")
      const { movements } = yield* Effect.flatten(store.findAttempt(attempt.attempt_id, null))
      expect(movements.map(({ movement_id }) => movement_id).toSorted()).toEqual(["another", "own"])
    }).pipe(Effect.scoped)
  )

  it.live("is not replaced by the answer to an enquiry either, which then is none", () =>
    Effect.gen(function* () {
      const { attempt, recordSignal, passes, record, round, store, stripe, alerts } = yield* sent(backend)
      yield* recordSignal(accepts({ providerPaymentId: "own" }))
      stripe.says(attempt.attempt_id, reportOf("failed", "another"))
      for (let n = 0; n < 40; n++) {
        yield* passes("12 hours")
        yield* round
      }
      expect(yield* record).toMatchObject({ status: "processing", provider_payment_id: "own" })
      expect(new Set(alerts)).toEqual(new Set(["other_payment_named", "outcome_abandoned"]))
      const { items } = yield* store.history(yield* record)
      expect(items, "in the end it is for an operator").toMatchObject([{ kind: "unknown_outcome", closed_at: null }])
    }).pipe(Effect.scoped)
  )

  it.live("is replaced where the provider gives it up, and then stays", () =>
    Effect.gen(function* () {
      const { attempt, calls, recordSignal, record, alerts } = yield* sent(backend, {
        givesUpId: (id) => id === "link"
      })
      yield* recordSignal(accepts({ providerPaymentId: "link" }))
      const words = { reference: attempt.attempt_id, state: "completed" }
      expect(yield* calls({ ...words, providerPaymentId: "payment" })).toBe("applied")
      expect(yield* record).toMatchObject({ status: "completed", provider_payment_id: "payment" })
      expect(yield* calls({ ...words, state: "failed", providerPaymentId: "another" })).toBe("provider asked")
      expect(yield* record).toMatchObject({ status: "completed", provider_payment_id: "payment" })
      expect(alerts).toEqual(["other_payment_named"])
    }).pipe(Effect.scoped)
  )

  it.live("that the answer to the order names late does not replace what a callback named before", () =>
    Effect.gen(function* () {
      const { attempt, calls, recordSignal, record } = yield* sent(backend)
      yield* calls({ reference: attempt.attempt_id, providerPaymentId: "told first", state: "processing" })
      yield* recordSignal(accepts({ providerPaymentId: "answered", nextAction: "wait" }))
      expect(yield* record).toMatchObject({ provider_payment_id: "told first", next_action: "wait" })
    }).pipe(Effect.scoped)
  )
})

describe.each(backends)("an id that a hint names, on %s", (backend) => {
  /** Finds an order by its own id alone, and knows whose it is. */
  const byIdAlone = (own: string): Partial<Provider> => ({
    enquire: ({ hintedIds, providerPaymentId }) =>
      Effect.sync(() =>
        providerPaymentId === own || hintedIds.includes(own)
          ? reportOf("completed", own, [collection(own)])
          : new Unknown({ reason: "it finds nothing by our reference" })
      )
  })

  it.live("leads to a push whose answer was lost, though the instance that got the callback has died", () =>
    Effect.gen(function* () {
      const { crash, recordSignal, hints, passes, record, round } = yield* sent(backend, byIdAlone("ws_CO_1"))
      yield* recordSignal(isLost())
      yield* passes("1 minute")
      yield* round
      expect(yield* record).toMatchObject({ status: "pending", provider_payment_id: null })
      expect(yield* hints("ws_CO_1")).toBe("provider asked")
      yield* crash
      yield* passes("15 seconds")
      expect(yield* round).toBe(1)
      expect(yield* record).toMatchObject({ status: "completed", provider_payment_id: "ws_CO_1" })
    }).pipe(Effect.scoped)
  )

  it.live("is not believed: the look-up by the account's credentials decides", () =>
    Effect.gen(function* () {
      const { recordSignal, hints, passes, record, round } = yield* sent(backend, byIdAlone("ws_CO_1"))
      yield* recordSignal(isLost())
      expect(yield* hints("forged")).toBe("provider asked")
      yield* passes("1 minute")
      yield* round
      expect(yield* record).toMatchObject({ status: "pending", provider_payment_id: null })
    }).pipe(Effect.scoped)
  )

  it.live("is asked about within the gap of hints, however many forged ones come before and after", () =>
    Effect.gen(function* () {
      const { recordSignal, hints, passes, record, round } = yield* sent(backend, byIdAlone("true"))
      yield* recordSignal(isLost())
      yield* hints("forged first")
      yield* passes("1 minute")
      yield* round
      const flood = (name: string, times: number) =>
        Effect.forEach(
          Array.from({ length: times }, (_, n) => `${name} ${n}`),
          hints,
          { discard: true }
        )
      yield* flood("before", 50)
      yield* hints("true")
      yield* flood("after", mostHintedIds - 1)
      let waited = 0
      while ((yield* record).status !== "completed" && waited < 60) {
        yield* passes("1 second")
        waited += 1
        yield* hints(null)
        yield* round
      }
      expect(waited).toBeLessThanOrEqual(Duration.toSeconds(hintGap))
      expect(yield* record).toMatchObject({ status: "completed", provider_payment_id: "true" })
    }).pipe(Effect.scoped)
  )
})

describe.each(backends)("a callback that came too early, on %s", (backend) => {
  it.live("is matched with nothing that went through another account of the same provider", () =>
    Effect.gen(function* () {
      const { calls, recordSignal, made, applyMatched, statusOf } = yield* sent(backend)
      const [ours, others]: ReadonlyArray<ConfigId> = [yield* nextId, yield* nextId].map((id) => id)
      const early = { providerPaymentId: "pi_same", state: "completed" }
      expect(yield* calls(early, others!)).toBe("unknown payment")
      const platforms = yield* made(null)
      const own = yield* made(ours!)
      for (const { attempt } of [platforms, own])
        yield* recordSignal(accepts({ providerPaymentId: "pi_same" }), attempt)
      yield* applyMatched
      expect([yield* statusOf(platforms.payment), yield* statusOf(own.payment)]).toEqual(["processing", "processing"])
      const theirs = yield* made(others!)
      yield* recordSignal(accepts({ providerPaymentId: "pi_same" }), theirs.attempt)
      yield* applyMatched
      expect(yield* statusOf(theirs.payment)).toBe("completed")
      expect([yield* statusOf(platforms.payment), yield* statusOf(own.payment)]).toEqual(["processing", "processing"])
    }).pipe(Effect.provide(Ids.layer), Effect.scoped)
  )
})
