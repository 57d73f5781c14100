/** Saved views over HTTP: who may, what is refused, the limit, the audit log. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { MOST_VIEWS } from "../../../src/payments/views/SavedViews.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"

type View = { readonly view_id: string; readonly name: string; readonly filters: object }

const dataOf = (answer: { readonly text: string }) =>
  (bodyOf(answer as never) as { readonly data: unknown }).data as View & ReadonlyArray<View>

onDatabaseServer("Saved views", (it) => {
  it.effect("are shared in an organisation, and seen and changed by no other", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const filters = { status: "failed", direction: "outbound", search: "1,500.00 KES", from: "2026-03-02" }
      const made = yield* post("/v1/saved-views", { ...acme.key }, { name: " Failed payouts ", filters })
      expect(made.status, made.text).toBe(201)
      const { view_id } = dataOf(made)
      expect(dataOf(made)).toMatchObject({ name: "Failed payouts", filters })
      const list = (key: object) => Effect.map(send("/v1/saved-views", { headers: { ...key } }), dataOf)
      expect(
        (yield* list(acme.token("staff"))).map((view) => view.view_id),
        "a colleague"
      ).toContain(view_id)
      expect((yield* list(globex.key)).map((view) => view.view_id)).not.toContain(view_id)
      const change = (key: object, body: object) =>
        send(`/v1/saved-views/${view_id}`, {
          method: "PATCH",
          headers: { ...key, "content-type": "application/json" },
          body: JSON.stringify(body)
        })
      expect((yield* change(globex.key, { name: "Ours" })).status).toBe(404)
      const renamed = yield* change(acme.key, { name: "Payouts that failed" })
      expect(dataOf(renamed)).toMatchObject({ name: "Payouts that failed", filters })
      const again = yield* post("/v1/saved-views", { ...acme.key }, { name: "Payouts that failed", filters: {} })
      expect(again.status).toBe(409)
      expect(again.text).toContain("Payouts that failed")
      expect((yield* send(`/v1/saved-views/${view_id}`, { method: "DELETE", headers: { ...globex.key } })).status).toBe(
        404
      )
      expect((yield* send(`/v1/saved-views/${view_id}`, { method: "DELETE", headers: { ...acme.key } })).status).toBe(
        204
      )
      expect((yield* list(acme.key)).map((view) => view.view_id)).not.toContain(view_id)
      const audit = yield* send("/v1/audit-log?limit=50", { headers: { ...acme.token("org-admin") } })
      for (const action of ["saved_view.created", "saved_view.changed", "saved_view.deleted"]) {
        expect(audit.text).toContain(action)
      }
    })
  )

  it.effect("of one name at the same moment: one is renamed, the other refused", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const made = yield* Effect.forEach(["First", "Second"], (name) =>
        Effect.map(
          post("/v1/saved-views", { ...globex.key }, { name, filters: {} }),
          (answer) => dataOf(answer).view_id
        )
      )
      for (let round = 0; round < 10; round += 1) {
        const renamed = yield* Effect.forEach(
          made,
          (view_id) =>
            send(`/v1/saved-views/${view_id}`, {
              method: "PATCH",
              headers: { ...globex.key, "content-type": "application/json" },
              body: JSON.stringify({ name: `Round ${round}` })
            }),
          { concurrency: "unbounded" }
        )
        expect(renamed.map(({ status }) => status).toSorted()).toEqual([200, 409])
      }
    })
  )

  it.effect("refuse filters that the list has not, card numbers, and more than their limit", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const save = (body: object, key: object = acme.key) => post("/v1/saved-views", { ...key }, body)
      for (const [field, body] of [
        ["status", { name: "a", filters: { status: "gone" } }],
        ["from", { name: "a", filters: { from: "yesterday" } }],
        ["search", { name: "a", filters: { search: "4242 4242 4242 4242" } }],
        ["search", { name: "a", filters: { search: "x".repeat(300) } }],
        ["name", { name: "x".repeat(81), filters: {} }],
        ["name", { name: "  ", filters: {} }],
        ["filters", { name: "a" }],
        ["org_id", { name: "a", filters: {} }]
      ] as const) {
        const answer = yield* save(body, field === "org_id" ? admin : acme.key)
        expect(answer.status, `${field}: ${answer.text}`).toBe(400)
        expect(answer.text).toContain(field)
        expect(answer.text).not.toContain("4242 4242 4242")
      }
      const { length } = dataOf(yield* send("/v1/saved-views", { headers: { ...acme.key } }))
      for (let n = length; n < MOST_VIEWS; n++) yield* save({ name: `view ${n}`, filters: {} })
      const over = yield* save({ name: "one more", filters: {} })
      expect(over.status).toBe(409)
      expect(over.text).toContain(String(MOST_VIEWS))
    })
  )
})
