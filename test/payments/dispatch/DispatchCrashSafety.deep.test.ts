/** A dispatch is stopped at every step it has; afterwards money has moved at most once, and nothing is forgotten. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Schema } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { canMove, isFinal } from "../../../src/domain/PaymentStatus.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { Initiation, type Payin } from "../../../src/payments/initiate/Initiation.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { newOwner } from "../support/NewPayment.ts"
import { everything } from "../../support/ListPages.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { serveCountry } from "../support/PaymentServer.ts"
import { ownersPermit, servicesIn, type World, worldOn } from "../support/RestartableServices.ts"
import { byCard } from "../support/Requests.ts"
import { type StopKind, stopAtStep } from "../support/StopAtStep.ts"
import { accepts, type Act, declines, isLost, reports, scripted } from "../support/ScriptedProvider.ts"

/** Scripts of the two providers, and whether money has moved in the end without a crash. */
const scripts: Readonly<Record<string, { readonly first: Act; readonly second: Act; readonly end: string }>> = {
  "the first accepts": { first: accepts(), second: accepts(), end: "completed" },
  "the first declines, the second accepts": { first: declines(), second: accepts(), end: "completed" },
  "the first settles at once": { first: accepts({ state: "completed" }), second: accepts(), end: "completed" },
  "the answer of the first is lost": { first: isLost(), second: accepts(), end: "failed" },
  "both decline": { first: declines(), second: declines(), end: "failed" }
}

const decode = Schema.decodeUnknownSync(InitiatePayment)

/** One payment from the call to its end, with a killed process or a failed step somewhere on the way. */
const live = (world: World, country: string, script: string, at: number, kind: StopKind) =>
  Effect.gen(function* () {
    const { end, first, second } = scripts[script]!
    const description = `${script}, ${kind} at ${at}`
    const stripe = scripted("stripe")
    const adyen = scripted("adyen")
    stripe.on(description, first)
    adyen.on(description, second)
    const outside = [stripe, adyen]
    const owner = yield* newOwner.pipe(Effect.provide(Layer.merge(world.stores, Ids.layer)))
    const scope = Option.some(owner.org_id)
    const stopper = stopAtStep(at, kind)

    const permit = yield* ownersPermit(owner)
    const request = decode({ ...byCard(), country, description }) as Payin
    const answer = yield* Effect.flatMap(Initiation, ({ payin }) => payin(permit, request)).pipe(
      Effect.provide(servicesIn(world, stopper, outside)),
      Effect.exit
    )

    const store = yield* Effect.provide(PaymentStore, world.stores)
    const payments = yield* store.list(scope, {}, everything)
    const moved = () =>
      outside.flatMap((provider) => provider.orders.filter((order) => booked(provider, order.reference)))
    const booked = (provider: (typeof outside)[number], reference: string) => {
      const act = provider === stripe ? first : second
      return (
        !Effect.isEffect(act) && typeof act !== "function" && act._tag === "Accepted" && reached(provider, reference)
      )
    }
    const reached = (provider: (typeof outside)[number], reference: string) =>
      provider.orders.some((order) => order.reference === reference)

    if (payments.length === 0) {
      expect([stripe.orders, adyen.orders], "no provider is asked before the attempt is committed").toEqual([[], []])
      return { steps: stopper.steps, answer }
    }
    const [payment] = payments
    const { payment_id } = payment!
    const waiting = yield* store.attemptsOf(payment_id)
    const looksOn = waiting.some((attempt) => attempt.next_enquiry_at !== null)
    expect(looksOn || isFinal(payment!.status), "somebody will look after it").toBe(true)

    const asked = outside.map((provider) => provider.orders.length)
    // Completes what a provider accepted; an order that did not reach it is unknown there.
    for (const provider of outside) {
      for (const { reference } of provider.orders)
        if (booked(provider, reference)) provider.says(reference, reports("completed"))
    }
    const restarted = Effect.gen(function* () {
      const { runOnce } = yield* StatusPoller
      for (const wait of ["46 seconds", "31 seconds", "121 seconds"] as const) {
        yield* timePasses(world.clock, wait)
        yield* runOnce
      }
    })
    yield* restarted.pipe(Effect.provide(servicesIn(world, stopAtStep(-1, kind), outside)))

    expect(
      outside.map((provider) => provider.orders.length),
      "an orphan is looked up, never sent again"
    ).toEqual(asked)
    const references = outside.flatMap((provider) => provider.orders.map((order) => order.reference))
    expect(new Set(references).size, "each reference is sent once").toBe(references.length)
    expect(moved().length, "money moves at most once").toBeLessThanOrEqual(1)

    const after = Option.getOrThrow(yield* store.find(scope, payment_id))
    const attempts = yield* store.attemptsOf(payment_id)
    const live = attempts.filter((attempt) => attempt.outcome !== "declined")
    expect(live.length, "at most one attempt stands").toBeLessThanOrEqual(1)
    expect(attempts.filter((attempt) => attempt.outcome === "accepted").length).toBe(moved().length)
    expect(after.status, "it ends as the money did").toBe(moved().length === 1 ? "completed" : "failed")
    if (at === -1) expect(after.status).toBe(end)

    const { statusChanges: history } = yield* store.history(after)
    for (const [index, row] of history.slice(1).entries()) {
      expect(row.from_status).toBe(history[index]!.to_status)
      expect(canMove(row.from_status!, row.to_status)).toBe(true)
    }
    return { steps: stopper.steps, answer }
  })

const countries = ["FR", "DE", "IT", "ES", "PT"]

describe("a dispatch that is stopped", () => {
  it.live.each(Object.keys(scripts))("%s: whatever step it is stopped at", (script) =>
    Effect.gen(function* () {
      const world = yield* worldOn("PostgreSQL")
      const country = countries[Object.keys(scripts).indexOf(script)]!
      yield* serveCountry(country, ["stripe", "adyen"]).pipe(Effect.provide(Layer.merge(world.stores, Ids.layer)))
      const whole = yield* live(world, country, script, -1, "the step fails")
      expect(whole.steps.length).toBeGreaterThanOrEqual(6)
      expect(whole.steps.slice(0, 4)).toEqual([
        "before create",
        "after create",
        "before initiate at stripe",
        "after initiate at stripe"
      ])
      for (const kind of ["the process is killed", "the step fails"] as const) {
        for (const at of whole.steps.keys()) {
          const stopped = yield* live(world, country, script, at, kind)
          expect(stopped.steps.length, "the dispatch was stopped").toBeGreaterThan(at)
          if (kind === "the process is killed") expect(Exit.isFailure(stopped.answer)).toBe(true)
        }
      }
    }).pipe(Effect.scoped)
  )
})
