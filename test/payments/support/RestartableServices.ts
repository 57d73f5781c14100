/** Stores that outlive the process: the services over them are made anew, as after a crash, with the same clock. */
import { Effect, Layer, Option } from "effect"
import type { OrgId, UserId } from "../../../src/domain/Ids.ts"
import { authorize } from "../../../src/domain/Access.ts"
import { graphOf } from "../../../src/app/Graph.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import type { Backend } from "../../support/OnBothStores.ts"
import { TestFoundation, testSettings, type Variables } from "../../support/TestSettings.ts"
import {
  movableClock,
  type MovableClock,
  openStoresOn,
  quiet,
  sameStores,
  servicesOf,
  type StoreServices
} from "./PaymentServices.ts"
import type { StepStopper } from "./StopAtStep.ts"

export interface World {
  readonly stores: Layer.Layer<StoreServices>
  readonly clock: MovableClock
}

export const worldOn = (backend: Backend) =>
  Effect.gen(function* () {
    const clock = movableClock()
    const context = yield* Layer.build(
      openStoresOn(backend).pipe(Layer.provide(testSettings()), Layer.provide(Layer.setClock(clock)))
    )
    const world: World = { stores: sameStores(context), clock }
    return world
  })

export const servicesIn = (
  { clock, stores }: World,
  stopper: StepStopper,
  providers: Parameters<typeof servicesOf>[0],
  variables: Variables = {}
) =>
  graphOf({
    services: servicesOf(providers.map(stopper.provider)),
    stores: Layer.effect(PaymentStore, Effect.map(PaymentStore, stopper.store)).pipe(Layer.provideMerge(stores)),
    foundation: TestFoundation,
    settings: testSettings(variables).pipe(Layer.provideMerge(Layer.setClock(clock)), Layer.provideMerge(quiet))
  })

/** Permit of the org-admin who owns everything here. */
export const ownersPermit = ({ org_id, user_id }: { readonly org_id: OrgId; readonly user_id: UserId }) =>
  authorize(
    {
      id: user_id,
      userId: Option.some(user_id),
      apiKeyId: Option.none(),
      organization: Option.some({
        orgId: org_id,
        role: "org-admin" as const,
        features: new Set<string>(),
        permissions: new Set<never>()
      }),
      admin: false
    },
    "any",
    Option.none()
  )
