import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { eventTypes } from "../../../src/domain/EventTypes.ts"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { giveUpOn, webhookRow } from "../DeliveryRows.ts"
import {
  dataOf,
  get,
  type Hook,
  HOOKS,
  onHookServer,
  patch,
  PUBLIC,
  register,
  registered,
  remove
} from "../WebhookFixtures.ts"

const unknownId = "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77"

onHookServer("Webhook endpoints", (it) => {
  it.effect("are registered with every field, and their secret is shown this once", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* register(acme.key, { events: ["payment.*", "kyb.approved", "payment.*"], unknown: 1 })
      expect(answer.status).toBe(201)
      const { secret_key, ...hook } = yield* registered(acme.key, { events: ["payment.*", "kyb.approved"] })
      expect(hook).toEqual({
        webhook_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        org_id: acme.org_id,
        endpoint_url: PUBLIC,
        events: ["payment.*", "kyb.approved"],
        status: "active",
        disabled_reason: null,
        created_at: hook.updated_at,
        updated_at: expect.stringMatching(/Z$/)
      })
      expect(dataOf<Hook>(answer).events, "each pattern once").toEqual(["payment.*", "kyb.approved"])
      expect(secret_key).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(Buffer.from(secret_key.slice(6), "base64")).toHaveLength(32)
      const one = yield* get(acme.key, `${HOOKS}/${hook.webhook_id}`)
      expect(dataOf(one)).toEqual(hook)
      const list = yield* get(acme.key, HOOKS)
      expect(dataOf<ReadonlyArray<Hook>>(list)[0]).toEqual(hook)
      for (const { text } of [one, list]) {
        expect(text).not.toContain("whsec_")
        expect(text).not.toContain("secret")
      }
    })
  )

  it.effect("keep their secret sealed, each for itself alone", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const vault = yield* Vault
      const { secret_key, webhook_id } = yield* registered(acme.key)
      const other = yield* registered(acme.key)
      expect(other.secret_key).not.toBe(secret_key)
      const row = yield* webhookRow(webhook_id)
      const atRest = JSON.stringify(row)
      expect(atRest).not.toContain(secret_key)
      expect(atRest).not.toContain(secret_key.slice(6, 20))
      expect(atRest).not.toContain(Buffer.from(secret_key.slice(6), "base64").toString("hex"))
      expect(yield* vault.decrypt(row.secret_sealed, `webhook ${webhook_id}`)).toBe(secret_key)
      const elsewhere = yield* Effect.flip(vault.decrypt(row.secret_sealed, `webhook ${other.webhook_id}`))
      expect(elsewhere.reason).toBe("not-authentic")
    })
  )

  it.effect("may be several, listed newest first and page by page", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const made = yield* Effect.forEach([1, 2, 3, 4, 5], () => registered(globex.key))
      const ids: Array<string> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const query: string = cursor === "" ? "" : `&last_evaluated_key=${cursor}`
        const page = bodyOf(yield* get(globex.key, `${HOOKS}?limit=2${query}`)) as {
          readonly data: ReadonlyArray<Hook>
          readonly meta: Readonly<Record<string, unknown>>
          readonly last_evaluated_key: string | null
        }
        expect(page.meta).toMatchObject({ count: page.data.length, has_more: page.last_evaluated_key !== null })
        ids.push(...page.data.map((hook) => hook.webhook_id))
        cursor = page.last_evaluated_key
      }
      expect(ids).toEqual(made.map((hook) => hook.webhook_id).toReversed())
    })
  )

  it.effect("take every event type, every family and everything; all when nothing is said", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      expect((yield* registered(acme.key)).events).toEqual(["*"])
      const families = ["payment.*", "virtual_account.*", "kyb.*", "kyc.*", "transaction.*"]
      const all = [...eventTypes, ...families, "*"]
      expect((yield* registered(acme.key, { events: all })).events).toEqual(all)
    })
  )

  it.effect.each([
    [["payment.done"], "events[0]"],
    [["payment.completed", "payments.*"], "events[1]"],
    [["payment.*", "*", "*.completed"], "events[2]"],
    [["payment."], "events[0]"],
    [["Payment.completed"], "events[0]"],
    [[""], "events[0]"],
    [[7], "events[0]"],
    [[null], "events[0]"],
    [[], "events"],
    ["*", "events"],
    [null, "events"]
  ] as const)("refuse the events %j, naming %s", ([events, field]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { webhook_id } = yield* registered(acme.key)
      for (const answer of [yield* register(acme.key, { events }), yield* patch(acme.key, webhook_id, { events })]) {
        expect(answer.status).toBe(400)
        const { message } = bodyOf(answer) as { readonly message: string }
        expect(message.startsWith(`${field}: `), message).toBe(true)
      }
    })
  )

  it.effect("change only in what is sent", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { secret_key: _secret, ...hook } = yield* registered(acme.key)
      const changed = (body: Record<string, unknown>) =>
        Effect.map(patch(acme.key, hook.webhook_id, body), (answer) => {
          expect(answer.status, answer.text).toBe(200)
          return dataOf<Hook>(answer)
        })
      expect(yield* changed({})).toEqual(hook)
      const moved = { ...hook, endpoint_url: "http://127.0.0.1:8080/a", updated_at: expect.any(String) }
      expect(yield* changed({ endpoint_url: "http://127.0.0.1:8080/a" })).toEqual(moved)
      const filtered = { ...moved, events: ["kyc.*"] }
      expect(yield* changed({ events: ["kyc.*", "kyc.*"] })).toEqual(filtered)
      const disabled = { ...filtered, status: "disabled" }
      expect(yield* changed({ status: "disabled" })).toEqual(disabled)
      expect(dataOf(yield* get(acme.key, `${HOOKS}/${hook.webhook_id}`))).toEqual(disabled)
      for (const status of ["paused", "", null, 1]) {
        expect((yield* patch(acme.key, hook.webhook_id, { status })).status).toBe(400)
      }
    })
  )

  it.effect("are forgiven when they are activated again, and not before", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { webhook_id } = yield* registered(acme.key)
      const since = new Date("2026-03-01T00:00:00.000Z")
      yield* giveUpOn(webhook_id, since)
      const shown = dataOf<Hook>(yield* get(acme.key, `${HOOKS}/${webhook_id}`))
      expect(shown).toMatchObject({ status: "disabled", disabled_reason: "It failed for too long." })
      yield* patch(acme.key, webhook_id, { events: ["*"], endpoint_url: PUBLIC })
      expect(yield* webhookRow(webhook_id)).toMatchObject({ status: "disabled", failing_since: since })
      yield* patch(acme.key, webhook_id, { endpoint_url: `${PUBLIC}/2` })
      const elsewhere = { status: "disabled", disabled_reason: "It failed for too long.", failing_since: null }
      expect(yield* webhookRow(webhook_id), "another address has not failed yet").toMatchObject(elsewhere)
      yield* giveUpOn(webhook_id, since)
      const active = dataOf<Hook>(yield* patch(acme.key, webhook_id, { status: "active" }))
      expect(active).toMatchObject({ status: "active", disabled_reason: null })
      expect((yield* webhookRow(webhook_id)).failing_since).toBeNull()
    })
  )

  it.scoped("get at once what waited while they were disabled", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const announced: Array<string> = []
      yield* Effect.flatMap(WorkQueues, ({ attach }) => attach((queue) => announced.push(queue)))
      const { webhook_id } = yield* registered(acme.key)
      yield* patch(acme.key, webhook_id, { status: "disabled" })
      expect(announced).toEqual([])
      yield* patch(acme.key, webhook_id, { status: "active" })
      expect(announced, "no worker rests in this test").toEqual(["webhooks"])
    })
  )

  it.effect("are refused for an event that does not exist, with its name and where the events are listed", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { webhook_id } = yield* registered(acme.key)
      const listed = 'all types and patterns are in the API reference, /docs, at "Register a webhook endpoint".'
      const asked = [
        [["payment.completed", "payment.done"], `events[1]: "payment.done" is not an event type: ${listed}`],
        [["Payment.*"], `events[0]: "Payment.*" is not an event type: ${listed}`],
        [["4242 4242 4242 4242"], `events[0]: is not an event type: ${listed}`],
        [[`a${"b".repeat(5000)}`], `events[0]: is not an event type: ${listed}`],
        [[], "events: must name at least one event type; leave it out to receive all."]
      ] as const
      for (const [events, message] of asked) {
        for (const answer of [yield* register(acme.key, { events }), yield* patch(acme.key, webhook_id, { events })]) {
          expect([answer.status, bodyOf(answer)]).toEqual([400, { status: "error", message }])
        }
      }
    })
  )

  it.effect("are gone once they are deleted", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { webhook_id } = yield* registered(acme.key)
      const answer = yield* remove(acme.key, webhook_id)
      expect([answer.status, answer.text]).toEqual([204, ""])
      expect((yield* get(acme.key, `${HOOKS}/${webhook_id}`)).status).toBe(404)
      expect((yield* remove(acme.key, webhook_id)).status).toBe(404)
      const listed = dataOf<ReadonlyArray<Hook>>(yield* get(acme.key, `${HOOKS}?limit=100`))
      expect(listed.map((hook) => hook.webhook_id)).not.toContain(webhook_id)
    })
  )

  it.effect("answer alike for another organisation's id, a made-up one and no id at all", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const foreign = yield* registered(globex.key)
      const { secret_key: _secret, ...before } = foreign
      const asks = [
        (id: string) => get(acme.key, `${HOOKS}/${id}`),
        // The URL would be refused as well: whose endpoint it is counts first.
        (id: string) => patch(acme.key, id, { endpoint_url: "https://10.0.0.1/" }),
        (id: string) => remove(acme.key, id)
      ]
      for (const ask of asks) {
        const answers = yield* Effect.forEach([foreign.webhook_id, unknownId, "not-an-id", "%20"], ask)
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
          new Set([`404 {"status":"error","message":"No webhook with this id."}`])
        )
      }
      expect(dataOf(yield* get(globex.key, `${HOOKS}/${foreign.webhook_id}`))).toEqual(before)
    })
  )

  it.effect.each([{}, { endpoint_url: 7 }, { endpoint_url: null }, { endpoint_url: "" }])(
    "refuse to be registered with %j",
    (body) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const answer = yield* send(HOOKS, {
          method: "POST",
          headers: { "content-type": "application/json", ...acme.key },
          body: JSON.stringify(body)
        })
        expect(answer.status).toBe(400)
        expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringMatching(/^endpoint_url: /) })
      })
  )

  it.effect("make the platform's admin say for whom they are", () =>
    Effect.gen(function* () {
      const { admin, globex } = yield* people
      const nameless = yield* register(admin)
      expect([nameless.status, bodyOf(nameless)]).toEqual([
        400,
        { status: "error", message: expect.stringMatching(/^org_id: /) }
      ])
      expect((yield* registered(admin, { org_id: globex.org_id })).org_id).toBe(globex.org_id)
    })
  )

  it.effect("leave a trace of every change, and no secret in it", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { secret_key, webhook_id } = yield* registered(acme.key)
      yield* patch(acme.key, webhook_id, { status: "disabled" })
      yield* remove(acme.key, webhook_id)
      const { text } = yield* get(acme.key, "/v1/audit-log?limit=100")
      const entries = (JSON.parse(text) as { data: ReadonlyArray<{ action: string; subject_id: string }> }).data
      const actions = entries.filter((entry) => entry.subject_id === webhook_id).map((entry) => entry.action)
      expect(actions).toEqual(["webhook.deleted", "webhook.updated", "webhook.created"])
      expect(text).not.toContain(secret_key)
    })
  )
})
