/** The database has no time for what a provider said: it is written later, and no outcome is ever invented for it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { busy } from "../../../src/domain/Failure.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import { initiationResponse } from "../../../src/payments/initiate/InitiationResponse.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { newOwner } from "../support/NewPayment.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { type StepStopper, stopAtStep } from "../support/StopAtStep.ts"
import { accepts, declines, reports, scripted } from "../support/ScriptedProvider.ts"
import { ownersPermit, servicesIn, type World, worldOn } from "../support/RestartableServices.ts"

const lockTimeout = Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" })

/** Fails so many writes of a report, as a database with locked rows does. */
const busyFor = (times: number): StepStopper => {
  let left = times
  return {
    ...stopAtStep(-1, "the step fails"),
    store: (store) => ({
      ...store,
      apply: (change) => Effect.suspend(() => (left-- > 0 ? Effect.fail(busy(lockTimeout)) : store.apply(change)))
    })
  }
}

const decode = Schema.decodeUnknownSync(InitiatePayment)

/** A card payment that stripe, then adyen, are asked for, over a database that is busy for a while. */
const paidWhileBusy = (world: World, times: number, first: Parameters<ReturnType<typeof scripted>["otherwise"]>[0]) =>
  Effect.gen(function* () {
    const [stripe, adyen] = [scripted("stripe"), scripted("adyen")]
    stripe.otherwise(first)
    adyen.otherwise(accepts())
    const services = servicesIn(world, busyFor(times), [stripe, adyen])
    const owner = yield* newOwner.pipe(Effect.provide(Layer.merge(world.stores, Ids.layer)))
    yield* serveCountry("KE", ["stripe", "adyen"]).pipe(Effect.provide(Layer.merge(world.stores, Ids.layer)))
    const request = decode(byCard()) as Payin
    const permit = yield* ownersPermit(owner)
    const payment = yield* Effect.flatMap(Initiation, ({ payin }) => payin(permit, request)).pipe(
      Effect.provide(services)
    )
    return { adyen, owner, payment, stripe }
  })

// Beside each other, as they mostly wait: each has a world of its own.
describe.concurrent("While the database is busy", () => {
  it.scopedLive("what a provider said is written as soon as there is time", () =>
    Effect.gen(function* () {
      const { adyen, payment, stripe } = yield* paidWhileBusy(yield* worldOn("memory"), 2, accepts())
      expect(payment.status).toBe("processing")
      expect([stripe.orders.length, adyen.orders.length]).toEqual([1, 0])
    })
  )

  it.scopedLive("a refusal still leads to the next provider, once it is written", () =>
    Effect.gen(function* () {
      const { adyen, payment, stripe } = yield* paidWhileBusy(yield* worldOn("memory"), 1, declines())
      expect([payment.status, payment.provider]).toEqual(["processing", "adyen"])
      expect([stripe.orders.length, adyen.orders.length]).toEqual([1, 1])
    })
  )

  for (const [name, answer, end] of [
    ["an acceptance", accepts(), "completed"],
    ["a refusal", declines(), "failed"]
  ] as const) {
    it.scopedLive(`${name} that cannot be written is an answer that is not known, and is asked for again`, () =>
      Effect.gen(function* () {
        const world = yield* worldOn("memory")
        const { adyen, owner, payment, stripe } = yield* paidWhileBusy(world, 1000, answer)
        expect(initiationResponse(payment).response).toMatchObject({ success: true, next_action: "check_status" })
        expect([stripe.orders.length, adyen.orders.length], "no other provider is asked").toEqual([1, 0])
        if (end === "completed") stripe.says(stripe.orders[0]!.reference, reports("completed"))
        yield* timePasses(world.clock, "2 minutes").pipe(Effect.provide(world.stores))
        const found = yield* Effect.gen(function* () {
          yield* Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)
          return yield* Effect.flatMap(PaymentStore, ({ find }) => find(Option.some(owner.org_id), payment.payment_id))
        }).pipe(Effect.provide(servicesIn(world, stopAtStep(-1, "the step fails"), [stripe, adyen])))
        expect(Option.map(found, ({ status }) => status)).toEqual(Option.some(end))
      })
    )
  }
})
