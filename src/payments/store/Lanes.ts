/** Work at providers side by side: each has room of its own, so that one which hangs holds up nobody else's. */
import { Effect, FiberSet } from "effect"
import { type ProviderName, providerNames } from "../../domain/Corridor.ts"
import type { ProviderCapacity } from "./PaymentStore.ts"

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
