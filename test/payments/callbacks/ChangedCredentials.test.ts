/**
 * An account whose credentials were changed after a payment was sent may be another one by now: that it has no trace of the
 * payment proves nothing, and what it promises of a reference holds for none that it never had.
 */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Absent } from "../../../src/domain/Outcome.ts"
import { ResendPermit } from "../../../src/providers/port/ResendPermit.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { actable } from "../support/ActionCalls.ts"
import { newOwner } from "../support/NewPayment.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { isLost, scripted } from "../support/ScriptedProvider.ts"
import { ownersPermit, servicesIn, worldOn } from "../support/RestartableServices.ts"

const request = Schema.decodeUnknownSync(InitiatePayment)({ ...byCard(), country: "FR" }) as Payin

/** Status of a payment whose answer was lost, and of which its provider has no trace. */
const statusAfter = (knownSince: (sent: Date) => Date | undefined) =>
  Effect.gen(function* () {
    const world = yield* worldOn("memory")
    const base = Layer.merge(world.stores, Ids.layer)
    yield* serveCountry("FR", ["stripe"]).pipe(Effect.provide(base))
    const permit = yield* ownersPermit(yield* newOwner.pipe(Effect.provide(base)))
    const store = yield* Effect.provide(PaymentStore, world.stores)
    const stripe = actable("stripe")
    stripe.otherwise(isLost())
    const stopper = stopAtStep(-1, "the step fails")
    const { payment_id } = yield* Effect.flatMap(Initiation, ({ payin }) => payin(permit, request)).pipe(
      Effect.provide(servicesIn(world, stopper, [stripe]))
    )
    const [attempt] = yield* store.attemptsOf(payment_id)
    const since = knownSince(attempt!.started_at)
    const changed = { ...stripe, ...(since === undefined ? {} : { since }) }
    yield* timePasses(world.clock, "2 minutes").pipe(Effect.provide(world.stores))
    yield* Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(
      Effect.provide(servicesIn(world, stopper, [changed]))
    )
    return Option.getOrThrow(yield* store.find(Option.none(), payment_id)).status
  }).pipe(Effect.scoped)

const minutes = (from: Date, many: number) => new Date(from.getTime() + many * 60_000)

describe("an account whose credentials were changed", () => {
  it.live("proves nothing of what was sent before", () =>
    Effect.gen(function* () {
      expect(yield* statusAfter(() => undefined)).toBe("failed")
      expect(yield* statusAfter((sent) => minutes(sent, -1))).toBe("failed")
      expect(yield* statusAfter((sent) => minutes(sent, 1)), "it may be another account").toBe("pending")
    })
  )

  it("gives no leave to send again what was sent before", () => {
    const first = new Date("2026-01-01T12:00:00Z")
    const sent = { first, last: first, now: minutes(first, 2) }
    const leaves = (since: Date | undefined) => {
      const provider = { ...scripted("circle"), ...(since === undefined ? {} : { since }) }
      return [ResendPermit.honoured(provider, true, sent), ResendPermit.absent(provider, new Absent(), sent)].map(
        Option.isSome
      )
    }
    expect(leaves(undefined)).toEqual([true, true])
    expect(leaves(minutes(first, -1))).toEqual([true, true])
    expect(leaves(minutes(first, 1))).toEqual([false, false])
    expect(leaves(first)).toEqual([false, false])
  })

  it("remembers a reference from its first sending on, and is believed after its last", () => {
    const first = new Date("2026-01-01T12:00:00Z")
    const sent = (last: number, now: number) => ({ first, last: minutes(first, last), now: minutes(first, now) })
    const circle = scripted("circle", { provesAbsence: Duration.minutes(5) })
    const honoured = (last: number, now: number) =>
      Option.isSome(ResendPermit.honoured(circle, Duration.hours(1), sent(last, now)))
    const absent = (last: number, now: number) =>
      Option.isSome(ResendPermit.absent(circle, new Absent(), sent(last, now)))
    expect([honoured(0, 59), honoured(58, 59), honoured(58, 60)]).toEqual([true, true, false])
    expect([absent(0, 4), absent(0, 5), absent(2, 6), absent(2, 7)]).toEqual([false, true, false, true])
  })
})
