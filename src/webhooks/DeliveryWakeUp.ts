/**
 * Wakes the workers of this process when it has committed an event, so that nobody waits for their next look. Those of
 * other processes look for themselves.
 */
import { Context, Effect } from "effect"

export class DeliveryWakeUp extends Context.Reference<DeliveryWakeUp>()("corridor/DeliveryWakeUp", {
  defaultValue: () => {
    const listeners = new Set<() => void>()
    return {
      wake: (): void => {
        for (const listener of listeners) listener()
      },
      /** For as long as the scope lives. */
      listen: (listener: () => void) =>
        Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        )
    }
  }
}) {}
