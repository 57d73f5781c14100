/** the write of a refusal is carried out and its answer lost, as the batcher answers it: tried again, overtaken by itself. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import type { Store } from "../../../src/payments/store/PaymentStore.ts"
import { actable } from "../support/ActionCalls.ts"
import { newOwner } from "../support/NewPayment.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { ownersPermit, servicesIn, worldOn } from "../support/RestartableServices.ts"

const request = Schema.decodeUnknownSync(InitiatePayment)({ ...byCard(), country: "FR" }) as Payin

describe("a refusal that is recorded twice", () => {
  it.live("goes on to the next candidate", () =>
    Effect.gen(function* () {
      const world = yield* worldOn("PostgreSQL")
      const base = Layer.merge(world.stores, Ids.layer)
      yield* serveCountry("FR", ["stripe", "adyen"]).pipe(Effect.provide(base))
      const owner = yield* newOwner.pipe(Effect.provide(base))
      const stripe = actable("stripe")
      const adyen = actable("adyen")
      stripe.otherwise(declines())
      adyen.otherwise(accepts({ state: "completed" }))
      let lost = false
      const losing = {
        ...stopAtStep(-1, "the step fails"),
        store: (store: Store): Store => ({
          ...store,
          apply: (change) =>
            Effect.map(store.apply(change), (written) => {
              if (lost || change.nextAttempt === undefined) return written
              lost = true
              return false
            })
        })
      }
      const permit = yield* ownersPermit(owner)
      const paid = yield* Effect.flatMap(Initiation, ({ payin }) => payin(permit, request)).pipe(
        Effect.provide(servicesIn(world, losing, [stripe, adyen])),
        Effect.sandbox,
        Effect.either
      )
      expect(lost).toBe(true)
      expect(paid._tag === "Right" ? paid.right.status : String(paid.left)).toBe("completed")
    }).pipe(Effect.scoped)
  )
})
