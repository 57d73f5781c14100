/** The background fibers of an instance, each supervised: one that fails is logged and started again. */
import { Effect } from "effect"
import { dayClosingPause, strayPause, supervision } from "../domain/Policies.ts"
import { ClosedDays } from "../analytics/ClosedDays.ts"
import { Callbacks } from "../payments/Callbacks.ts"
import { Enquiries } from "../payments/Enquiries.ts"
import { Settling } from "../payments/ramp/Settling.ts"
import { Providers } from "../providers/Provider.ts"
import { DeliveryFailed, railWorker } from "../rails/RailWorker.ts"
import { deliveryWorker } from "../webhooks/delivery/DeliveryWorker.ts"
import { retention } from "./Retention.ts"

const supervised = <R>(name: string, worker: Effect.Effect<unknown, never, R>) =>
  worker.pipe(
    Effect.sandbox,
    Effect.tapError((cause) => Effect.logError("A worker failed and is started again", cause)),
    Effect.retry(supervision),
    Effect.annotateLogs("job", name),
    Effect.forkScoped
  )

const enquiries = Effect.flatMap(Enquiries, ({ worker }) => worker)

const strays = Effect.flatMap(Callbacks, ({ matchStrays }) =>
  Effect.forever(Effect.zipRight(matchStrays, Effect.sleep(strayPause)))
)

const closedDays = Effect.flatMap(ClosedDays, ({ closeAll }) =>
  Effect.forever(Effect.zipRight(closeAll, Effect.sleep(dayClosingPause)))
)

/** The rails' callbacks take the way of every callback, without the detour over the network. */
const rails = Effect.gen(function* () {
  const callbacks = yield* Callbacks
  const providers = yield* Providers
  return yield* railWorker((name, request) => {
    const rail = providers.find(name)
    if (rail === undefined) return Effect.fail(new DeliveryFailed({ message: `${name} is switched off` }))
    return callbacks.receive(rail, request).pipe(Effect.mapError(({ message }) => new DeliveryFailed({ message })))
  })
})

const settlements = Effect.flatMap(Settling, ({ worker }) => worker)

export const startWorkers = Effect.all(
  [
    supervised("closed days", closedDays),
    supervised("enquiries", enquiries),
    supervised("rails", rails),
    supervised("retention", retention),
    supervised("settlements", settlements),
    supervised("early callbacks", strays),
    supervised("webhooks", deliveryWorker)
  ],
  { discard: true }
)
