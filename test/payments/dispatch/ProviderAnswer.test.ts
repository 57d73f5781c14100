/** How long an order may be on its way: never until somebody may believe that its provider never had it. */
import { expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, TestClock } from "effect"
import { absenceGrace, initiationBudget, sendWindow } from "../../../src/domain/Policies.ts"
import { ProviderAnswer } from "../../../src/payments/dispatch/ProviderAnswer.ts"
import { openSendWindow } from "../../../src/payments/route/SendWindow.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { scripted } from "../support/ScriptedProvider.ts"

it.effect("an order ends in time, however patient the settings are", () =>
  Effect.gen(function* () {
    const answer = yield* ProviderAnswer
    const outcome = yield* Effect.fork(answer.outcome(scripted("stripe"), Effect.never, yield* openSendWindow))
    yield* TestClock.adjust(Duration.sum(initiationBudget, Duration.seconds(1)))
    expect(yield* Fiber.poll(outcome)).toMatchObject({ _tag: "Some", value: { value: { _tag: "Unknown" } } })
    const latest = Duration.sum(sendWindow, initiationBudget)
    expect(Duration.lessThan(latest, absenceGrace)).toBe(true)
  }).pipe(Effect.provide(ProviderAnswer.layer.pipe(Layer.provide(testSettings({ PROVIDER_TIMEOUT: "10 minutes" })))))
)
