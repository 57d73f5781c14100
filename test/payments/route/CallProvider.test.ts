/** Time limit of an order on its way: it ends before a lookup could prove that the provider never had it. */
import { expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, TestClock } from "effect"
import { AttemptId } from "../../../src/domain/Ids.ts"
import { Unknown } from "../../../src/domain/Outcome.ts"
import { absenceGrace, initiationBudget, sendWindow } from "../../../src/domain/policies/PaymentPolicies.ts"
import {
  CallProvider,
  FirstSendPermit,
  openSendWindow,
  type SentAtOnce
} from "../../../src/payments/route/CallProvider.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { movableClock } from "../support/PaymentServices.ts"
import { scripted } from "../support/ScriptedProvider.ts"

const attempt: SentAtOnce = {
  attempt_id: AttemptId.make("01900000-0000-7000-8000-000000000001"),
  leg: "payment",
  provider: "stripe",
  config_id: null,
  account: null,
  own_account: false,
  started_at: new Date(0),
  enquire_in: 45
}

it.effect("an order ends in time, however patient the settings are", () =>
  Effect.gen(function* () {
    const answer = yield* CallProvider
    const outcome = yield* Effect.fork(
      answer.send(scripted("stripe"), Effect.never, yield* openSendWindow, FirstSendPermit.made(attempt))
    )
    yield* TestClock.adjust(Duration.sum(initiationBudget, Duration.seconds(1)))
    expect(yield* Fiber.poll(outcome)).toMatchObject({ _tag: "Some", value: { value: { _tag: "Unknown" } } })
    const latest = Duration.sum(sendWindow, initiationBudget)
    expect(Duration.lessThan(latest, absenceGrace)).toBe(true)
  }).pipe(Effect.provide(CallProvider.layer.pipe(Layer.provide(testSettings({ PROVIDER_TIMEOUT: "10 minutes" })))))
)

it.live("an order is not sent again by a machine that slept before it did", () => {
  const clock = movableClock()
  const asleep = (wait: Duration.Duration) =>
    Effect.zipRight(
      clock.sleep(wait),
      Effect.sync(() => clock.move(Duration.minutes(10)))
    )
  return Effect.gen(function* () {
    const answer = yield* CallProvider
    let sent = 0
    const lost = Effect.sync(() => {
      sent += 1
      return new Unknown({ reason: "the connection was lost" })
    })
    const provider = { ...scripted("stripe"), honoursReference: Duration.minutes(2) }
    const outcome = yield* answer.send(provider, lost, yield* openSendWindow, FirstSendPermit.made(attempt))
    expect(outcome).toMatchObject({ _tag: "Unknown", reason: "the connection was lost" })
    expect(sent).toBe(1)
  }).pipe(
    Effect.withClock({ ...clock, sleep: asleep }),
    Effect.provide(CallProvider.layer.pipe(Layer.provide(testSettings())))
  )
})
