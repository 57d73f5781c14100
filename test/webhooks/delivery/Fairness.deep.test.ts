/** Many that never answer, beside somebody who does, on the clock of the tests and with receivers that are a function. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Layer, TestClock } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { webhookConcurrency } from "../../../src/domain/policies/WebhookPolicies.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { WebhookClient, NotAnswered } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { newEndpoint, newEndpointOf, newEvents, onMemory } from "./DeliveryFixtures.ts"
import { running } from "./WorkerOnTestClock.ts"

const hangs = "http://127.0.0.1:1/hang"
const answers = "http://127.0.0.1:1/hooks"

/** Hangs for the whole ten seconds that a receiver may take. */
const makeReceivers = () => {
  const delivered: Array<{ readonly event_id: string; readonly org_id: string; readonly at: number }> = []
  const client = Layer.succeed(WebhookClient, {
    post: ({ body, url }) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        if (url === hangs) return Effect.delay(new NotAnswered({ message: "no answer within 10s" }), "10 seconds")
        const { event_id, org_id } = JSON.parse(body) as { readonly event_id: string; readonly org_id: string }
        delivered.push({ event_id, org_id, at })
        return Effect.succeed({ status: 200, text: "" })
      })
  })
  return { delivered, worker: Effect.provide(deliveryWorker, client) }
}

/** One event a second; answers with how many arrived within the second. */
const sendEachSecond = (org_id: OrgId, count: number, delivered: ReadonlyArray<{ readonly event_id: string }>) =>
  Effect.map(
    Effect.replicateEffect(
      Effect.gen(function* () {
        const [event] = yield* newEvents(org_id, 1)
        yield* TestClock.adjust("1 second")
        return delivered.some(({ event_id }) => event_id === event!.event_id)
      }),
      count
    ),
    (inTime) => inTime.filter((so) => so).length
  )

/** Its last delivery was answered, so it is known to this instance. */
const newNeighbour = (delivered: ReadonlyArray<{ readonly event_id: string }>) =>
  Effect.gen(function* () {
    const { org_id } = yield* newEndpoint(answers)
    expect(yield* sendEachSecond(org_id, 1, delivered)).toBe(1)
    return org_id
  })

/** Hundreds of organisations in maps take their time on a busy machine. */
describe("a neighbour", () => {
  it.effect("is served at once while two hundred endpoints of one organisation hang", () =>
    Effect.gen(function* () {
      const { delivered, worker } = makeReceivers()
      const { org_id } = yield* newOrganization()
      yield* Effect.replicateEffect(newEndpointOf(org_id, hangs), 200)
      yield* newEvents(org_id, 10)
      const neighbour = yield* newEndpoint(answers)
      yield* running(worker)
      yield* TestClock.adjust("1 second")
      expect(yield* sendEachSecond(neighbour.org_id, 15, delivered)).toBe(15)
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("is served at once though more organisations hang than there are slots", () =>
    Effect.gen(function* () {
      const { delivered, worker } = makeReceivers()
      yield* running(worker)
      const neighbour = yield* newNeighbour(delivered)
      const bad = yield* Effect.replicateEffect(newEndpoint(hangs), webhookConcurrency + 50)
      yield* Effect.forEach(bad, ({ org_id }) => newEvents(org_id, 3), { discard: true })
      expect(yield* sendEachSecond(neighbour, 15, delivered)).toBe(15)
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("is delivered to within one timeout when it is new, and then at once", () =>
    Effect.gen(function* () {
      const { delivered, worker } = makeReceivers()
      const bad = yield* Effect.replicateEffect(newEndpoint(hangs), webhookConcurrency + 50)
      yield* Effect.forEach(bad, ({ org_id }) => newEvents(org_id, 3), { discard: true })
      yield* running(worker)
      yield* TestClock.adjust("1 second")
      const neighbour = yield* newEndpoint(answers)
      yield* newEvents(neighbour.org_id, 1)
      yield* TestClock.adjust("11 seconds")
      expect(delivered).toHaveLength(1)
      expect(yield* sendEachSecond(neighbour.org_id, 5, delivered)).toBe(5)
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("is served at once beside a backlog that is taken as fast as it can be", () =>
    Effect.gen(function* () {
      const { delivered, worker } = makeReceivers()
      const { org_id } = yield* newOrganization()
      yield* Effect.replicateEffect(newEndpointOf(org_id, answers), 5)
      yield* newEvents(org_id, 400)
      const neighbour = yield* newEndpoint(answers)
      yield* newEvents(neighbour.org_id, 20)
      yield* running(worker)
      yield* TestClock.adjust("300 millis")
      const firstOnes = delivered.slice(0, 200).filter((hook) => hook.org_id === neighbour.org_id)
      expect(firstOnes.length, "among the first of two thousand").toBe(20)
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )

  it.effect("of the same organisation is served too, while its own siblings hang", () =>
    Effect.gen(function* () {
      const { delivered, worker } = makeReceivers()
      const { org_id } = yield* newOrganization()
      yield* Effect.replicateEffect(newEndpointOf(org_id, hangs), 40)
      yield* newEndpointOf(org_id, answers)
      yield* newEvents(org_id, 1)
      yield* running(worker)
      yield* TestClock.adjust("15 seconds")
      expect(yield* sendEachSecond(org_id, 20, delivered), "once they are known to fail").toBeGreaterThanOrEqual(16)
    }).pipe(Effect.scoped, Effect.provide(onMemory()))
  )
})
