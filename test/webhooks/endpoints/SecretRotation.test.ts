import { expect } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf } from "../../support/Send.ts"
import { webhookRow } from "../DeliveryRows.ts"
import { dataOf, type FreshHook, onHookServer, registered, rotate } from "../WebhookFixtures.ts"

/** The secrets as the delivery side will find them. */
const secretsOf = (webhook_id: string) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    const { previous_secret_sealed, previous_secret_until, secret_sealed, updated_at } = yield* webhookRow(webhook_id)
    const open = (sealed: string) => vault.decrypt(sealed, `webhook ${webhook_id}`)
    return {
      current: yield* open(secret_sealed),
      previous: previous_secret_sealed === null ? null : yield* open(previous_secret_sealed),
      overlap: Option.map(Option.fromNullable(previous_secret_until), (until) =>
        Duration.millis(until.getTime() - updated_at.getTime())
      )
    }
  })

onHookServer("An endpoint's signing secret", (it) => {
  it.effect("is replaced, and the old one kept for a day", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { secret_key: first, ...hook } = yield* registered(acme.key)
      expect(yield* secretsOf(hook.webhook_id)).toEqual({ current: first, previous: null, overlap: Option.none() })
      const answer = yield* rotate(acme.key, hook.webhook_id)
      expect(answer.status).toBe(200)
      const { secret_key: second, ...rest } = dataOf<FreshHook>(answer)
      expect(rest).toEqual({ ...hook, updated_at: expect.any(String) })
      expect(second).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(second).not.toBe(first)
      expect(yield* secretsOf(hook.webhook_id)).toEqual({
        current: second,
        previous: first,
        overlap: Option.some(Duration.hours(24))
      })
    })
  )

  it.effect("leaves the newest of the old ones when it is rotated again within the day", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { webhook_id } = yield* registered(acme.key)
      const second = dataOf<FreshHook>(yield* rotate(acme.key, webhook_id)).secret_key
      const third = dataOf<FreshHook>(yield* rotate(acme.key, webhook_id, { immediate: false })).secret_key
      expect(yield* secretsOf(webhook_id)).toEqual({
        current: third,
        previous: second,
        overlap: Option.some(Duration.hours(24))
      })
    })
  )

  it.effect("counts alone from now on when it is rotated immediately", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { webhook_id } = yield* registered(acme.key)
      yield* rotate(acme.key, webhook_id)
      const { secret_key } = dataOf<FreshHook>(yield* rotate(acme.key, webhook_id, { immediate: true }))
      expect(yield* secretsOf(webhook_id)).toEqual({ current: secret_key, previous: null, overlap: Option.none() })
    })
  )

  it.effect("ends as one of those that were handed out, however many ask at the same moment", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { webhook_id } = yield* registered(acme.key)
      const answers = yield* Effect.replicateEffect(rotate(acme.key, webhook_id), 6, { concurrency: "unbounded" })
      const handedOut = answers.map((answer) => dataOf<FreshHook>(answer).secret_key)
      expect(new Set(handedOut).size).toBe(6)
      const { current, previous } = yield* secretsOf(webhook_id)
      expect(handedOut).toContain(current)
      expect(handedOut).toContain(previous)
      expect(previous).not.toBe(current)
    })
  )

  it.effect("is refused for other organisations, and `immediate` is true or false", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { secret_key, webhook_id } = yield* registered(globex.key)
      expect((yield* rotate(acme.key, webhook_id)).status).toBe(404)
      for (const immediate of ["true", 1, null]) {
        const answer = yield* rotate(globex.key, webhook_id, { immediate })
        expect(answer.status).toBe(400)
        expect(bodyOf(answer)).toMatchObject({ message: expect.stringMatching(/^immediate: /) })
      }
      expect((yield* secretsOf(webhook_id)).current).toBe(secret_key)
    })
  )
})
