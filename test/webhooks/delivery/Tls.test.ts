/** Deliveries over TLS to a receiver on loopback, which the test's own network has at a public address. */
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { WebhookClient, WebhookNetwork, type Network } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { makeNames } from "../ssrf/FakeResolver.ts"
import { Dns } from "../../../src/webhooks/ssrf/Dns.ts"
import { type Identity, newAuthority } from "./Certificates.ts"
import { deliveriesTo, newEndpoint, newEvents, onMemory } from "./DeliveryFixtures.ts"
import { newReceiver, until } from "./Receiver.ts"

const HOST = "shop.example"
const ADDRESS = "93.184.216.34"

const authority = newAuthority("A test's authority")

const names = makeNames()
names.answer(HOST, [ADDRESS])

const reach = ({ address, family }: { readonly address: string; readonly family: 4 | 6 }) =>
  ({ address: address === ADDRESS ? "127.0.0.1" : address, family }) as const

const hooksIn = (network: Network) =>
  Layer.provideMerge(WebhookClient.layer, onMemory()).pipe(
    Layer.provide([Layer.succeed(WebhookNetwork, network), Layer.succeed(Dns, names)])
  )

/** One event to an endpoint with this identity, and what became of the first attempt. */
const attempt = (identity: Identity) =>
  Effect.gen(function* () {
    const receiver = yield* newReceiver(undefined, identity)
    const { org_id, webhook_id } = yield* newEndpoint(`https://${HOST}:${receiver.port}/hooks`)
    const [event] = yield* newEvents(org_id, 1)
    const worker = yield* Effect.fork(deliveryWorker)
    const [delivery] = yield* until(deliveriesTo(webhook_id), ([one]) => one?.attempts === 1)
    yield* Fiber.interrupt(worker)
    return { delivery, event, hooks: receiver.hooks }
  })

const options = { excludeTestServices: true, timeout: "30 seconds" } as const

layer(hooksIn({ authorities: [authority.cert], reach }), options)("A receiver with a certificate", (it) => {
  it.scoped("gets its delivery under its name", () =>
    Effect.gen(function* () {
      const { delivery, event, hooks } = yield* attempt(authority.issue(HOST))
      expect(delivery).toMatchObject({ status: "delivered", attempts: 1, last_status_code: 200, last_error: null })
      expect(hooks).toMatchObject([{ body: event!.payload, headers: { "webhook-id": event!.event_id } }])
      expect(hooks[0]?.headers.host).toMatch(HOST)
    })
  )

  const refused: ReadonlyArray<readonly [string, Identity, string]> = [
    ["of somebody else's authority", newAuthority("Nobody knows it").issue(HOST), "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["in another's name", authority.issue("bank.example"), "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has expired", authority.issue(HOST, new Date(Date.now() - 60_000)), "CERT_HAS_EXPIRED"]
  ]
  for (const [which, identity, code] of refused) {
    it.scoped(`gets nothing with one ${which}: that is a failed attempt`, () =>
      Effect.gen(function* () {
        const { delivery, hooks } = yield* attempt(identity)
        const last_error = `the connection failed (${code})`
        expect(delivery).toMatchObject({ status: "pending", attempts: 1, last_status_code: null, last_error })
        expect(hooks).toEqual([])
      })
    )
  }
})

layer(hooksIn({ reach }), options)("Without an authority of its own", (it) => {
  it.scoped("a certificate of no public authority is a failed attempt", () =>
    Effect.gen(function* () {
      const { delivery, hooks } = yield* attempt(authority.issue(HOST))
      expect(delivery).toMatchObject({ status: "pending", attempts: 1, last_status_code: null })
      expect(delivery?.last_error).toBe("the connection failed (UNABLE_TO_VERIFY_LEAF_SIGNATURE)")
      expect(hooks).toEqual([])
    })
  )
})
