import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { EventStore } from "../../../src/webhooks/EventStore.ts"
import { initiate } from "../../payments/support/PaymentCalls.ts"
import { byPhone } from "../../payments/support/Requests.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { type Answer, bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { idFrom } from "../../support/AnyId.ts"

type Fields = Readonly<Record<string, unknown>>

interface Page {
  readonly data: ReadonlyArray<Fields>
  readonly meta: Fields
  readonly lastEvaluatedKey: string | null
}

const ROOT = "/v1/organizations"

const ask = (method: string, path: string, credential: Credential, body?: unknown) =>
  send(path, {
    method,
    headers: { ...credential, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const read = (credential: Credential, org_id: string) => ask("GET", `${ROOT}/${org_id}`, credential)

const patch = (credential: Credential, org_id: string, body: unknown) =>
  ask("PATCH", `${ROOT}/${org_id}`, credential, body)

const messageOf = (answer: Answer) => (bodyOf(answer) as { readonly message: string }).message
const dataOf = (answer: Answer) => (bodyOf(answer) as { readonly data: Fields }).data

const kilimo = { name: " Kilimo ", country: "KE", currency: "KES", email: "ops@kilimo.example" }

const create = (about: Fields = {}) =>
  Effect.gen(function* () {
    const { admin } = yield* people
    const answer = yield* ask("POST", ROOT, admin, { ...kilimo, ...about })
    expect(answer.status, answer.text).toBe(201)
    const data = dataOf(answer)
    return { ...data, org_id: idFrom(data["org_id"]) }
  })

const changesOf = (credential: Credential, org_id: string) =>
  Effect.map(ask("GET", `/v1/audit-log?org_id=${org_id}&action=organization.updated`, credential), (answer) =>
    (bodyOf(answer) as Page).data.map(({ detail }) => detail)
  )

const fields = [
  ...["org_id", "name", "country", "currency", "email", "kyb_status", "kyb_customer_id", "features"],
  ...["review_threshold", "created_at", "updated_at"]
]

onDatabaseServer("Organisations", (it) => {
  it.effect("are read by every credential of their own, with every field", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const credential of [acme.key, acme.token("org-admin"), acme.token("staff"), acme.token("member")]) {
        const answer = yield* read(credential, acme.org_id)
        expect(answer.status).toBe(200)
        const data = dataOf(answer)
        expect(Object.keys(data).toSorted()).toEqual(fields.toSorted())
        expect(data).toMatchObject({
          ...{ org_id: acme.org_id, country: "KE", currency: "KES", kyb_customer_id: null },
          ...{ features: ["escrow"], review_threshold: null }
        })
      }
      expect((yield* read(acme.key, acme.org_id.toUpperCase())).status).toBe(200)
    })
  )

  it.effect("of others are 403, known or not; for an admin an unknown one is 404", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      for (const id of [globex.org_id, nilUuid, "nonsense"]) {
        for (const credential of [acme.key, acme.token("member")]) {
          expect((yield* read(credential, id)).status, id).toBe(403)
          expect((yield* patch(credential, id, { name: "Mine" })).status, id).toBe(403)
        }
      }
      for (const id of [nilUuid, "nonsense"]) {
        const answer = yield* read(admin, id)
        expect([answer.status, messageOf(answer)]).toEqual([404, expect.stringContaining("organisation")])
        expect((yield* patch(admin, id, {})).status).toBe(404)
      }
      expect(dataOf(yield* read(admin, globex.org_id))).toMatchObject({ org_id: globex.org_id, spread_bps: 0 })
    })
  )

  it.effect("are made and listed by platform admins alone", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const made = yield* create({ features: ["escrow", "escrow"] })
      expect(made).toMatchObject({
        ...{ name: "Kilimo", country: "KE", currency: "KES", email: "ops@kilimo.example", features: ["escrow"] },
        ...{ kyb_status: "not_started", kyb_customer_id: null, review_threshold: null, spread_bps: 0 }
      })
      const plain = yield* create()
      expect(plain).toMatchObject({ features: [] })
      const listed = bodyOf(yield* ask("GET", `${ROOT}?limit=100`, admin)) as Page
      expect(listed.data).toContainEqual(made)
      expect(listed.data.map((row) => row["org_id"])).toContain(acme.org_id)
      for (const credential of [acme.key, acme.token("org-admin")]) {
        expect((yield* ask("GET", ROOT, credential)).status).toBe(403)
        expect((yield* ask("POST", ROOT, credential, kilimo)).status).toBe(403)
      }
    })
  )

  it.effect("are listed page by page under lastEvaluatedKey", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      yield* Effect.replicateEffect(create(), 3)
      const whole = bodyOf(yield* ask("GET", `${ROOT}?limit=100`, admin)) as Page
      expect(whole).toMatchObject({ meta: { has_more: false, lastEvaluatedKey: null }, lastEvaluatedKey: null })
      const seen: Array<unknown> = []
      let cursor: string | null = null
      do {
        const query: string = cursor === null ? "" : `&lastEvaluatedKey=${cursor}`
        const page = bodyOf(yield* ask("GET", `${ROOT}?limit=2${query}`, admin)) as Page
        expect(page.meta).toEqual({
          ...{ count: page.data.length, has_more: page.lastEvaluatedKey !== null },
          lastEvaluatedKey: page.lastEvaluatedKey
        })
        seen.push(...page.data)
        cursor = page.lastEvaluatedKey
      } while (cursor !== null)
      expect(seen).toEqual(whole.data)
      const wrong = yield* ask("GET", `${ROOT}?lastEvaluatedKey=nonsense`, admin)
      expect([wrong.status, messageOf(wrong)]).toEqual([400, expect.stringMatching(/^lastEvaluatedKey: /)])
    })
  )

  it.effect("are changed by their org-admins in name, address and country, with an audit row", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const before = dataOf(yield* read(globex.key, globex.org_id))
      const change = { name: "Globex Two", email: "two@globex.example", country: "GH" }
      for (const credential of [globex.key, globex.token("org-admin")]) {
        const answer = yield* patch(credential, globex.org_id, change)
        expect(answer.status, answer.text).toBe(200)
        expect(dataOf(answer)).toEqual({ ...before, ...change, updated_at: expect.any(String) })
      }
      expect(dataOf(yield* read(globex.key, globex.org_id))).toMatchObject(change)
      const { country, email, name } = before
      const rows = yield* changesOf(globex.key, globex.org_id)
      expect(rows, "the second time changed nothing").toEqual([{ old: { name, email, country }, new: change }])
      expect((yield* patch(globex.key, globex.org_id, {})).status).toBe(200)
      for (const role of ["staff", "member"] as const) {
        expect((yield* patch(globex.token(role), globex.org_id, change)).status, role).toBe(403)
      }
    })
  )

  it.effect("refuse their own org-admin every other field, naming it, and change nothing", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const before = yield* read(acme.key, acme.org_id)
      const refused = {
        ...{ features: [], review_threshold: 10.5, kyb_status: "approved", spread_bps: 0, currency: "USD" }
      }
      for (const [field, value] of Object.entries(refused)) {
        const answer = yield* patch(acme.token("org-admin"), acme.org_id, { name: "Changed", [field]: value })
        expect([answer.status, messageOf(answer)]).toEqual([403, expect.stringMatching(new RegExp(`^${field}: `))])
      }
      expect((yield* read(acme.key, acme.org_id)).text).toBe(before.text)
    })
  )

  it.effect("take an admin's fields; a threshold is money of their currency, and 0 is none", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      const { org_id } = yield* create()
      const all = { features: ["escrow"], review_threshold: 50000, kyb_status: "pending", spread_bps: 30 }
      const answer = yield* patch(admin, org_id, all)
      expect(answer.status, answer.text).toBe(200)
      expect(dataOf(answer)).toMatchObject(all)
      expect(answer.text).toContain('"review_threshold":50000.00,')
      expect((yield* patch(admin, org_id, { review_threshold: 0.1 })).text).toContain('"review_threshold":0.10,')
      for (const off of [0, null]) {
        expect(dataOf(yield* patch(admin, org_id, { review_threshold: off }))["review_threshold"]).toBeNull()
        yield* patch(admin, org_id, { review_threshold: 7.25 })
      }
      const yen = yield* create({ country: "JP", currency: "JPY" })
      expect((yield* patch(admin, yen.org_id, { review_threshold: 900 })).text).toContain('"review_threshold":900.0,')
    })
  )

  it.effect("name what is wrong with a change", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      const { org_id } = yield* create()
      const cases: ReadonlyArray<readonly [Fields, RegExp]> = [
        [{ review_threshold: 0.001 }, /^review_threshold: has more than 2 fraction digits/],
        [{ review_threshold: -1 }, /^review_threshold: /],
        [{ review_threshold: "100" }, /^review_threshold: /],
        [{ review_threshold: 1234567890123456 }, /^review_threshold: /],
        [{ spread_bps: 10000 }, /^spread_bps: is not a whole number from 0 to 9999/],
        [{ spread_bps: 1.5 }, /^spread_bps: /],
        [{ kyb_status: "maybe" }, /^kyb_status: is not one of not_started, pending, approved, rejected/],
        [{ features: ["x"] }, /^features\[0\]: is not a feature: use escrow/],
        [{ features: "escrow" }, /^features: /],
        [{ name: "  " }, /^name: is not a name of 1 to 200 characters/],
        [{ name: null }, /^name: /],
        [{ email: "ada@localhost" }, /^email: is not an e-mail address/],
        [{ country: "ke" }, /^country: /],
        [{ currency: "USD" }, /^currency: cannot be changed/]
      ]
      for (const [change, expected] of cases) {
        const answer = yield* patch(admin, org_id, change)
        expect([answer.status, messageOf(answer)], JSON.stringify(change)).toEqual([
          400,
          expect.stringMatching(expected)
        ])
      }
      expect((yield* patch(admin, org_id, { currency: "KES" })).status, "the same").toBe(200)
      for (const [field] of Object.entries(kilimo)) {
        const answer = yield* ask("POST", ROOT, admin, { ...kilimo, [field]: undefined })
        expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringMatching(new RegExp(`^${field}: `))])
      }
    })
  )

  it.effect("hold payments from their threshold on, from the next one", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const status = Effect.map(initiate(byPhone()), ({ response }) => response["status"])
      expect(yield* status).not.toBe("initiated")
      yield* patch(admin, acme.org_id, { review_threshold: 1500 })
      expect(yield* status, "1,500 reaches 1,500").toBe("initiated")
      yield* patch(admin, acme.org_id, { review_threshold: 1500.01 })
      expect(yield* status).not.toBe("initiated")
      yield* patch(admin, acme.org_id, { review_threshold: null })
    })
  )

  it.effect("get their rates with their spread, from the next lookup on", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const path = "/v1/organizations/admin/exchange-rate?fromCurrency=USD&toCurrency=KES"
      const rate = Effect.map(ask("GET", path, acme.key), (answer) => Number(dataOf(answer)["rate"]))
      const base = yield* rate
      yield* patch(admin, acme.org_id, { spread_bps: 1000 })
      expect(yield* rate).toBeCloseTo(base * 0.9, 6)
      yield* patch(admin, acme.org_id, { spread_bps: 0 })
      expect(yield* rate).toBe(base)
    })
  )

  it.effect("open and close a feature for their people at once", () =>
    Effect.gen(function* () {
      const { admin, globex } = yield* people
      yield* patch(admin, globex.org_id, { features: ["escrow"] })
      expect(dataOf(yield* read(globex.key, globex.org_id))["features"]).toEqual(["escrow"])
      yield* patch(admin, globex.org_id, { features: [] })
      expect(dataOf(yield* read(globex.key, globex.org_id))["features"]).toEqual([])
    })
  )

  it.effect("send an event for each KYB decision, once for each change", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      const events = yield* EventStore
      const { org_id } = yield* create()
      for (const kyb_status of ["pending", "approved", "approved", "rejected", "not_started", "approved"]) {
        expect((yield* patch(admin, org_id, { kyb_status })).status).toBe(200)
      }
      const all = yield* events.list(Option.some(org_id), {}, { after: Option.none(), take: 100 })
      const types = all.map(({ event_type }) => event_type)
      expect(types.toSorted()).toEqual(["kyb.approved", "kyb.approved", "kyb.rejected"])
      const { created_at, event_id, payload } = all.find(({ event_type }) => event_type === "kyb.rejected")!
      expect(JSON.parse(payload)).toEqual({
        ...{ event_id, event_type: "kyb.rejected", org_id, created_at: created_at.toISOString() },
        data: { org_id, kyb_status: "rejected", reason: null }
      })
    })
  )
})
