import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { createKey } from "../../contract/api/Keys.ts"
import { byKey, type Cast, type Credential, people } from "../../support/TestCredentials.ts"
import {
  deliveries,
  get,
  HOOKS,
  notify,
  onHookServer,
  patch,
  register,
  registered,
  remove,
  replay,
  rotate
} from "../WebhookFixtures.ts"

const statuses = (org: Cast, credential: Credential) =>
  Effect.gen(function* () {
    const { webhook_id } = yield* registered(org.key)
    yield* notify(org.key, org.org_id)
    const [delivery] = yield* deliveries(org.key, `&webhook_id=${webhook_id}`)
    const of = <E, R>(call: Effect.Effect<{ readonly status: number }, E, R>) =>
      Effect.map(call, ({ status }) => status)
    return {
      reads: yield* Effect.all([of(get(credential, HOOKS)), of(get(credential, `${HOOKS}/${webhook_id}`))]),
      log: yield* Effect.all([of(get(credential, `${HOOKS}/deliveries`)), of(get(credential, "/v1/public/events"))]),
      writes: yield* Effect.all([
        of(register(credential)),
        of(patch(credential, webhook_id, { status: "active" })),
        of(rotate(credential, webhook_id)),
        of(notify(credential, org.org_id)),
        of(replay(credential, delivery!.delivery_id)),
        of(remove(credential, webhook_id))
      ])
    }
  })

const refused = [403, 403, 403, 403, 403, 403]
const done = [201, 200, 200, 200, 200, 204]

onHookServer("Roles at webhooks", (it) => {
  it.effect("let anyone read endpoints, staff the log, and org-admins do the rest", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const keys = yield* Effect.forEach(["member", "staff"] as const, (role) => createKey(acme.key, { role }))
      const [memberKey, staffKey] = keys.map((key) => byKey(key.api_key)) as [Credential, Credential]
      for (const member of [acme.token("member"), memberKey]) {
        expect(yield* statuses(acme, member)).toEqual({ reads: [200, 200], log: [403, 403], writes: refused })
      }
      for (const staff of [acme.token("staff"), staffKey]) {
        expect(yield* statuses(acme, staff)).toEqual({ reads: [200, 200], log: [200, 200], writes: refused })
      }
      for (const admin of [acme.token("org-admin"), acme.key]) {
        expect(yield* statuses(acme, admin)).toEqual({ reads: [200, 200], log: [200, 200], writes: done })
      }
    })
  )

  it.effect("open to members with the permission webhooks", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const users = yield* UserStore
      yield* users.grant(globex.org_id, globex.userId("member"), "webhooks", "the test")
      const member = globex.token("member")
      expect(yield* statuses(globex, member)).toEqual({ reads: [200, 200], log: [200, 200], writes: done })
    })
  )
})
