/** One enquiry whose answer cannot be written down, in a round with others: they are written all the same. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import type { PaymentId } from "../../../src/domain/Identifiers.ts"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInit.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Enquiries } from "../../../src/payments/callbacks/Enquiries.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import { backends } from "../../support/Stores.ts"
import { actable } from "../support/Acting.ts"
import { newOwner } from "../support/NewPayment.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { saboteur } from "../support/Sabotage.ts"
import { isLost, reports } from "../support/ScriptedProvider.ts"
import { ownersPermit, servicesIn, worldOn } from "../support/World.ts"

const request = Schema.decodeUnknownSync(InitiatePayment)({ ...byCard(), country: "FR" }) as Payin

/** Nothing can be written about one payment; what is written about others takes its time. */
const refusing = (paymentId: PaymentId) => ({
  ...saboteur(-1, "the step fails"),
  store: (store: Store): Store => ({
    ...store,
    apply: (change) =>
      change.payment.payment_id === paymentId
        ? Effect.die(new Error("it cannot be written"))
        : Effect.delay(store.apply(change), "300 millis")
  })
})

describe.each(backends)("an enquiry whose answer cannot be written, on %s", (backend) => {
  it.live("leaves the others of its round alone, and is repeated", () =>
    Effect.gen(function* () {
      const world = yield* worldOn(backend)
      const base = Layer.merge(world.stores, Ids.layer)
      yield* serveCountry("FR", ["stripe"]).pipe(Effect.provide(base))
      const owner = yield* newOwner.pipe(Effect.provide(base))
      const stripe = actable("stripe")
      stripe.otherwise(isLost())
      const permit = yield* ownersPermit(owner)
      const here = servicesIn(world, saboteur(-1, "the step fails"), [stripe])
      const pay = Effect.flatMap(Initiation, ({ payin }) => payin(permit, request)).pipe(Effect.provide(here))
      const [first, second] = [yield* pay, yield* pay]
      const store = yield* Effect.provide(PaymentStore, world.stores)
      for (const { payment_id } of [first, second]) {
        const [attempt] = yield* store.attemptsOf(payment_id)
        stripe.says(attempt!.attempt_id, reports("completed"))
      }
      const round = Effect.flatMap(Enquiries, ({ runOnce }) => runOnce)
      const statusOf = ({ payment_id }: typeof first) =>
        Effect.map(store.find(Option.none(), payment_id), (found) => Option.getOrThrow(found).status)
      yield* timePasses(world.clock, "1 minute").pipe(Effect.provide(world.stores))
      const asked = yield* Effect.exit(
        round.pipe(Effect.provide(servicesIn(world, refusing(first.payment_id), [stripe])))
      )
      expect([yield* statusOf(first), yield* statusOf(second)]).toEqual(["pending", "completed"])
      expect(asked).toMatchObject({ _tag: "Success", value: 2 })
      yield* timePasses(world.clock, "10 minutes").pipe(Effect.provide(world.stores))
      yield* round.pipe(Effect.provide(here))
      expect(yield* statusOf(first), "asked about again").toBe("completed")
    }).pipe(Effect.scoped)
  )
})
