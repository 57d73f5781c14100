/** An organisation with hanging or unresolvable receivers does not delay another, over real sockets. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { webhookShare, webhookUnknownConcurrency } from "../../../src/domain/policies/WebhookPolicies.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { WebhookClient } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { Dns, makeDns } from "../../../src/webhooks/ssrf/Dns.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { newNameServer } from "../ssrf/NameServer.ts"
import { newEndpoint, newEndpointOf, newEvents, onPostgreSQL } from "./DeliveryFixtures.ts"
import { eventIds, hanging, newReceiver, untilTrue } from "./Receiver.ts"

const MANY = 200
const EVENTS = 50

/** Knows no name, and says nothing. */
const SilentNames = Layer.scoped(
  Dns,
  Effect.map(newNameServer(), ({ server }) => makeDns(new Map(), [server]))
)

/** Hangs far longer than the test. */
const services = WebhookClient.layer.pipe(
  Layer.provide(SilentNames),
  Layer.provideMerge(onPostgreSQL({ WEBHOOK_TIMEOUT: "10 minutes" }))
)

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("One tenant", (it) => {
  it.scoped("stops no other organisation's webhooks with endpoints that hang or cannot be resolved", () =>
    Effect.gen(function* () {
      const [silent, receiver] = [yield* newReceiver(hanging), yield* newReceiver()]
      const { org_id } = yield* newOrganization()
      const urls = Array.from({ length: MANY }, (_, nth) => [silent.url, `https://silent-${nth}.example/hook`]).flat()
      yield* Effect.forEach(urls, (url) => newEndpointOf(org_id, url), { concurrency: 8, discard: true })
      yield* newEvents(org_id, 5)
      yield* Effect.forkScoped(deliveryWorker)
      yield* untilTrue(() => silent.hooks.length > 0)
      const neighbour = yield* newEndpoint(receiver.url)
      const sent = yield* newEvents(neighbour.org_id, EVENTS)
      yield* untilTrue(() => receiver.hooks.length >= EVENTS)
      expect(eventIds(receiver.hooks).toSorted()).toEqual(sent.map(({ event_id }) => event_id).toSorted())
      expect(silent.hooks.length, "no more than its share").toBeLessThanOrEqual(
        webhookUnknownConcurrency / (webhookShare + 1)
      )
    })
  )
})
