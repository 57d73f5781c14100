/** An organisation that is paid by card through stripe, in a world whose clock a test moves. */
import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import type { Backend } from "../../support/OnBothStores.ts"
import { actable } from "./ActionCalls.ts"
import { newOwner } from "./NewPayment.ts"
import { serveCountry } from "./PaymentServer.ts"
import { byCard } from "./Requests.ts"
import { stopAtStep } from "./StopAtStep.ts"
import { ownersPermit, servicesIn, worldOn } from "./RestartableServices.ts"

const request = Schema.decodeUnknownSync(InitiatePayment)({ ...byCard(), country: "FR" }) as Payin

export const cardPayer = (backend: Backend, promises: Partial<Pick<Provider, "provesAbsence">> = {}) =>
  Effect.gen(function* () {
    const world = yield* worldOn(backend)
    const base = Layer.merge(world.stores, Ids.layer)
    yield* serveCountry("FR", ["stripe"]).pipe(Effect.provide(base))
    const permit = yield* ownersPermit(yield* newOwner.pipe(Effect.provide(base)))
    const stripe = { ...actable("stripe"), ...promises }
    // One instance, as long as the test lasts: to make its services anew costs more than most of what they are asked for.
    const here = yield* Effect.acquireRelease(
      Effect.sync(() => ManagedRuntime.make(servicesIn(world, stopAtStep(-1, "the step fails"), [stripe]))),
      ({ disposeEffect }) => disposeEffect
    )
    const pay = Effect.flatMap(Initiation, ({ payin }) => payin(permit, request)).pipe(Effect.provide(here))
    return { world, permit, stripe, here, pay, store: yield* Effect.provide(PaymentStore, world.stores) }
  })
