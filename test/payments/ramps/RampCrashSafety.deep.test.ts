/** A ramp is stopped at every step of both legs; afterwards each leg has moved its money at most once, and none is lost. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Ids } from "../../../src/domain/Ids.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { isFinal } from "../../../src/domain/PaymentStatus.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { RampPayoutWorker } from "../../../src/payments/dispatch/RampPayoutWorker.ts"
import { Ramps } from "../../../src/payments/ramps/Ramps.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { calledBack } from "../../providers/sandbox/SimulatorOrders.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { newOwner } from "../support/NewPayment.ts"
import { ownersPermit, servicesIn, type World, worldOn } from "../support/RestartableServices.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { type StopKind, stopAtStep } from "../support/StopAtStep.ts"
import { accepts, PROOF, reports, scripted } from "../support/ScriptedProvider.ts"
import { everything } from "../../support/ListPages.ts"
import { onRampRequest } from "../support/RampCalls.ts"

/** A busy machine must not look like a silent provider. */
const patient = { PROVIDER_TIMEOUT: "8 seconds" }

const live = (world: World, at: number, kind: StopKind) =>
  Effect.gen(function* () {
    const stripe = scripted("stripe")
    const circle = scripted("circle")
    stripe.otherwise(accepts({ state: "pending" }))
    circle.otherwise(accepts({ state: "processing" }))
    const outside = [stripe, circle]
    const owner = yield* newOwner.pipe(Effect.provide(Layer.merge(world.stores, Ids.layer)))
    const scope = Option.some(owner.org_id)
    const stopper = stopAtStep(at, kind)
    const permit = yield* ownersPermit(owner)

    const callback = (reference: string) =>
      calledBack("stripe", {
        headers: PROOF,
        body: Buffer.from(JSON.stringify({ key: `paid ${reference}`, reference, state: "completed" }))
      })

    /** Runs the call, then the collector's callback, then the second leg, in one process. */
    const wholeLife = Effect.gen(function* () {
      const { onRamp } = yield* Ramps
      const request = yield* onRampRequest("FI")
      yield* onRamp(permit, request)
      const { receive } = yield* Callbacks
      const [order] = stripe.orders
      if (order === undefined) return
      yield* Effect.orDie(receive(stopper.provider(stripe), callback(order.reference)))
      const { worker } = yield* RampPayoutWorker
      yield* Effect.raceFirst(
        worker,
        Effect.repeat(Effect.sleep("5 millis"), {
          until: () => circle.orders.length > 0,
          // Waits for the end only where no process was stopped: a stopped one may never get there.
          times: at === -1 ? 2000 : 20
        })
      )
    })
    yield* wholeLife.pipe(Effect.provide(servicesIn(world, stopper, outside, patient)), Effect.exit)

    const store = yield* Effect.provide(PaymentStore, world.stores)
    const [payment] = yield* store.list(scope, {}, everything)
    if (payment === undefined) {
      expect(
        outside.flatMap(({ orders }) => orders),
        "no provider is asked before the attempt is committed"
      ).toEqual([])
      return stopper.steps
    }

    // The customer pays what stripe has taken; circle completes what it has.
    const finish = Effect.sync(() => {
      for (const { reference } of stripe.orders) stripe.says(reference, reports("completed"))
      for (const { reference } of circle.orders) circle.says(reference, reports("completed"))
    })
    const restarted = Effect.gen(function* () {
      const { runOnce } = yield* StatusPoller
      const { worker } = yield* RampPayoutWorker
      yield* Effect.fork(worker)
      for (const wait of ["46 seconds", "61 seconds", "121 seconds", "5 minutes", "11 minutes"] as const) {
        yield* finish
        yield* timePasses(world.clock, wait)
        yield* runOnce
        yield* Effect.sleep("5 millis")
      }
      // On a busy machine what is due is taken up a little later.
      const store = yield* PaymentStore
      for (let round = 0; round < 40; round += 1) {
        const now = Option.getOrThrow(yield* store.find(scope, payment.payment_id))
        if (isFinal(now.status)) return
        yield* finish
        yield* timePasses(world.clock, "1 minute")
        yield* runOnce
        yield* Effect.sleep("25 millis")
      }
    })
    yield* restarted.pipe(Effect.scoped, Effect.provide(servicesIn(world, stopAtStep(-1, kind), outside, patient)))

    const after = Option.getOrThrow(yield* store.find(scope, payment.payment_id))
    const attempts = yield* store.attemptsOf(payment.payment_id)
    const taken = stripe.orders.length > 0
    expect(stripe.orders.length, "the customer is asked once").toBeLessThanOrEqual(1)
    expect(new Set(circle.orders.map(({ reference }) => reference)).size, "one reference settles").toBeLessThanOrEqual(
      1
    )
    expect(after.status, "it ends as the money did").toBe(taken ? "completed" : "failed")
    expect(attempts.filter(({ leg, outcome }) => leg === "settlement" && outcome === "accepted").length).toBe(
      taken ? 1 : 0
    )
    const ledger = yield* Effect.provide(LedgerStore, world.stores)
    expect((yield* ledger.check).problems).toEqual([])
    return stopper.steps
  })

describe("a ramp that is stopped", () => {
  it.live("ends with both legs paid once, or neither, whatever step it is stopped at", () =>
    Effect.gen(function* () {
      const world = yield* worldOn("PostgreSQL")
      const setUp = Effect.gen(function* () {
        yield* serveCountry("FI", ["stripe"], "bank_transfer", "inbound")
        yield* serveCountry("FI", ["circle"], "crypto", "outbound")
        const rates = yield* RateStore
        yield* rates.set([
          { from_currency: "KES", to_currency: "USD", rate: "0.0077" },
          { from_currency: "USD", to_currency: "USDT", rate: "1" }
        ])
      })
      yield* setUp.pipe(Effect.provide(Layer.merge(world.stores, Ids.layer)))
      const steps = yield* live(world, -1, "the step fails")
      expect(steps.filter((step) => step.startsWith("before"))).toEqual([
        "before create",
        "before initiate at stripe",
        "before apply",
        "before apply",
        "before initiate at circle",
        "before apply"
      ])
      for (const kind of ["the process is killed", "the step fails"] as const) {
        for (const at of steps.keys()) yield* live(world, at, kind)
      }
    }).pipe(Effect.scoped)
  )
})
