import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { joined } from "../members/InvitationFixtures.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"

interface Page {
  readonly data: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly meta: Readonly<Record<string, unknown>>
  readonly last_evaluated_key: string | null
}

const list = (credential: Credential, query = "") => send(`/v1/users/list${query}`, { headers: { ...credential } })

onDatabaseServer("The list of users", (it) => {
  it.effect("shows staff and above the people of their organisation, and no secret of theirs", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      for (const credential of [acme.key, acme.token("org-admin"), acme.token("staff")]) {
        const answer = yield* list(credential, "?limit=100")
        expect(answer.status).toBe(200)
        const { data, meta } = bodyOf(answer) as Page
        expect(meta).toEqual({ count: data.length, has_more: false, last_evaluated_key: null })
        expect(data.find((user) => user["user_id"] === acme.userId("staff"))).toEqual({
          ...{ user_id: acme.userId("staff"), org_id: acme.org_id, email: "staff@acme.example", role: "staff" },
          ...{ country: "KE", created_at: expect.any(String), updated_at: expect.any(String) }
        })
        expect(answer.text).not.toContain(globex.userId("staff"))
      }
      expect((yield* list(acme.token("member"))).status).toBe(403)
      expect((yield* list(acme.key, `?org_id=${globex.org_id}`)).status).toBe(403)
    })
  )

  it.effect("comes newest first, page by page", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      yield* Effect.replicateEffect(joined(globex.org_id, "member"), 4)
      const whole = bodyOf(yield* list(globex.key, "?limit=100")) as Page
      const times = whole.data.map((user) => String(user["created_at"]))
      expect(times).toEqual(times.toSorted().toReversed())
      const seen: Array<unknown> = []
      let cursor: string | null = null
      do {
        const after: string = cursor === null ? "" : `&last_evaluated_key=${cursor}`
        const page = bodyOf(yield* list(globex.key, `?limit=3${after}`)) as Page
        expect(page.meta["last_evaluated_key"]).toBe(page.last_evaluated_key)
        seen.push(...page.data)
        cursor = page.last_evaluated_key
      } while (cursor !== null)
      expect(seen).toEqual(whole.data)
      const { acme } = yield* people
      const foreign = (bodyOf(yield* list(globex.key, "?limit=1")) as Page).last_evaluated_key
      expect((yield* list(acme.key, `?last_evaluated_key=${foreign}`)).status).toBe(400)
    })
  )

  it.effect("shows the platform's admin everybody, or the organisation they name", () =>
    Effect.gen(function* () {
      const { acme, admin, adminId, globex } = yield* people
      const ids = (page: Page) => page.data.map((user) => user["user_id"])
      const everybody = bodyOf(yield* list(admin, "?limit=100")) as Page
      expect(ids(everybody)).toEqual(expect.arrayContaining([adminId, acme.userId("staff"), globex.userId("staff")]))
      expect(everybody.data.find((user) => user["user_id"] === adminId)).toMatchObject({ org_id: null, role: null })
      const one = bodyOf(yield* list(admin, `?limit=100&org_id=${globex.org_id}`)) as Page
      expect(ids(one)).toContain(globex.userId("member"))
      expect(ids(one)).not.toContain(acme.userId("member"))
      expect((yield* list(admin, `?org_id=${nilUuid}`)).status).toBe(404)
    })
  )
})
