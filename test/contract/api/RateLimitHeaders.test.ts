import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { formatApiKey } from "../../../src/domain/ApiKeyFormat.ts"
import { byKey, people } from "../../support/TestCredentials.ts"
import { type Answer, bodyOf, send } from "../../support/Send.ts"
import { onServer } from "../../support/TestServer.ts"
import { KEYS } from "./Keys.ts"

const expectTooMany = (answer: Answer) => {
  expect(answer.status).toBe(429)
  expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringContaining("Too many") })
  expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1)
  expect(Number(answer.headers["retry-after"])).toBeLessThanOrEqual(60)
}

/** Sends enough requests to empty a bucket that refills while the test runs, until the first refusal. */
const untilRefused = <R>(ask: Effect.Effect<Answer, Error, R>, most: number) =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    for (let passed = 0; passed < most; passed++) {
      const answer = yield* ask
      if (answer.status === 429) return { answer, passed, seconds: ((yield* Clock.currentTimeMillis) - started) / 1000 }
    }
    return yield* Effect.dieMessage(`${most} requests, and none was refused`)
  })

onServer("Rate limits of a credential", "memory", { variables: { RATE_LIMIT_PER_MINUTE: "3" } }, (it) => {
  it.effect("hold each credential to its own number", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const ask = (headers: Readonly<Record<string, string>>) => send(KEYS, { headers })
      for (const _ of [1, 2, 3]) expect((yield* ask({ ...acme.key })).status).toBe(200)
      expectTooMany(yield* ask({ ...acme.key }))
      expect((yield* ask({ ...globex.key })).status, "another key").toBe(200)
      for (const _ of [1, 2, 3]) expect((yield* ask({ ...acme.token("member") })).status, "a refusal counts").toBe(403)
      expectTooMany(yield* ask({ ...acme.token("member") }))
      expect((yield* ask({ ...acme.token("staff") })).status).toBe(403)
    })
  )
})

onServer("Rate limits of failed authentication", "memory", { variables: { RATE_LIMIT_PER_MINUTE: "6000" } }, (it) => {
  it.effect(
    "refuse an address after 120 failures in a minute, but no valid credential and no other key's failure",
    () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { answer, passed, seconds } = yield* untilRefused(send(KEYS), 1000)
        expect(passed).toBeGreaterThanOrEqual(120)
        expect(passed, "the bucket refills by two a second").toBeLessThan(122 + 2 * seconds)
        expectTooMany(answer)
        const revoked = byKey(formatApiKey("test", new Uint8Array(64).fill(7)))
        expect((yield* send(KEYS, { headers: { ...acme.key } })).status).toBe(200)
        expect((yield* send(KEYS, { headers: { ...acme.token("org-admin") } })).status).toBe(200)
        expect((yield* send(KEYS, { headers: { ...revoked } })).status, "somebody's revoked key").toBe(401)
      })
  )
})
