/** Idempotency keys of actions that were answered with “try again”: free, whatever changed the payment meanwhile. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option } from "effect"
import { busy, maybeWritten } from "../../../src/domain/Failure.ts"
import { Actions } from "../../../src/payments/actions/Actions.ts"
import { IdempotencyStore } from "../../../src/platform/idempotency/IdempotencyStore.ts"
import { backends } from "../../support/OnBothStores.ts"
import { cardPayer } from "../support/CardPayer.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { servicesIn } from "../support/RestartableServices.ts"

const CLAIM = "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88"

describe.each(backends)("an action under a key, on %s", (backend) => {
  const waiting = Effect.gen(function* () {
    const { pay, permit, store, stripe, world } = yield* cardPayer(backend)
    stripe.otherwise(accepts({ state: "pending", nextAction: "collect_otp" }))
    const { org_id, payment_id } = yield* pay
    const harmless = stopAtStep(-1, "the step fails")
    const instance = (stopper: typeof harmless) =>
      Effect.map(Layer.build(servicesIn(world, stopper, [stripe])), Context.get(Actions))
    const other = yield* instance(harmless)
    /** Changes by others before the next write, which then finds no time. */
    let before: Effect.Effect<unknown> | undefined
    const actions = yield* instance({
      ...harmless,
      store: (real) => ({
        ...real,
        apply: (change) =>
          Effect.suspend(() => {
            if (before === undefined) return real.apply(change)
            const meanwhile = before
            before = undefined
            return Effect.zipRight(meanwhile, Effect.fail(busy()))
          })
      })
    })
    const keys = yield* Effect.provide(IdempotencyStore, world.stores)
    const claimsAreLost: typeof keys = {
      ...keys,
      claim: (id, key) => Effect.zipRight(keys.claim(id, key), Effect.fail(maybeWritten()))
    }
    const cutOff = yield* Effect.map(
      Layer.build(
        servicesIn(
          { ...world, stores: Layer.merge(world.stores, Layer.succeed(IdempotencyStore, claimsAreLost)) },
          harmless,
          [stripe]
        )
      ),
      Context.get(Actions)
    )
    const key = { org_id, operation: `action on ${payment_id}`, key: "once", body_digest: "same", claim: CLAIM }
    /** Somewhere else, and not as a part of what is under way here. */
    const elsewhere = (meanwhile: Effect.Effect<unknown, unknown>) =>
      Effect.promise(() => Effect.runPromiseExit(meanwhile))
    const busyAfter = (meanwhile: Effect.Effect<unknown, unknown>) => void (before = elsewhere(meanwhile))
    const record = Effect.map(store.find(Option.none(), payment_id), Option.getOrThrow)
    return { actions, busyAfter, cutOff, elsewhere, key, keys, other, payment_id, permit, record, stripe }
  })

  it.live("that could not write anything frees its key for the next request", () =>
    Effect.gen(function* () {
      const { actions, busyAfter, key, keys, other, payment_id, permit, record, stripe } = yield* waiting
      const { version } = yield* record
      stripe.will({ otp: "unknown" })
      busyAfter(other.submitOtp(permit, payment_id, "another"))
      const first = yield* Effect.exit(actions.submitOtp(permit, payment_id, "1", key))
      expect(Exit.isFailure(first)).toBe(true)
      expect((yield* record).version).toBeGreaterThan(version)
      expect(yield* keys.find(key)).toEqual(Option.none())
      stripe.will({ otp: "accepted" })
      expect(yield* actions.submitOtp(permit, payment_id, "1", key)).toMatchObject({ status: "processing" })
    }).pipe(Effect.scoped)
  )

  it.live("that counted a guess keeps its key, although there was no time to write what became of it", () =>
    Effect.gen(function* () {
      const { actions, busyAfter, key, keys, payment_id, permit, stripe } = yield* waiting
      stripe.will({ otp: Effect.sync(() => (busyAfter(Effect.void), "accepted" as const)) })
      expect(Exit.isFailure(yield* Effect.exit(actions.submitOtp(permit, payment_id, "1", key)))).toBe(true)
      expect(Option.isSome(yield* keys.find(key))).toBe(true)
    }).pipe(Effect.scoped)
  )

  it.live("that does not know whether its key was written keeps it, since nothing else was written", () =>
    Effect.gen(function* () {
      const { actions, cutOff, key, keys, payment_id, permit, stripe } = yield* waiting
      stripe.will({ cancel: "canceled" })
      expect(Exit.isFailure(yield* Effect.exit(cutOff.cancel(permit, payment_id, undefined, key)))).toBe(true)
      expect(yield* keys.find(key)).toEqual(Option.none())
      expect(yield* actions.cancel(permit, payment_id, undefined, key)).toMatchObject({ status: "canceled" })
    }).pipe(Effect.scoped)
  )

  it.live("that is refused leaves its key, though others have changed the payment since", () =>
    Effect.gen(function* () {
      const { actions, elsewhere, key, keys, other, payment_id, permit, stripe } = yield* waiting
      const accepted = elsewhere(other.submitOtp(permit, payment_id, "right"))
      stripe.will({ otp: "accepted", cancel: Effect.as(accepted, "refused" as const) })
      expect(Exit.isFailure(yield* Effect.exit(actions.cancel(permit, payment_id, undefined, key)))).toBe(true)
      expect(yield* keys.find(key)).toEqual(Option.none())
    }).pipe(Effect.scoped)
  )
})
