/** Stops a dispatch at one chosen step: as a killed process would, or by a failure of that one step. */
import { Effect } from "effect"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import type { Store } from "../../../src/payments/store/PaymentStore.ts"

export type StopKind = "the process is killed" | "the step fails"

export interface StepStopper {
  /** Steps so far. */
  readonly steps: ReadonlyArray<string>
  readonly store: (store: Store) => Store
  readonly provider: <P extends Provider>(provider: P) => P
}

/** Each call of a store or provider has two steps, before and after it; `at` counts from 0, -1 harms nothing. */
export const stopAtStep = (at: number, kind: StopKind): StepStopper => {
  const steps: Array<string> = []
  let dead = false
  const step = (name: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const strikes = steps.length === at
      steps.push(name)
      if (strikes) dead = kind === "the process is killed"
      if (dead) return Effect.interrupt
      return strikes ? Effect.die(new Error(`sabotage ${name}`)) : Effect.void
    })
  const watched = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    step(`before ${name}`).pipe(Effect.zipRight(effect), Effect.zipLeft(step(`after ${name}`)))
  return {
    steps,
    store: (store) => ({
      ...store,
      create: (...args) => watched("create", store.create(...args)),
      apply: (change) => watched("apply", store.apply(change))
    }),
    provider: (provider) => ({
      ...provider,
      initiate: (order) => watched(`initiate at ${provider.name}`, provider.initiate(order))
    })
  }
}
