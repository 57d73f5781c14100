import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf } from "../../support/Send.ts"
import { dataOf, get, type Hook, HOOKS, onHookServer, patch, register, registered, remove } from "../WebhookFixtures.ts"

const MOST = 3

onHookServer(
  "The number of an organisation's endpoints",
  (it) => {
    it.effect("is limited for concurrent requests, and another organisation has its own", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const answers = yield* Effect.all(
          Array.from({ length: 12 }, () => register(acme.key)),
          { concurrency: "unbounded" }
        )
        const taken = answers.filter(({ status }) => status === 201)
        expect(taken).toHaveLength(MOST)
        for (const answer of answers.filter(({ status }) => status !== 201)) {
          expect(answer.status, answer.text).toBe(409)
          expect(bodyOf(answer)).toMatchObject({ status: "error", message: expect.stringContaining("limit of 3") })
        }
        expect(dataOf<ReadonlyArray<Hook>>(yield* get(acme.key, HOOKS))).toHaveLength(MOST)
        yield* registered(globex.key)

        const [first, second] = taken.map((answer) => dataOf<Hook>(answer))
        expect((yield* patch(acme.key, first!.webhook_id, { status: "disabled" })).status).toBe(200)
        expect((yield* register(acme.key)).status, "a disabled one counts").toBe(409)
        expect((yield* remove(acme.key, second!.webhook_id)).status).toBe(204)
        yield* registered(acme.key)
        expect((yield* register(acme.key)).status).toBe(409)
      })
    )
  },
  { WEBHOOK_ENDPOINTS_PER_ORG: String(MOST) }
)
