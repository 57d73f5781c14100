/** Allowed addresses of endpoints over the API; the rules themselves have their own tests. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { Webhooks } from "../../../src/webhooks/Webhooks.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf } from "../../support/Send.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { dataOf, get, type Hook, HOOKS, onHookServer, patch, register, registered } from "../WebhookFixtures.ts"

const live = {
  CORRIDOR_MODE: "live",
  CORRIDOR_MASTER_KEY: "0".repeat(64),
  JWT_JWKS_URL: "https://issuer.example/jwks.json",
  JWT_ISSUER: "https://issuer.example",
  JWT_AUDIENCE: "corridor",
  KYB_WEBHOOK_SECRET: "a secret of the test"
}

onHookServer("A sandbox's endpoints", (it, names) => {
  it.effect("are http on loopback, or https on the public internet", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      names.answer("localhost", ["127.0.0.1", "::1"])
      const taken = [
        "http://127.0.0.1:8080/hook",
        "http://127.44.0.1/",
        "http://[::1]:9000/",
        "http://localhost:3001/hook?x=1",
        "https://shop.example/",
        "https://shop.example:9443/",
        "https://8.8.8.8/"
      ]
      for (const endpoint_url of taken) {
        expect((yield* registered(acme.key, { endpoint_url })).endpoint_url, "as it was sent").toBe(endpoint_url)
      }
    })
  )

  it.effect("are nowhere else, when registered and when changed", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      names.answer("inside.example", ["10.1.2.3"])
      names.answer("mixed.example", ["93.184.216.34", "fd00:ec2::254"])
      const { webhook_id } = yield* registered(acme.key)
      const refused = [
        ["https://127.0.0.1/", "in sandbox mode it takes http://"],
        ["http://8.8.8.8/", "must start with https://"],
        ["http://shop.example/", "must start with https://"],
        ["http://169.254.169.254/", "must start with https://"],
        ["https://2852039166/", "is not on the public internet"],
        ["https://inside.example/", "is not on the public internet"],
        ["https://mixed.example/", "is not on the public internet"],
        ["http://nowhere.example/", "the name nowhere.example cannot be resolved"],
        ["https://me@shop.example/", "must not hold a user name or password"],
        ["https://shop.example/#x", "must not hold a fragment"]
      ] as const
      for (const [endpoint_url, reason] of refused) {
        for (const ask of [register(acme.key, { endpoint_url }), patch(acme.key, webhook_id, { endpoint_url })]) {
          const answer = yield* ask
          expect(answer.status, endpoint_url).toBe(400)
          const { message } = bodyOf(answer) as { readonly message: string }
          expect(message.startsWith(`endpoint_url: `), message).toBe(true)
          expect(message).toContain(reason)
        }
      }
      const kept = dataOf<Hook>(yield* get(acme.key, `${HOOKS}/${webhook_id}`))
      expect(kept.endpoint_url).toBe("https://shop.example/hook")
    })
  )

  it.effect("may have a name that cannot be resolved right now, for every connection looks it up again", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      names.answer("empty.example", [])
      for (const endpoint_url of ["https://nowhere.example/hook", "https://empty.example/"]) {
        const { webhook_id } = yield* registered(acme.key, { endpoint_url })
        expect((yield* patch(acme.key, webhook_id, { endpoint_url, status: "active" })).status).toBe(200)
        expect(dataOf<Hook>(yield* get(acme.key, `${HOOKS}/${webhook_id}`)).endpoint_url).toBe(endpoint_url)
      }
    })
  )

  it.effect("cannot come back once their name has moved inside", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      names.answer("moving.example", ["93.184.216.34"], ["127.0.0.1"])
      const endpoint_url = "https://moving.example/"
      const { webhook_id } = yield* registered(acme.key, { endpoint_url })
      expect((yield* patch(acme.key, webhook_id, { endpoint_url })).status).toBe(400)
      expect((yield* patch(acme.key, webhook_id, { status: "disabled" })).status, "other changes do not ask").toBe(200)
    })
  )
})

onHookServer(
  "A live service's endpoints",
  (it) => {
    it.effect("are https on the public internet, on the two usual ports", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        const webhooks = yield* Webhooks
        const permit = operatorPermit("webhooks", "the test", Option.some(org_id))
        const isTaken = (endpoint_url: string) => Effect.isSuccess(webhooks.create(permit, { endpoint_url }))
        const urls = [
          "https://shop.example/",
          "https://shop.example:8443/",
          "https://nowhere.example/",
          "https://nowhere.example:9443/",
          "https://shop.example:9443/",
          "http://shop.example/",
          "http://127.0.0.1:8080/",
          "http://localhost/",
          "https://127.0.0.1/",
          "https://[::1]/"
        ]
        expect(yield* Effect.filter(urls, isTaken)).toEqual(urls.slice(0, 3))
      })
    )
  },
  live
)
