/** One-time passwords at several instances at once: what is counted of them is counted for all. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Option, Schedule } from "effect"
import { Actions } from "../../../src/payments/actions/Actions.ts"
import { inOneHour } from "../../support/OneHour.ts"
import { backends } from "../../support/OnBothStores.ts"
import { cardPayer } from "../support/CardPayer.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { servicesIn } from "../support/RestartableServices.ts"

const INSTANCES = 3

const tags = (exits: ReadonlyArray<Exit.Exit<unknown, { readonly _tag: string }>>): ReadonlyArray<string> =>
  exits
    .map(
      Exit.match({
        onFailure: (cause) => (cause._tag === "Fail" ? cause.error._tag : "broke"),
        onSuccess: () => "done"
      })
    )
    .toSorted()

describe.each(backends)("one-time passwords at several instances, on %s", (backend) => {
  const waiting = Effect.gen(function* () {
    const { pay, permit, store, stripe, world } = yield* cardPayer(backend)
    stripe.otherwise(accepts({ state: "pending", nextAction: "collect_otp" }))
    const { payment_id } = yield* pay
    const instances = yield* Effect.replicateEffect(
      Effect.map(Layer.build(servicesIn(world, stopAtStep(-1, "the step fails"), [stripe])), Context.get(Actions)),
      INSTANCES
    )
    const record = Effect.map(store.find(Option.none(), payment_id), Option.getOrThrow)
    return { stripe, payment_id, permit, instances, record }
  })

  it.live("are guessed at no more often than at one, however many guess at once", () =>
    Effect.gen(function* () {
      const { instances, payment_id, permit, record, stripe } = yield* waiting
      stripe.will({ otp: "wrong" })
      for (let n = 1; n <= 4; n++) yield* Effect.exit(instances[0]!.submitOtp(permit, payment_id, `${n}`))
      expect((yield* record).status).toBe("pending")
      // None is judged before each of the others has come to the provider too, or been refused.
      const together = yield* Deferred.make<void>()
      let ended = 0
      stripe.will({ otp: Effect.as(Deferred.await(together), "wrong" as const) })
      const guesses = yield* Effect.fork(
        Effect.forEach(
          instances,
          ({ submitOtp }, n) =>
            Effect.exit(submitOtp(permit, payment_id, `last ${n}`)).pipe(Effect.tap(() => void (ended += 1))),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.sync(() => stripe.passwords.length - 4 + ended).pipe(
        Effect.repeat({ until: (come) => come === INSTANCES, schedule: Schedule.spaced("5 millis") })
      )
      yield* Deferred.succeed(together, undefined)
      expect(tags(yield* guesses)).toEqual(["Conflict", "Conflict", "OtpInvalid"])
      expect(stripe.passwords).toHaveLength(5)
      expect(yield* record).toMatchObject({ status: "failed", otp_failures: 5 })
    }).pipe(Effect.scoped)
  )

  it.live("that got no verdict, or were right, are not counted", () =>
    Effect.gen(function* () {
      const { instances, payment_id, permit, record, stripe } = yield* waiting
      const [one, other] = [instances[0]!, instances[1]!]
      stripe.will({ otp: "unknown" })
      for (let n = 1; n <= 6; n++) yield* one.submitOtp(permit, payment_id, `${n}`)
      stripe.will({ otp: "not_expected" })
      expect(tags([yield* Effect.exit(other.submitOtp(permit, payment_id, "7"))])).toEqual(["Conflict"])
      expect(yield* record).toMatchObject({ status: "pending", otp_failures: 0 })
      stripe.will({ otp: "accepted" })
      yield* other.submitOtp(permit, payment_id, "8")
      expect(yield* record).toMatchObject({ status: "processing", otp_failures: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("are sent again five times an hour, whichever instance is asked", () =>
    Effect.gen(function* () {
      const { instances, payment_id, permit, stripe } = yield* waiting
      stripe.will({ resend: true })
      const asked = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => instances[n % INSTANCES]!),
        ({ resendOtp }) => Effect.exit(resendOtp(permit, payment_id)),
        { concurrency: "unbounded" }
      )
      expect(tags(asked).filter((tag) => tag === "done")).toHaveLength(5)
      expect(tags(asked).filter((tag) => tag === "RateLimited")).toHaveLength(7)
      expect(stripe.resent()).toBe(5)
    }).pipe(Effect.scoped, inOneHour)
  )
})
