/** Wakes the delivery workers of this process after a commit of an event. Workers of other processes poll. */
import { Context, Effect } from "effect"

export class DeliveryWakeUp extends Context.Reference<DeliveryWakeUp>()("corridor/DeliveryWakeUp", {
  defaultValue: () => {
    const listeners = new Set<() => void>()
    return {
      wake: (): void => {
        for (const listener of listeners) listener()
      },
      /** Calls the listener until the scope closes. */
      listen: (listener: () => void) =>
        Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        )
    }
  }
}) {}
