import { expect } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import { type OrgId, nilUuid } from "../../../src/domain/Ids.ts"
import type { CreateProviderConfig } from "../../../src/contract/api/ProviderConfigsApi.ts"
import { AuditStore } from "../../../src/platform/audit/AuditLog.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { ProviderConfigs } from "../../../src/providers/configs/ProviderConfigs.ts"
import { clientFor } from "../../support/Client.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer, onServer } from "../../support/TestServer.ts"

const PATH = "/v1/payments/provider-configs"

const corridor = {
  provider: "stripe",
  country: CountryCode.make("IS"),
  payment_method: "card",
  direction: "inbound"
} as const

const unremarkable = {
  ...corridor,
  api_version: null,
  priority: 100,
  is_active: true,
  webhook_required: false,
  org_id: null,
  min_amount: null,
  max_amount: null,
  description: null,
  webhook_url: null
}

const admin = Effect.flatMap(people, (them) =>
  Effect.map(clientFor(them.admin), ({ providerConfigs }) => ({ ...them, configs: providerConfigs }))
)

const call = (credential: Credential, method: string, path: string, body?: unknown) =>
  send(path, {
    method,
    headers: { ...credential, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })

const create = (about: Partial<typeof CreateProviderConfig.Type> = {}) =>
  Effect.gen(function* () {
    const { configs } = yield* admin
    const { data } = yield* configs.create({ payload: { ...unremarkable, ...about } })
    return data
  })

const pathOf = (config: { readonly provider: string; readonly config_id: string }) =>
  `${PATH}/${config.provider}/${config.config_id}`

const auditOf = (config_id: string) =>
  Effect.gen(function* () {
    const store = yield* AuditStore
    const rows = yield* store.list(Option.none(), {}, { after: Option.none(), take: 1000 })
    return rows.filter((row) => row.subject_id === config_id)
  })

onDatabaseServer("Provider configurations", (it) => {
  it.effect("are made with every field present, and read back bare", () =>
    Effect.gen(function* () {
      const { admin: credential } = yield* people
      const made = yield* call(credential, "POST", PATH, corridor)
      expect(made.status).toBe(201)
      const body = bodyOf(made) as { readonly data: Record<string, unknown> & { provider: string; config_id: string } }
      expect(body).toEqual({
        status: "success",
        message: "Provider configuration created",
        data: {
          ...unremarkable,
          config_id: expect.any(String),
          has_credentials: false,
          credentials_tested_at: null,
          created_at: expect.any(String),
          updated_at: expect.any(String)
        }
      })
      const read = yield* call(credential, "GET", pathOf(body.data))
      expect(read.status).toBe(200)
      expect(bodyOf(read)).toEqual(body.data)
    })
  )

  it.effect("keep all that is sent, amounts with their fraction", () =>
    Effect.gen(function* () {
      const { acme, admin: credential } = yield* people
      const sent = {
        ...corridor,
        api_version: "2024-06-20",
        priority: 0,
        is_active: false,
        webhook_required: true,
        org_id: acme.org_id.toUpperCase(),
        min_amount: 0,
        max_amount: 2500,
        description: "Cards of Iceland",
        webhook_url: "https://example.com/hook?a=b"
      }
      const made = yield* call(credential, "POST", PATH, sent)
      expect(made.status).toBe(201)
      expect(made.text).toContain('"min_amount":0.0,"max_amount":2500.0,')
      expect(bodyOf(made)).toMatchObject({ data: { ...sent, org_id: acme.org_id } })
    })
  )

  it.effect("are found only under their own provider", () =>
    Effect.gen(function* () {
      const { admin: credential } = yield* people
      const config = yield* create()
      const elsewhere = { provider: "adyen", config_id: config.config_id }
      const nowhere = { provider: "stripe", config_id: nilUuid }
      for (const key of [elsewhere, nowhere, { ...nowhere, config_id: "x" }]) {
        for (const [method, body] of [["GET"], ["PATCH", { priority: 1 }], ["DELETE"]] as const) {
          const answer = yield* call(credential, method, pathOf(key), body)
          expect(answer.status, `${method} ${pathOf(key)}`).toBe(404)
          expect(bodyOf(answer)).toEqual({
            status: "error",
            message: expect.stringContaining("provider configuration")
          })
        }
      }
      const { configs } = yield* admin
      expect((yield* configs.find({ path: config })).priority).toBe(100)
    })
  )

  it.effect("change field by field; null clears", () =>
    Effect.gen(function* () {
      const { acme, configs } = yield* admin
      const before = yield* create({ description: "old", max_amount: BigDecimal.unsafeFromString("10") })
      const changes = { description: null, priority: 7, org_id: acme.org_id }
      const { data: after } = yield* configs.update({ path: before, payload: changes })
      expect(after).toMatchObject({ ...changes, country: "IS", is_active: true, created_at: before.created_at })
      expect(after.max_amount && BigDecimal.format(after.max_amount)).toBe("10")
      const { data: global } = yield* configs.update({ path: before, payload: { org_id: null } })
      expect(global.org_id).toBeNull()
      expect(yield* configs.find({ path: before })).toEqual(global)
    })
  )

  it.effect("cannot change their provider, nor be turned upside down", () =>
    Effect.gen(function* () {
      const { admin: credential } = yield* people
      const config = yield* create({ max_amount: BigDecimal.unsafeFromString("10") })
      const refused = [
        [{ provider: "adyen" }, "provider: cannot change; create another configuration."],
        [{ min_amount: 10.01 }, "min_amount: is above max_amount."]
      ] as const
      for (const [changes, message] of refused) {
        const answer = yield* call(credential, "PATCH", pathOf(config), changes)
        expect([answer.status, bodyOf(answer)]).toEqual([400, { status: "error", message }])
      }
      expect((yield* call(credential, "PATCH", pathOf(config), { provider: "stripe", min_amount: 10 })).status).toBe(
        200
      )
    })
  )

  it.effect("go away with 204", () =>
    Effect.gen(function* () {
      const { admin: credential } = yield* people
      const config = yield* create()
      const gone = yield* call(credential, "DELETE", pathOf(config))
      expect([gone.status, gone.text]).toEqual([204, ""])
      for (const method of ["GET", "DELETE"]) {
        expect((yield* call(credential, method, pathOf(config))).status).toBe(404)
      }
    })
  )

  it.effect("refuse what is wrong, and say what", () =>
    Effect.gen(function* () {
      const { admin: credential } = yield* people
      const wrong: ReadonlyArray<readonly [Record<string, unknown>, RegExp]> = [
        [{ provider: "visa" }, /^provider: is not one of manual, crypto, .*coinbase, mpesa\.$/],
        [{ country: "ke" }, /^country: is not a country code of two upper-case letters/],
        [{ payment_method: "cash" }, /^payment_method: is not one of bank_transfer, /],
        [{ direction: "payin" }, /^direction: is not one of inbound, outbound, external\.$/],
        [{ priority: -1 }, /^priority: is not a whole number from 0 to 10000\.$/],
        [{ priority: 10_001 }, /^priority: is not a whole number/],
        [{ priority: 1.5 }, /^priority: is not a whole number/],
        [{ min_amount: -0.01 }, /^min_amount: is not a JSON number from 0 up/],
        [{ max_amount: "100" }, /^max_amount: is not a JSON number from 0 up/],
        [{ min_amount: 2, max_amount: 1.99 }, /^min_amount: is above max_amount\.$/],
        [{ description: "x".repeat(501) }, /^description: /],
        [{ webhook_url: "/hook" }, /^webhook_url: is not an absolute URL/],
        [{ webhook_url: "http://example.com/" }, /^webhook_url: must start with https:\/\/\.$/],
        [{ webhook_url: "ftp://127.0.0.1/" }, /^webhook_url: must start with https/],
        [{ webhook_url: "http://127.0.0.1.example.com/" }, /^webhook_url: must start with https/],
        [{ webhook_url: "https://me:pw@example.com/" }, /^webhook_url: must not hold a user name/],
        [{ is_active: "yes" }, /^is_active: /],
        [{ org_id: 7 }, /^org_id: /]
      ]
      for (const [field, message] of wrong) {
        const answer = yield* call(credential, "POST", PATH, { ...corridor, ...field })
        expect(answer.status, JSON.stringify(field)).toBe(400)
        expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringMatching(message) })
      }
      for (const field of Object.keys(corridor)) {
        const answer = yield* call(credential, "POST", PATH, { ...corridor, [field]: undefined })
        expect([answer.status, bodyOf(answer)]).toEqual([400, { status: "error", message: `${field}: is missing.` }])
      }
    })
  )

  it.effect("take the bounds themselves, and http to a sandbox's own machine", () =>
    Effect.gen(function* () {
      const { admin: credential } = yield* people
      const right = [
        { priority: 10_000 },
        { min_amount: 1.5, max_amount: 1.5 },
        { description: "x".repeat(500) },
        { webhook_url: "http://localhost:3000/hook" },
        { webhook_url: "http://127.0.0.1:3000/hook" },
        { webhook_url: "http://[::1]/hook" }
      ]
      for (const field of right) {
        const answer = yield* call(credential, "POST", PATH, { ...corridor, ...field })
        expect(answer.status, JSON.stringify(field)).toBe(201)
      }
    })
  )

  it.effect("belong to organisations that exist", () =>
    Effect.gen(function* () {
      const { admin: credential } = yield* people
      for (const org_id of [nilUuid, "acme"]) {
        const answers = [
          yield* call(credential, "POST", PATH, { ...corridor, org_id }),
          yield* call(credential, "GET", `${PATH}?org_id=${org_id}`)
        ]
        for (const answer of answers) {
          expect([answer.status, bodyOf(answer)]).toEqual([
            404,
            { status: "error", message: expect.stringContaining("organisation") }
          ])
        }
      }
    })
  )

  it.effect("are listed newest first, filtered, page by page", () =>
    Effect.gen(function* () {
      const { acme, configs, globex } = yield* admin
      const about = { provider: "circle", country: CountryCode.make("FO") } as const
      const first = yield* create({ ...about, org_id: acme.org_id })
      const second = yield* create({ ...about, payment_method: "wallet" })
      const third = yield* create({ ...about, direction: "external", org_id: globex.org_id })
      const idsOf = (filter: Record<string, string>) =>
        Effect.map(configs.list({ urlParams: { limit: 100, ...about, ...filter } }), ({ data }) =>
          data.map((one) => one.config_id)
        )
      const key = (one: typeof first) => `${one.created_at.toISOString()} ${one.config_id}`
      const newestFirst = [first, second, third].toSorted((a, b) => (key(a) < key(b) ? 1 : -1))
      const inOrder = newestFirst.map((one) => one.config_id)
      expect(yield* idsOf({})).toEqual(inOrder)
      expect(yield* idsOf({ payment_method: "wallet" })).toEqual([second.config_id])
      expect(yield* idsOf({ direction: "external" })).toEqual([third.config_id])
      expect(yield* idsOf({ org_id: acme.org_id })).toEqual([first.config_id])
      expect(yield* idsOf({ country: "GL" })).toEqual([])
      expect(yield* idsOf({ provider: "adyen" })).toEqual([])

      const page = yield* configs.list({ urlParams: { ...about, limit: 2 } })
      expect(page.meta).toEqual({ count: 2, has_more: true, last_evaluated_key: page.last_evaluated_key })
      expect(page.data.map((one) => one.config_id)).toEqual(inOrder.slice(0, 2))
      const last_evaluated_key = page.last_evaluated_key!
      const rest = yield* configs.list({ urlParams: { ...about, limit: 2, last_evaluated_key } })
      expect(rest.data.map((one) => one.config_id)).toEqual(inOrder.slice(2))
      expect(rest.meta).toEqual({ count: 1, has_more: false, last_evaluated_key: null })

      const { admin: credential } = yield* people
      const cursor = encodeURIComponent(last_evaluated_key)
      expect((yield* call(credential, "GET", `${PATH}?country=FO&last_evaluated_key=${cursor}`)).status).toBe(400)
      expect((yield* call(credential, "GET", `${PATH}?provider=visa`)).status).toBe(400)
    })
  )

  it.effect("are for the platform admin alone", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const config = yield* create({ org_id: acme.org_id })
      const requests = [
        ["GET", PATH],
        ["GET", `${PATH}?org_id=${acme.org_id}`],
        ["POST", PATH, corridor],
        ["POST", PATH, { ...corridor, org_id: acme.org_id }],
        ["GET", pathOf(config)],
        ["PATCH", pathOf(config), { is_active: false }],
        ["DELETE", pathOf(config)]
      ] as const
      const strangers = [acme.key, acme.token("org-admin"), acme.token("staff"), acme.token("member"), globex.key]
      for (const stranger of strangers) {
        for (const [method, path, body] of requests) {
          expect((yield* call(stranger, method, path, body)).status, `${method} ${path}`).toBe(403)
        }
      }
      const noCredentials = { authorization: "NONE", "x-api-key": "NONE" }
      expect((yield* call(noCredentials, "GET", pathOf(config))).status).toBe(401)
      const { configs } = yield* admin
      expect(yield* configs.find({ path: config })).toEqual(config)
    })
  )

  it.effect("leave a trace of who changed what from what", () =>
    Effect.gen(function* () {
      const { acme, adminId, configs } = yield* admin
      const config = yield* create({ org_id: acme.org_id, min_amount: BigDecimal.unsafeFromString("1.5") })
      yield* configs.update({ path: config, payload: { is_active: false, min_amount: null, priority: 100 } })
      yield* configs.update({ path: config, payload: { is_active: false } })
      yield* configs.update({ path: config, payload: { org_id: null } })
      yield* configs.remove({ path: config })
      const rows = yield* auditOf(config.config_id)
      const {
        config_id: _id,
        created_at: _created,
        credentials_tested_at: _tested,
        has_credentials: _has,
        updated_at: _updated,
        ...made
      } = config
      const expected = [
        {
          action: "provider_config.created",
          org_id: acme.org_id,
          detail: { new: { ...made, min_amount: "1.5" } }
        },
        {
          action: "provider_config.updated",
          org_id: acme.org_id,
          detail: { old: { is_active: true, min_amount: "1.5" }, new: { is_active: false, min_amount: null } }
        },
        {
          action: "provider_config.updated",
          org_id: null,
          detail: { old: { org_id: acme.org_id }, new: { org_id: null } }
        },
        {
          action: "provider_config.deleted",
          org_id: null,
          detail: { old: { ...made, org_id: null, is_active: false, min_amount: null } }
        }
      ]
      const actor = { actor_type: "user", actor_id: adminId, subject_type: "provider_config" }
      for (const entry of expected) expect(rows).toContainEqual(expect.objectContaining({ ...entry, ...actor }))
      expect(rows).toHaveLength(expected.length)
    })
  )

  it.effect("reach dispatch: an organisation's own and the global ones of the corridor", () =>
    Effect.gen(function* () {
      const service = yield* ProviderConfigs
      const { acme, globex } = yield* people
      const country = CountryCode.make("GL")
      const own = yield* create({ country, org_id: acme.org_id, max_amount: BigDecimal.unsafeFromString("0.5") })
      const theirs = yield* create({ country, org_id: globex.org_id })
      const everybodys = yield* create({ country })
      const seenBy = (orgId: OrgId) =>
        Effect.map(service.forCorridor(orgId, country, "card", "inbound"), (all) =>
          all.map((one) => one.config_id).toSorted()
        )
      expect(yield* seenBy(acme.org_id)).toEqual([own.config_id, everybodys.config_id].toSorted())
      expect(yield* seenBy(globex.org_id)).toEqual([theirs.config_id, everybodys.config_id].toSorted())
      expect(yield* service.forCorridor(acme.org_id, country, "card", "outbound")).toEqual([])
    })
  )
})

const live = { CORRIDOR_MODE: "live", CORRIDOR_MASTER_KEY: "ab".repeat(32), KYB_WEBHOOK_SECRET: "a secret of the test" }

onServer("Provider configurations in live mode", "memory", { variables: live }, (it) => {
  it.effect("want https even from the machine itself", () =>
    Effect.gen(function* () {
      const service = yield* ProviderConfigs
      const permit = operatorPermit("platform", "test")
      const refusal = yield* Effect.flip(
        service.create(permit, { ...unremarkable, webhook_url: "http://localhost/hook" })
      )
      expect(refusal).toMatchObject({ _tag: "Invalid", message: expect.stringMatching(/^webhook_url: /) })
      expect(yield* service.create(permit, { ...unremarkable, webhook_url: "https://localhost/hook" })).toMatchObject({
        webhook_url: "https://localhost/hook"
      })
    })
  )
})
