/** Many callbacks about one payment at the same moment: each is applied, or answered with “try again”. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, Schema } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { Busy } from "../../../src/domain/Failure.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import { calledBack } from "../../providers/sandbox/SimulatorOrders.ts"
import { callBack, initiate, recordOf } from "../support/PaymentCalls.ts"
import { newOwner } from "../support/NewPayment.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { accepts, PROOF, scripted } from "../support/ScriptedProvider.ts"
import { ownersPermit, servicesIn, worldOn } from "../support/RestartableServices.ts"

const make = () => {
  const stripe = scripted("stripe")
  stripe.otherwise(accepts())
  return { stripe, providers: [stripe] }
}

onDatabasePaymentServer("many callbacks at once", make, (it, { stripe }) => {
  it.effect("about one payment are all taken", () =>
    Effect.gen(function* () {
      yield* serveCountry("FR", ["stripe"])
      const { payment_id } = yield* initiate({ ...byCard(), country: "FR" })
      const { reference } = stripe.orders.find((order) => order.paymentId === payment_id)!
      const events = Array.from({ length: 40 }, (_, n) => ({
        key: `event ${n}`,
        reference,
        state: n === 20 ? "completed" : "processing"
      }))
      // Callbacks that are answered with “try again” on a slow machine are sent again.
      const taken = (words: (typeof events)[number]) =>
        Effect.repeat(callBack("stripe", words), { until: ({ status }) => status !== 503 })
      const answers = yield* Effect.forEach(events, taken, { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status)).toEqual(events.map(() => 200))
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      const { find, history: entries } = yield* PaymentStore
      const { callbacks } = yield* entries(yield* Effect.flatten(find(Option.none(), payment_id)))
      expect(callbacks.map(({ event_key }) => event_key).toSorted()).toEqual(events.map(({ key }) => key).toSorted())
    })
  )
})

const request = Schema.decodeUnknownSync(InitiatePayment)({ ...byCard(), country: "FR" }) as Payin

describe("a callback", () => {
  it.live("that always loses the race is answered with 503", () =>
    Effect.gen(function* () {
      const world = yield* worldOn("memory")
      const base = Layer.merge(world.stores, Ids.layer)
      yield* serveCountry("FR", ["stripe"]).pipe(Effect.provide(base))
      const owner = yield* newOwner.pipe(Effect.provide(base))
      const { stripe } = make()
      const overtaken = {
        ...stopAtStep(-1, "the step fails"),
        store: (store: Store): Store => ({
          ...store,
          apply: (change) => (change.callback === undefined ? store.apply(change) : Effect.succeed(false))
        })
      }
      const exit = yield* Effect.gen(function* () {
        yield* Effect.flatMap(Initiation, ({ payin }) =>
          Effect.flatMap(ownersPermit(owner), (to) => payin(to, request))
        )
        const { reference } = stripe.orders[0]!
        const body = Buffer.from(JSON.stringify({ key: "late", reference, state: "completed" }))
        const { receive } = yield* Callbacks
        return yield* Effect.exit(receive(stripe, calledBack("stripe", { headers: PROOF, body })))
      }).pipe(Effect.provide(servicesIn(world, overtaken, [stripe])))
      expect(Exit.isFailure(exit) ? Cause.squash(exit.cause) : exit).toBeInstanceOf(Busy)
    }).pipe(Effect.scoped)
  )
})
