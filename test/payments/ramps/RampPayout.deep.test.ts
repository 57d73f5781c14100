/** The second leg of a ramp: sent once; again only on good grounds, after the full grace, a few times, by one instance. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { type Duration, Effect, Layer, Option } from "effect"
import { Absent, Declined } from "../../../src/domain/Outcome.ts"
import { rampPayoutPatience } from "../../../src/domain/policies/PaymentPolicies.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { RampPayoutWorker } from "../../../src/payments/dispatch/RampPayoutWorker.ts"
import { Ramps } from "../../../src/payments/ramps/Ramps.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { ResendPermit } from "../../../src/providers/port/ResendPermit.ts"
import { sentTimes } from "../../../src/payments/route/BuildOrder.ts"
import { openSendWindow } from "../../../src/payments/route/CallProvider.ts"
import { calledBack } from "../../providers/sandbox/SimulatorOrders.ts"
import { eventually } from "../support/PaymentCalls.ts"
import { newOwner } from "../support/NewPayment.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { accepts, isLost, PROOF, type Scripted, scripted } from "../support/ScriptedProvider.ts"
import { ownersPermit, servicesIn, worldOn } from "../support/RestartableServices.ts"
import { everything } from "../../support/ListPages.ts"
import { onRampRequest } from "../support/RampCalls.ts"

describe("the second leg of a ramp", () => {
  /** A ramp whose money has arrived at stripe; circle is to settle it, coinbase stands behind. */
  const collected = (about: Partial<Provider>) =>
    Effect.gen(function* () {
      const world = yield* worldOn("PostgreSQL")
      const base = Layer.merge(world.stores, Ids.layer)
      yield* Effect.gen(function* () {
        yield* serveCountry("FI", ["stripe"], "bank_transfer", "inbound")
        yield* serveCountry("FI", ["circle", "coinbase"], "crypto", "outbound")
        const rates = yield* RateStore
        yield* rates.set([
          { from_currency: "KES", to_currency: "USD", rate: "0.0077" },
          { from_currency: "USD", to_currency: "USDT", rate: "1" }
        ])
      }).pipe(Effect.provide(base))
      const owner = yield* Effect.provide(newOwner, base)
      const stripe = scripted("stripe")
      stripe.otherwise(accepts({ state: "pending", nextAction: "bank_transfer" }))
      const circle = scripted("circle", about)
      circle.otherwise(isLost())
      const coinbase = scripted("coinbase")
      coinbase.otherwise(accepts({ state: "completed" }))
      const over = (providers: ReadonlyArray<Provider>) =>
        servicesIn(world, stopAtStep(-1, "the step fails"), providers)
      const services = over([stripe, circle, coinbase])
      const withoutCircle = over([stripe, coinbase])
      const permit = yield* ownersPermit(owner)
      const store = yield* Effect.provide(PaymentStore, world.stores)

      const begin = Effect.gen(function* () {
        const request = yield* onRampRequest("FI")
        yield* Effect.flatMap(Ramps, ({ onRamp }) => onRamp(permit, request))
        const [order] = stripe.orders
        const body = Buffer.from(JSON.stringify({ key: "paid", reference: order!.reference, state: "completed" }))
        yield* Effect.flatMap(Callbacks, ({ receive }) =>
          receive(stripe, calledBack("stripe", { headers: PROOF, body }))
        )
      })
      yield* begin.pipe(Effect.provide(services), Effect.orDie)
      const [payment] = yield* store.list(Option.some(owner.org_id), {}, everything)
      return { world, owner, circle, coinbase, services, withoutCircle, store, paymentId: payment!.payment_id }
    })

  /** In a process of its own, which ends when it is done. */
  const sent = ({ circle, services }: Effect.Effect.Success<ReturnType<typeof collected>>) =>
    Effect.gen(function* () {
      yield* Effect.forkScoped(Effect.flatMap(RampPayoutWorker, ({ worker }) => worker))
      yield* eventually(
        Effect.sync(() => circle.orders.length),
        (times) => times > 0
      )
    }).pipe(Effect.scoped, Effect.provide(services), Effect.orDie)

  const askedLater = ({ services, world }: Effect.Effect.Success<ReturnType<typeof collected>>, seconds: number) =>
    Effect.zipRight(
      timePasses(world.clock, `${seconds} seconds`).pipe(Effect.provide(world.stores)),
      Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)
    ).pipe(Effect.provide(services), Effect.orDie)

  it.live("is committed by the instance that records the collection, and sent by any instance, once", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({})
      expect(ramp.circle.orders, "no instance has sent it yet").toEqual([])
      yield* Effect.all([sent(ramp), sent(ramp)], { concurrency: "unbounded" })
      expect(ramp.circle.orders).toHaveLength(1)
      const attempts = yield* ramp.store.attemptsOf(ramp.paymentId)
      expect(attempts.filter(({ leg }) => leg === "settlement")).toMatchObject([{ sends: 1 }])
    }).pipe(Effect.scoped)
  )

  it.live("is sent again after the full grace since the last time, three times in all, then an operator decides", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({ enquire: () => Effect.succeed(new Absent()) })
      yield* sent(ramp)
      yield* askedLater(ramp, 31)
      expect(ramp.circle.orders, "the grace is not over").toHaveLength(1)
      for (const _ of [1, 2, 3, 4, 5, 6, 7]) yield* askedLater(ramp, 90)
      for (const _ of [1, 2, 3]) yield* askedLater(ramp, 3600)
      expect(ramp.circle.orders.length).toBe(3)
      expect(new Set(ramp.circle.orders.map(({ reference }) => reference)).size).toBe(1)
      const items = yield* ramp.store.openItems(Option.some(ramp.owner.org_id), everything)
      expect(items).toMatchObject([{ kind: "unknown_outcome" }])
      expect(ramp.coinbase.orders, "an unknown outcome is sent to no other provider").toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("is not retried any more once it was sent again for a hint, and settled", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({})
      yield* sent(ramp)
      const reference = ramp.circle.orders[0]!.reference
      ramp.circle.says(reference, isLost("it does not say"))
      for (const _ of [1, 2, 3, 4, 5, 6, 7, 8]) yield* askedLater(ramp, 90_000)
      const items = ramp.store.openItems(Option.some(ramp.owner.org_id), everything)
      expect(yield* items).toMatchObject([{ kind: "unknown_outcome" }])
      ramp.circle.says(reference, new Absent())
      ramp.circle.otherwise(accepts({ state: "completed" }))
      const settlement = Effect.map(ramp.store.attemptsOf(ramp.paymentId), (all) =>
        all.find(({ leg }) => leg === "settlement")!
      )
      expect(yield* ramp.store.hint((yield* settlement).attempt_id)).toBe(true)
      yield* askedLater(ramp, 90)
      expect(yield* settlement).toMatchObject({ outcome: "accepted", sends: 2 })
      expect(yield* items).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("is never sent again where the provider neither honours references nor proves absence", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({ provesAbsence: false, enquire: () => Effect.succeed(new Absent()) })
      yield* sent(ramp)
      for (const _ of [1, 2, 3, 4]) yield* askedLater(ramp, 3600)
      for (const _ of [1, 2, 3, 4, 5]) yield* askedLater(ramp, 90_000)
      expect(ramp.circle.orders).toHaveLength(1)
      const items = yield* ramp.store.openItems(Option.some(ramp.owner.org_id), everything)
      expect(items).toMatchObject([{ kind: "unknown_outcome" }])
    }).pipe(Effect.scoped)
  )

  it.live("goes on to another provider when it is refused, and never back to one that refused it", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({})
      ramp.circle.otherwise(new Declined({ reason: "sanctioned address" }))
      ramp.coinbase.otherwise(new Declined({ reason: "closed" }))
      yield* sent(ramp)
      yield* eventually(
        Effect.map(ramp.store.find(Option.none(), ramp.paymentId), Option.getOrThrow),
        ({ status }) => status === "failed"
      )
      expect([ramp.circle.orders.length, ramp.coinbase.orders.length]).toEqual([1, 1])
    }).pipe(Effect.scoped)
  )

  const unreachable = new Declined({ reason: "no connection", code: "PROVIDER_UNAVAILABLE", unsent: "unreachable" })

  const orderedFrom = ({ orders }: Pick<Scripted, "orders">, times: number) =>
    eventually(
      Effect.sync(() => orders.length),
      (now) => now === times
    )

  /** Neither can be reached, and the one behind is asked once: the worker goes on, and has had time to do so again. */
  const triedInVain = ({ circle, coinbase }: Effect.Effect.Success<ReturnType<typeof collected>>) =>
    Effect.gen(function* () {
      circle.otherwise(unreachable)
      coinbase.otherwise(unreachable)
      yield* Effect.fork(Effect.flatMap(RampPayoutWorker, ({ worker }) => worker))
      yield* orderedFrom(coinbase, 1)
      yield* Effect.sleep("600 millis")
    })

  it.live("is kept where no provider can be reached, and sent when its provider is back", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({ provesAbsence: false })
      const find = Effect.map(ramp.store.find(Option.none(), ramp.paymentId), Option.getOrThrow)
      const pass = (time: Duration.DurationInput) =>
        timePasses(ramp.world.clock, time).pipe(Effect.provide(ramp.world.stores))
      yield* Effect.gen(function* () {
        yield* triedInVain(ramp)
        expect(ramp.coinbase.orders, "not at once").toHaveLength(1)
        expect((yield* find).status).toBe("processing")
        yield* pass("16 seconds")
        yield* orderedFrom(ramp.coinbase, 2)
        ramp.coinbase.otherwise(accepts({ state: "completed" }))
        yield* Effect.sleep("600 millis")
        yield* pass("16 seconds")
        yield* eventually(
          Effect.map(find, ({ status }) => status),
          (status) => status === "completed"
        )
      }).pipe(Effect.scoped, Effect.provide(ramp.services), Effect.orDie)
      expect(ramp.circle.orders, "the other has taken over").toHaveLength(1)
      expect(new Set(ramp.coinbase.orders.map(({ reference }) => reference)).size).toBe(1)
      const attempts = yield* ramp.store.attemptsOf(ramp.paymentId)
      expect(attempts.filter(({ leg }) => leg === "settlement")).toMatchObject([
        { provider: "circle", outcome: "declined" },
        { provider: "coinbase", outcome: "accepted", sends: 1 }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("fails when no provider could be reached until its time ran out", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({})
      yield* Effect.gen(function* () {
        yield* triedInVain(ramp)
        yield* timePasses(ramp.world.clock, rampPayoutPatience).pipe(Effect.provide(ramp.world.stores))
        const failure = yield* eventually(
          Effect.map(ramp.store.find(Option.none(), ramp.paymentId), (found) => Option.getOrThrow(found).failure),
          (one) => one !== null
        )
        expect(failure).toMatchObject({ code: "NOT_SETTLED" })
      }).pipe(Effect.scoped, Effect.provide(ramp.services), Effect.orDie)
    }).pipe(Effect.scoped)
  )

  it.live("is not put back by an instance that was overtaken", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({})
      yield* sent(ramp)
      const settlement = Effect.map(ramp.store.attemptsOf(ramp.paymentId), (all) =>
        all.find(({ leg }) => leg === "settlement")!
      )
      const { attempt_id } = yield* eventually(settlement, ({ outcome }) => outcome === "unknown")
      yield* ramp.store.requeueUnsent(attempt_id)
      expect((yield* settlement).sends, "it has an answer").toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("is sent to no other provider where its own was switched off just before the retry", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({ honoursReference: true, provesAbsence: false })
      yield* sent(ramp)
      yield* timePasses(ramp.world.clock, "61 seconds").pipe(Effect.provide(ramp.world.stores))
      const [due] = yield* ramp.store.claimEnquiries([{ provider: "circle", room: 8 }])
      const known = Option.getOrThrow(yield* ramp.store.renewSend(due!.attempt_id, due!.lease_token))
      const at = new Date()
      const again = ResendPermit.honoured(ramp.circle, true, { first: at, last: at, now: at })
      yield* Effect.gen(function* () {
        const { sendAgain } = yield* RampPayoutWorker
        yield* sendAgain(known, yield* openSendWindow, Option.getOrThrow(again))
      }).pipe(Effect.provide(ramp.withoutCircle), Effect.orDie)
      expect(ramp.coinbase.orders, "circle may have settled it the first time").toEqual([])
      const attempts = yield* ramp.store.attemptsOf(ramp.paymentId)
      expect(attempts.filter(({ leg }) => leg === "settlement")).toMatchObject([{ outcome: "unknown" }])
    }).pipe(Effect.scoped)
  )

  it.live("is as old as its first sending, though the clock of the first instance was fast", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({})
      yield* sent(ramp)
      const sql = yield* Effect.flatten(Effect.serviceOption(SqlClient.SqlClient)).pipe(
        Effect.provide(ramp.world.stores)
      )
      yield* sql`update attempts set started_at = started_at + interval '1 hour' where leg = 'settlement'`
      yield* timePasses(ramp.world.clock, "61 seconds").pipe(Effect.provide(ramp.world.stores))
      const [due] = yield* ramp.store.claimEnquiries([{ provider: "circle", room: 8 }])
      const { attempt } = Option.getOrThrow(yield* ramp.store.renewSend(due!.attempt_id, due!.lease_token))
      const now = yield* ramp.store.now
      expect(attempt.sends).toBe(2)
      expect(sentTimes(attempt, now).first).toEqual(due!.sent_at)
    }).pipe(Effect.scoped)
  )

  it.live("is not sent by an instance that has lost its lease", () =>
    Effect.gen(function* () {
      const ramp = yield* collected({})
      yield* sent(ramp)
      const due = Effect.map(ramp.store.claimEnquiries([{ provider: "circle", room: 8 }]), ([one]) => one!)
      const pass = (seconds: number) =>
        timePasses(ramp.world.clock, `${seconds} seconds`).pipe(Effect.provide(ramp.world.stores))
      yield* pass(61)
      const slow = yield* due
      yield* pass(61)
      const quick = yield* due
      expect(quick.attempt_id).toBe(slow.attempt_id)
      expect(yield* ramp.store.renewSend(slow.attempt_id, slow.lease_token)).toEqual(Option.none())
      expect(Option.isSome(yield* ramp.store.renewSend(quick.attempt_id, quick.lease_token))).toBe(true)
      expect(yield* ramp.store.renewSend(quick.attempt_id, quick.lease_token)).toEqual(Option.none())
    }).pipe(Effect.scoped)
  )
})
