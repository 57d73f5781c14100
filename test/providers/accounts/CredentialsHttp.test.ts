/** Credentials of a configuration over HTTP: who sets them, what is refused, and that they are never shown. */
import { expect } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { alertSharedAccounts } from "../../../src/app/BackgroundWorkers.ts"
import { AuditStore } from "../../../src/platform/audit/AuditLog.ts"
import { longestCredential } from "../../../src/domain/policies/ProviderPolicies.ts"
import { PaymentRouter } from "../../../src/payments/route/PaymentRouter.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { encryptCredentials } from "../../../src/providers/accounts/AccountCredentials.ts"
import { ProviderAccounts } from "../../../src/providers/accounts/ProviderAccounts.ts"
import { ProviderAccountStore } from "../../../src/providers/accounts/ProviderAccountStore.ts"
import { Providers } from "../../../src/providers/port/Provider.ts"
import { people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { TestServer } from "../../support/TestServer.ts"
import {
  cardsIn,
  database,
  onAccountServer,
  pathOf,
  PLATFORM_KEY,
  setCredentials,
  stripeCalls,
  StripeFake
} from "./AccountServer.ts"

const WRONG_KEY = "sk_test_that_the_fake_does_not_know"

const read = (config: { readonly config_id: string; readonly provider: string }) =>
  Effect.gen(function* () {
    const { admin } = yield* people
    return bodyOf(yield* send(pathOf(config), { headers: { ...admin } })) as Readonly<Record<string, unknown>>
  })

const auditOf = (config_id: string) =>
  Effect.gen(function* () {
    const store = yield* AuditStore
    const rows = yield* store.list(Option.none(), {}, { after: Option.none(), take: 1000 })
    return rows.filter((row) => row.subject_id === config_id)
  })

const routeIn = (country: string) =>
  Effect.gen(function* () {
    const router = yield* PaymentRouter
    const { acme } = yield* people
    return yield* router.routeOf(
      acme.org_id,
      {
        country: CountryCode.make(country),
        direction: "inbound",
        payment_method: "card",
        money: new Money({ currency: CurrencyCode.make("KES"), minor: 150_000n }),
        network: null
      },
      false
    )
  })

onAccountServer("Credentials of a configuration", (it) => {
  it.effect("keep their configuration with whom it is for, since its account has their money", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const { acme, admin, globex } = yield* people
      const config = yield* cardsIn("CY")
      const change = (changes: object) =>
        send(pathOf(config), {
          method: "PATCH",
          headers: { ...admin, "content-type": "application/json" },
          body: JSON.stringify(changes)
        })
      expect((yield* change({ org_id: null })).status, "it brings no account").toBe(200)
      expect((yield* change({ org_id: acme.org_id })).status).toBe(200)
      yield* setCredentials(config, fake.credentials)
      for (const org_id of [null, globex.org_id]) {
        const answer = yield* change({ org_id, priority: 3 })
        expect(refusedFields(answer)).toEqual([400, "org_id"])
      }
      expect((yield* change({ org_id: acme.org_id, priority: 4 })).status).toBe(200)
      expect(yield* read(config)).toMatchObject({ org_id: acme.org_id, priority: 4 })
    })
  )

  it.effect("of live mode are refused by a sandbox before they are tried", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const config = yield* cardsIn("MT")
      const asked = fake.received.length
      const answer = yield* setCredentials(config, { secret_key: "sk_live_of_the_test" })
      expect([answer.status, bodyOf(answer)]).toEqual([
        400,
        { status: "error", message: expect.stringMatching(/^secret_key: .*\blive\b/) }
      ])
      expect(fake.received).toHaveLength(asked)
      expect(yield* read(config)).toMatchObject({ has_credentials: false })
    })
  )

  it.effect("are tested and in use at once; what is asked about them says that they are there", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const config = yield* cardsIn("IS")
      expect(yield* read(config)).toMatchObject({ has_credentials: false, credentials_tested_at: null })
      const before = yield* routeIn("IS")
      expect(before.candidates).toMatchObject([{ config_id: config.config_id, account: null }])
      const answer = yield* setCredentials(config, fake.credentials)
      expect(answer.status, answer.text).toBe(200)
      expect(bodyOf(answer)).toEqual({
        status: "success",
        message: "Credentials set",
        data: {
          config_id: config.config_id,
          provider: "stripe",
          fields: ["secret_key", "webhook_secret"],
          tested: true,
          test_message: expect.any(String),
          updated_at: expect.any(String)
        }
      })
      expect(fake.received.at(-1)?.headers["authorization"]).toBe(`Bearer ${fake.credentials["secret_key"]}`)
      expect(yield* read(config)).toMatchObject({ has_credentials: true, credentials_tested_at: expect.any(String) })
      const after = yield* routeIn("IS")
      expect(after.candidates).toMatchObject([{ config_id: config.config_id, account: config.config_id }])
      const [entry] = yield* auditOf(config.config_id)
      expect(entry).toMatchObject({
        action: "provider_config.credentials_set",
        detail: { provider: "stripe", fields: ["secret_key", "webhook_secret"], tested: true }
      })
    })
  )

  it.effect("that fail their test are kept, but not in use; the platform's account does not step in", () =>
    Effect.gen(function* () {
      const config = yield* cardsIn("FO")
      const answer = yield* setCredentials(config, { secret_key: WRONG_KEY })
      expect(answer.status).toBe(200)
      expect(bodyOf(answer)).toMatchObject({ data: { tested: false, fields: ["secret_key"] } })
      expect(yield* read(config)).toMatchObject({ has_credentials: true, credentials_tested_at: null })
      const { candidates, excluded } = yield* routeIn("FO")
      expect(candidates).toEqual([])
      expect(excluded[0]?.reason).toContain(`run "corridor providers test ${config.config_id}"`)
      const fake = yield* StripeFake
      expect((yield* setCredentials(config, fake.credentials)).status).toBe(200)
      expect((yield* routeIn("FO")).candidates).toMatchObject([{ account: config.config_id }])
    })
  )

  it.effect("that fail never take the place of those that work", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const config = yield* cardsIn("GL")
      yield* setCredentials(config, fake.credentials)
      const before = yield* read(config)
      const answer = yield* setCredentials(config, { secret_key: WRONG_KEY })
      expect(answer.status).toBe(409)
      expect(answer.text).toContain("those set before stay in use")
      expect(answer.text).not.toContain(WRONG_KEY)
      expect(yield* read(config)).toEqual(before)
      expect((yield* routeIn("GL")).candidates).toMatchObject([{ account: config.config_id }])
      expect(yield* auditOf(config.config_id)).toHaveLength(1)
    })
  )

  it.effect("are refused by the name of the field, and without a call", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const config = yield* cardsIn("AX")
      const simulator = yield* cardsIn("AX", null, "fiat")
      const calls = fake.received.length
      const value = "a-value-never-to-be-repeated"
      const refused: ReadonlyArray<readonly [unknown, RegExp]> = [
        [
          { secret_key: value, webhok: value },
          /^webhok: Stripe has no such field; it has secret_key, webhook_secret\.$/
        ],
        [{ webhook_secret: value }, /^secret_key: is missing, and Stripe needs it\.$/],
        [{}, /^secret_key: is missing/],
        [{ secret_key: "" }, /^secret_key: is empty\.$/],
        [{ secret_key: "  " }, /^secret_key: is empty\.$/],
        [{ secret_key: `${value}\n` }, /^secret_key: has spaces or line breaks around it\.$/],
        [{ secret_key: `${value}\nsecond line` }, /^secret_key: has a line break in it\.$/],
        [{ secret_key: `${value}…` }, /^secret_key: has a character in it that is not plain ASCII\.$/],
        [{ secret_key: value, webhook_secret: `${value}\u0007` }, /^webhook_secret: has a character in it/],
        [{ secret_key: value.padEnd(longestCredential + 1, "x") }, /^secret_key: is longer than 8192 bytes\.$/],
        [{ secret_key: 12345678901 }, /secret_key/],
        [{ secret_key: null }, /secret_key/],
        [[value], /./]
      ]
      for (const [body, message] of refused) {
        const answer = yield* setCredentials(config, body)
        expect(answer.status, JSON.stringify(body).slice(0, 80)).toBe(400)
        expect((bodyOf(answer) as { readonly message: string }).message).toMatch(message)
        expect(answer.text).not.toMatch(/never-to-be-repeated|12345678901/)
      }
      const built = yield* setCredentials(simulator, { secret_key: value })
      expect(refusedFields(built)).toEqual([400, "provider"])
      const elsewhere = yield* setCredentials({ ...config, provider: "paystack" }, { secret_key: value })
      expect(elsewhere.status).toBe(404)
      expect(fake.received).toHaveLength(calls)
      expect(yield* read(config)).toMatchObject({ has_credentials: false })
    })
  )

  it.effect("are never those of the platform's own account, which would then have two books", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const fake = yield* StripeFake
      const calls = fake.received.length
      for (const org of [acme.org_id, null]) {
        const config = yield* cardsIn("MG", org)
        const answer = yield* setCredentials(config, { secret_key: PLATFORM_KEY, webhook_secret: "whsec_another" })
        expect([answer.status, bodyOf(answer)]).toEqual([
          400,
          { status: "error", message: expect.stringMatching(/^secret_key: .*\bplatform\b/) }
        ])
        expect(yield* read(config)).toMatchObject({ has_credentials: false })
      }
      expect(fake.received, "no provider was asked").toHaveLength(calls)
    })
  )

  it.effect("that have become the platform's own are left out of routing, and still there for what was sent", () =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const vault = yield* Vault
      const providers = yield* Providers
      const accounts = yield* ProviderAccounts
      const { config_id } = yield* cardsIn("MU")
      expect(yield* accounts.shared).toEqual([])
      const sealed = yield* encryptCredentials(vault, config_id, { secret_key: Redacted.make(PLATFORM_KEY) })
      yield* store.put({ config_id, provider: "stripe", sealed, tested: true })
      const { candidates, excluded } = yield* routeIn("MU")
      expect([candidates, excluded]).toMatchObject([
        [],
        [{ config_id, reason: expect.stringContaining("is the platform's own: set credentials of another") as string }]
      ])
      expect((yield* providers.find("stripe", config_id))?.refund).toBeDefined()
      expect(yield* accounts.shared).toEqual([config_id])
      yield* alertSharedAccounts
      const { logs } = yield* TestServer
      expect(logs.filter(({ annotations }) => annotations["operator_alert"] === "account_shared")).toMatchObject([
        { level: "Error", annotations: { config_id } }
      ])
    })
  )

  it.effect("of a configuration that is gone can still be changed, for what was sent through it", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      const fake = yield* StripeFake
      const config = yield* cardsIn("MZ")
      yield* setCredentials(config, fake.credentials)
      expect((yield* send(pathOf(config), { method: "DELETE", headers: { ...admin } })).status).toBe(204)
      const webhook_secret = "whsec_after_its_end"
      const changed = yield* setCredentials(config, { ...fake.credentials, webhook_secret })
      expect(changed.status, changed.text).toBe(200)
      expect(bodyOf(changed)).toMatchObject({ data: { config_id: config.config_id, tested: true } })
      const replies = yield* Effect.forEach([webhook_secret, "whsec_of_nobody"], (secret) =>
        stripeCalls(`/callbacks/stripe/${config.config_id}`, secret, { id: "pi_of_nobody" })
      )
      expect(replies.map(({ status }) => status)).toEqual([200, 401])
      expect((yield* send(pathOf(config), { headers: { ...admin } })).status, "and it stays gone").toBe(404)
      expect(yield* routeIn("MZ")).toEqual({ candidates: [], excluded: [] })
      const [entry] = yield* auditOf(config.config_id)
      expect(entry).toMatchObject({ action: "provider_config.credentials_set", org_id: null })
      expect((yield* setCredentials({ ...config, provider: "paystack" }, fake.credentials)).status).toBe(404)
      const never = { ...config, config_id: "01900000-0000-7000-8000-000000000000" }
      expect((yield* setCredentials(never, fake.credentials)).status).toBe(404)
    })
  )

  it.effect("are for platform admins alone", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const { acme } = yield* people
      const config = yield* cardsIn("ZM", acme.org_id)
      for (const credential of [acme.key, acme.token("org-admin"), acme.token("staff"), acme.token("member")]) {
        expect((yield* setCredentials(config, fake.credentials, { headers: { ...credential } })).status).toBe(403)
      }
      expect(
        (yield* setCredentials(config, fake.credentials, { headers: { authorization: "NONE", "x-api-key": "NONE" } }))
          .status
      ).toBe(401)
      expect(yield* read(config)).toMatchObject({ has_credentials: false })
    })
  )

  it.effect("are never read back: not in an answer, not in the database, not in a log", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      const { logs } = yield* TestServer
      const fake = yield* StripeFake
      const config = yield* cardsIn("MW")
      const canary = "whsec_canary_of_this_test"
      const set = yield* setCredentials(config, { ...fake.credentials, webhook_secret: canary })
      const wrong = yield* setCredentials(config, { secret_key: canary, webhook_secret: canary })
      expect([set.status, wrong.status]).toEqual([200, 409])
      const answers = yield* Effect.forEach(
        [pathOf(config), "/v1/payments/provider-configs?limit=100", "/v1/audit-log?limit=100"],
        (path) => send(path, { headers: { ...admin } })
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      const secrets = [canary, fake.credentials["secret_key"]!, PLATFORM_KEY]
      const seen = [set, wrong, ...answers].map(({ text }) => text)
      const sql = yield* database
      const tables = yield* sql<{ name: string }>`select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'`
      for (const { name } of tables) {
        const rows = yield* sql<{ row: string }>`select t::text as row from ${sql(name)} t`
        seen.push(...rows.map(({ row }) => row))
      }
      expect(seen.join("\n")).toContain(config.config_id)
      seen.push(JSON.stringify(logs))
      for (const secret of secrets) expect(seen.filter((text) => text.includes(secret))).toEqual([])
    })
  )
})
