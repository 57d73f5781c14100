/** Three instances on one PostgreSQL: changes are seen by all, and two may be killed. */
import { setTimeout as pause } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import { inject } from "vitest"
import type { Instance } from "../chaos/environment/ServerInstance.ts"
import { startEnvironment } from "../chaos/environment/Environment.ts"
import { byPhone } from "../payments/support/Requests.ts"

const LIMIT = 120

type Headers = Readonly<Record<string, string>>

const byKey = (key: string): Headers => ({ authorization: "NONE", "x-api-key": key })

const ask = async (one: Instance, path: string, headers: Headers, method = "GET", body?: object) => {
  const response = await fetch(`${one.url}/v1${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, json: text === "" ? {} : (JSON.parse(text) as Record<string, never>) }
}

/** Number of concurrent requests that are accepted. */
const letThrough = async (one: Instance, headers: Headers, count: number): Promise<number> => {
  const all = await Promise.all(Array.from({ length: count }, () => ask(one, "/users/me", headers)))
  return all.filter(({ status }) => status !== 429).length
}

const completed = async (one: Instance, headers: Headers, paymentId: string): Promise<boolean> => {
  for (let tries = 0; tries < 40; tries++) {
    const { json } = await ask(one, `/payments/${paymentId}`, headers)
    if ((json as { readonly status?: string }).status === "completed") return true
    // Counts this request too.
    await pause(1_500)
  }
  return false
}

describe("Three instances on one database", () => {
  it.scopedLive("share rate limits, see each other's changes at once, and continue when two are killed", () =>
    Effect.gen(function* () {
      const stage = yield* startEnvironment({
        instances: 3,
        bundle: inject("bundle"),
        wantsDisk: false,
        enquiryDelays: "2 seconds, 5 seconds",
        variables: { RATE_LIMIT_PER_MINUTE: `${LIMIT}` }
      })
      const [first, second, third] = stage.instances as [Instance, Instance, Instance]
      const [mine, others] = stage.credentials.orgs
      yield* Effect.promise(async () => {
        const began = performance.now()
        const spent = await Promise.all([first, second].map((one) => letThrough(one, byKey(others!.api_key), 50)))
        await pause(1_500)
        const last = await letThrough(third, byKey(others!.api_key), 100)
        const refilled = Math.ceil(((performance.now() - began) / 60_000) * LIMIT)
        expect(spent).toEqual([50, 50])
        expect(last, "what the first two have let through is spent").toBeLessThanOrEqual(LIMIT - 100 + refilled)

        const owner = byKey(mine!.api_key)
        const made = await ask(first, "/public/api-keys", owner, "POST", { name: "Short", role: "staff" })
        const { api_key, api_key_id } = made.json["data"] as unknown as { api_key: string; api_key_id: string }
        for (const one of [first, second, third]) {
          expect((await ask(one, "/beneficiaries", byKey(api_key))).status).toBe(200)
        }
        expect((await ask(second, `/public/api-keys/${api_key_id}`, owner, "DELETE")).status).toBe(204)
        for (const one of [first, second, third]) {
          expect((await ask(one, "/beneficiaries", byKey(api_key))).status, one.name).toBe(401)
        }
      })
      const owner = byKey(mine!.api_key)
      const paid = yield* Effect.promise(() =>
        Promise.all(
          [first, first, second, second, third].map(async (one) => {
            const { json } = await ask(one, "/payments-init/initiate", owner, "POST", byPhone())
            return (json["response"] as unknown as { readonly payment_id: string }).payment_id
          })
        )
      )
      yield* Effect.all([first.kill, second.kill], { concurrency: 2 })
      yield* Effect.promise(async () => {
        for (const id of paid) expect(await completed(third, owner, id)).toBe(true)
        const { json, status } = await ask(third, "/payments-init/initiate", owner, "POST", byPhone())
        expect(status).toBe(200)
        const { payment_id } = json["response"] as unknown as { readonly payment_id: string }
        expect(await completed(third, owner, payment_id)).toBe(true)
      })
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )
})
