import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type BeneficiaryId, type UserId, nilUuid } from "../../../src/domain/Ids.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { clientFor } from "../../support/Client.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { type Answer, bodyOf, post, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { britishBank, cryptoWallet, mpesa, nigerianBank, payPal } from "./Examples.ts"
import { newPaymentTo } from "./PaymentTo.ts"

const PATH = "/v1/beneficiaries"

interface Shown extends Readonly<Record<string, unknown>> {
  readonly beneficiary_id: BeneficiaryId
  readonly beneficiary_of: UserId
  readonly created_at: string
}

const ask = (method: string, path: string, credential: Credential, body?: unknown) =>
  send(path, {
    method,
    headers: { ...credential, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const dataOf = (answer: Answer) => (bodyOf(answer) as { readonly data: Shown }).data

const create = (credential: Credential, body: unknown = mpesa) =>
  Effect.map(post(PATH, { ...credential }, body), (answer) => {
    expect(answer.status, answer.text).toBe(201)
    return dataOf(answer)
  })

const messageOf = (answer: Answer) => (bodyOf(answer) as { readonly message: string }).message

onDatabaseServer("Beneficiaries", (it) => {
  it.effect("are made, read, listed, changed and deleted through the typed client", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { beneficiaries } = yield* clientFor(acme.token("member"))
      const payload = { ...cryptoWallet, country: CountryCode.make("KE") } as const
      const { data: made } = yield* beneficiaries.create({ payload })
      expect(made).toMatchObject({ fname: "Ada", currency: "USDT", beneficiary_of: acme.userId("member") })
      const path = { beneficiary_id: made.beneficiary_id }
      expect(yield* beneficiaries.get({ path })).toMatchObject({ status: "success", data: made })
      const listed = yield* beneficiaries.list({ urlParams: { limit: 1 } })
      expect(listed.data).toEqual([made])
      const { data: changed } = yield* beneficiaries.change({ path, payload: { lname: "Lovelace" } })
      expect(changed).toEqual({ ...made, lname: "Lovelace", updated_at: changed.updated_at })
      expect((yield* beneficiaries.get({ path })).data).toEqual(changed)
      yield* beneficiaries.remove({ path })
      const gone = yield* Effect.flip(beneficiaries.get({ path }))
      expect(gone).toEqual({ status: "error", message: expect.stringContaining("beneficiary") })
    })
  )

  it.effect("answer with every field, and no other", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* create(acme.key, nigerianBank)
      const { beneficiary_id, created_at, updated_at, ...rest } = made
      expect(rest).toEqual({
        ...nigerianBank,
        beneficiary_of: acme.userId("org-admin"),
        bank_details: { ...nigerianBank.bank_details, account_name: "Ada Okafor", country: "NG" },
        momo_details: {},
        loan_client_details: {},
        wallet_details: {},
        email: null,
        phone_number: null,
        external_account_id: null
      })
      expect(beneficiary_id).toMatch(/^[0-9a-f-]{36}$/)
      for (const at of [created_at, updated_at]) expect(at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      const read = yield* ask("GET", `${PATH}/${beneficiary_id}`, acme.key)
      expect(read.status).toBe(200)
      expect(dataOf(read)).toEqual(made)
    })
  )

  it.effect("may be of every account type", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const sent of [britishBank, cryptoWallet, payPal]) {
        expect(yield* create(acme.key, sent)).toMatchObject({ account_type: sent.account_type, country: sent.country })
      }
    })
  )

  it.effect("are refused with 400 and the name of the field", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const required = ["account_type", "beneficiary_type", "country", "currency", "fname", "lname"] as const
      const absent = required.map((name) => [name, { ...mpesa, [name]: undefined }] as const)
      const cases: ReadonlyArray<readonly [string, unknown]> = [
        ...absent,
        ["momo_details.provider", { ...mpesa, momo_details: undefined }],
        ["momo_details.phone_number", { ...mpesa, momo_details: { provider: "mpesa" } }],
        ["momo_details.phone_number", { ...mpesa, momo_details: { provider: "mpesa", phone_number: "12" } }],
        ["momo_details.provider", { ...mpesa, momo_details: { provider: "MTN MoMo", phone_number: "0712345678" } }],
        ["country", { ...mpesa, country: "NG" }],
        ["country", { ...mpesa, country: "ke" }],
        ["currency", { ...mpesa, currency: "XXQ" }],
        ["account_type", { ...mpesa, account_type: "cash" }],
        ["beneficiary_type", { ...mpesa, beneficiary_type: "robot" }],
        ["fname", { ...mpesa, fname: "  " }],
        ["lname", { ...mpesa, lname: 7 }],
        ["email", { ...mpesa, email: "ada@example" }],
        ["phone_number", { ...mpesa, phone_number: "99" }],
        ["bank_details.account_number", { ...nigerianBank, bank_details: {} }],
        [
          "bank_details.bank_name",
          { ...nigerianBank, bank_details: { account_number: "0000014579", bank_code: "011" } }
        ],
        [
          "bank_details.account_number",
          { ...nigerianBank, bank_details: { ...nigerianBank.bank_details, account_number: "0000014578" } }
        ],
        [
          "bank_details.bank_code",
          { ...britishBank, bank_details: { ...britishBank.bank_details, bank_code: "1234" } }
        ],
        ["bank_details.country", { ...britishBank, bank_details: { ...britishBank.bank_details, country: "UK" } }],
        [
          "bank_details.account_number",
          { ...britishBank, bank_details: { ...britishBank.bank_details, account_number: "GB82WEST12345698765433" } }
        ],
        ["wallet_details.network", { ...cryptoWallet, wallet_details: { address: "x", network: "tron" } }],
        ["wallet_details.email", { ...payPal, wallet_details: { email: "nobody" } }]
      ]
      const before = (yield* ask("GET", `${PATH}?limit=100`, acme.key)).text
      for (const [field, body] of cases) {
        const answer = yield* post(PATH, { ...acme.key }, body)
        expect(answer.status, `${field}: ${answer.text}`).toBe(400)
        expect(messageOf(answer).startsWith(`${field}: `), `${field}: ${answer.text}`).toBe(true)
      }
      expect((yield* ask("GET", `${PATH}?limit=100`, acme.key)).text).toBe(before)
    })
  )

  it.effect("change only as a whole that would be accepted anew", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* create(acme.key, nigerianBank)
      const path = `${PATH}/${made.beneficiary_id}`
      for (const [field, patch] of [
        ["bank_details.account_number", { bank_details: { account_number: "0000014571" } }],
        ["account_type", { account_type: "wallet", wallet_details: { email: "a@b.example" } }],
        ["email", { email: "nobody" }]
      ] as const) {
        const answer = yield* ask("PATCH", path, acme.key, patch)
        expect([answer.status, messageOf(answer).split(":")[0]]).toEqual([400, field])
      }
      expect(dataOf(yield* ask("GET", path, acme.key))).toEqual(made)
      const changed = yield* ask("PATCH", path, acme.key, {
        phone_number: "0803 123 4567",
        bank_details: { account_name: "A. O." }
      })
      expect(changed.status).toBe(200)
      expect(dataOf(changed)).toMatchObject({
        phone_number: "+2348031234567",
        bank_details: { ...nigerianBank.bank_details, account_name: "A. O.", country: "NG" }
      })
    })
  )

  it.effect("are listed newest first, page by page, and by the user that made them", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const staff = acme.userId("staff")
      const made = yield* Effect.replicateEffect(create(acme.token("staff")), 3)
      yield* create(acme.token("member"))
      // Two that were made within one millisecond stand in the order of their ids.
      const newestFirst = made
        .map((one) => `${one.created_at} ${one.beneficiary_id}`)
        .sort()
        .reverse()
      const page = (query: string) =>
        Effect.map(ask("GET", `${PATH}?user_id=${staff}${query}`, acme.key), (answer) => {
          expect(answer.status, answer.text).toBe(200)
          return bodyOf(answer) as {
            readonly data: ReadonlyArray<Shown>
            readonly meta: Readonly<Record<string, unknown>>
            readonly last_evaluated_key: string | null
          }
        })
      const first = yield* page("&limit=2")
      expect(first).toMatchObject({
        status: "success",
        meta: { count: 2, has_more: true, last_evaluated_key: first.last_evaluated_key }
      })
      const second = yield* page(`&limit=2&last_evaluated_key=${first.last_evaluated_key}`)
      expect(second).toMatchObject({
        meta: { count: 1, has_more: false, last_evaluated_key: null },
        last_evaluated_key: null
      })
      expect([...first.data, ...second.data].map((one) => `${one.created_at} ${one.beneficiary_id}`)).toEqual(
        newestFirst
      )
      const elsewhere = yield* ask("GET", `${PATH}?last_evaluated_key=${first.last_evaluated_key}`, acme.key)
      expect([elsewhere.status, messageOf(elsewhere).split(":")[0]]).toEqual([400, "last_evaluated_key"])
      const empty = yield* ask("GET", `${PATH}?user_id=nobody`, acme.key)
      expect(bodyOf(empty)).toMatchObject({ data: [], meta: { count: 0, has_more: false } })
      expect((yield* ask("GET", `${PATH}?limit=101`, acme.key)).status).toBe(400)
    })
  )

  it.effect("of another organisation are as good as none", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const made = yield* create(acme.key)
      for (const [method, body] of [["GET"], ["PATCH", { fname: "Eve" }], ["DELETE"]] as const) {
        const foreign = yield* ask(method, `${PATH}/${made.beneficiary_id}`, globex.key, body)
        const unknown = yield* ask(method, `${PATH}/${nilUuid}`, globex.key, body)
        expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
      }
      expect((yield* ask("GET", PATH, globex.key)).text).not.toContain(made.beneficiary_id)
      expect((yield* ask("GET", `${PATH}?org_id=${acme.org_id}`, globex.key)).status).toBe(403)
      expect((yield* post(PATH, { ...globex.key }, { ...mpesa, org_id: acme.org_id })).status).toBe(403)
      expect(dataOf(yield* ask("GET", `${PATH}/${made.beneficiary_id}`, acme.key))).toEqual(made)
    })
  )

  it.effect("are a platform admin's in any organisation, which a new one must name", () =>
    Effect.gen(function* () {
      const { acme, admin, adminId, globex } = yield* people
      const nowhere = yield* post(PATH, { ...admin }, mpesa)
      expect([nowhere.status, messageOf(nowhere).split(":")[0]]).toEqual([400, "org_id"])
      const made = yield* create(admin, { ...mpesa, org_id: acme.org_id })
      expect(made.beneficiary_of).toBe(adminId)
      const path = `${PATH}/${made.beneficiary_id}`
      expect((yield* ask("GET", path, acme.key)).status).toBe(200)
      expect((yield* ask("GET", path, globex.key)).status).toBe(404)
      expect((yield* ask("PATCH", path, admin, { fname: "Root" })).status).toBe(200)
      expect((yield* ask("GET", `${PATH}?org_id=${globex.org_id}`, admin)).text).not.toContain(made.beneficiary_id)
    })
  )

  it.effect("stay while a payment to them is under way, and go when it is over", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* create(acme.key)
      const path = `${PATH}/${made.beneficiary_id}`
      const to = { ...made, org_id: acme.org_id, country: CountryCode.make("KE") }
      const busy = yield* create(acme.key)
      yield* newPaymentTo(to, "completed")
      yield* newPaymentTo({ ...to, beneficiary_id: busy.beneficiary_id }, "pending")
      const refused = yield* ask("DELETE", `${PATH}/${busy.beneficiary_id}`, acme.key)
      expect([refused.status, bodyOf(refused)]).toMatchObject([409, { status: "error" }])
      expect((yield* ask("GET", `${PATH}/${busy.beneficiary_id}`, acme.key)).status).toBe(200)
      const deleted = yield* ask("DELETE", path, acme.key)
      expect([deleted.status, deleted.text]).toEqual([204, ""])
      for (const method of ["GET", "PATCH", "DELETE"]) {
        expect((yield* ask(method, path, acme.key, method === "PATCH" ? {} : undefined)).status, method).toBe(404)
      }
      expect((yield* ask("GET", `${PATH}?limit=100`, acme.key)).text).not.toContain(made.beneficiary_id)
    })
  )

  it.effect("leave their story in the audit log, without any account number", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* create(acme.key)
      const path = `${PATH}/${made.beneficiary_id}`
      yield* ask("PATCH", path, acme.key, { momo_details: { phone_number: "0722345678" } })
      yield* ask("DELETE", path, acme.key)
      const log = yield* ask("GET", "/v1/audit-log?limit=3", acme.key)
      const { data } = bodyOf(log) as { readonly data: ReadonlyArray<Record<string, unknown>> }
      expect(data.map((entry) => entry["subject_id"])).toEqual(Array(3).fill(made.beneficiary_id))
      const details = Object.fromEntries(data.map((entry) => [entry["action"], entry["detail"]]))
      expect(details).toEqual({
        "beneficiary.created": { account_type: "mobile_money" },
        "beneficiary.changed": { fields: ["momo_details"] },
        "beneficiary.deleted": {}
      })
      expect(log.text).not.toMatch(/722345678|712345678/)
    })
  )
})
