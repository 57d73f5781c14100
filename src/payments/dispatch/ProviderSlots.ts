/** Runs work with a limit per provider, so that one slow provider does not delay the others. */
import { Effect, FiberSet } from "effect"
import { type ProviderName, providerNames } from "../../domain/Corridor.ts"
import type { ProviderCapacity } from "../store/PaymentStore.ts"
import type { Attempt } from "../store/Payment.ts"

export const makeProviderSlots = (size: number) =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime<never>()
    const busy = new Map<ProviderName, number>()
    const busyAt = (provider: ProviderName): number => busy.get(provider) ?? 0
    return {
      room: (): ReadonlyArray<ProviderCapacity> =>
        providerNames.map((provider) => ({ provider, room: size - busyAt(provider) })).filter(({ room }) => room > 0),
      /** Begins it, and does not wait for it. */
      run: (provider: ProviderName, work: Effect.Effect<void>): Effect.Effect<void> =>
        Effect.sync(() => {
          busy.set(provider, busyAt(provider) + 1)
          fork(
            Effect.ensuring(
              work,
              Effect.sync(() => busy.set(provider, busyAt(provider) - 1))
            )
          )
        })
    }
  })

/** Name and attributes of a worker's run in traces, with the request that caused the attempt. */
export const attemptRun = (name: string, { attempt_id, org_id, payment_id, provider, traceparent }: Attempt) => ({
  name,
  traceparent,
  attributes: {
    "corridor.org_id": org_id,
    "corridor.payment_id": payment_id,
    "corridor.attempt_id": attempt_id,
    "corridor.provider": provider
  }
})
