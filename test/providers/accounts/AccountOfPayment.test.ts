/**
 * Account of a payment: enquiries, refunds and callbacks go through the account that it was sent through, also after a
 * change of its configuration. No other account's secret signs for it.
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { replacedCredentialsKept } from "../../../src/domain/policies/ProviderPolicies.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { Providers } from "../../../src/providers/port/Provider.ts"
import type { ConfigId } from "../../../src/domain/Ids.ts"
import { idFrom } from "../../support/AnyId.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { act } from "../../payments/support/ActionCalls.ts"
import { eventually, initiate, recordOf } from "../../payments/support/PaymentCalls.ts"
import { byCard } from "../../payments/support/Requests.ts"
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

const OWN_SECRET = "whsec_of_the_configuration"

/** Accounts that were called since, by the keys of the requests. */
const keysSince = (from: number) =>
  Effect.map(StripeFake, ({ received }) => new Set(received.slice(from).map(({ headers }) => headers["authorization"])))

const withOwnAccount = (country: string, webhook_secret = OWN_SECRET) =>
  Effect.gen(function* () {
    const fake = yield* StripeFake
    const config = yield* cardsIn(country)
    const set = yield* setCredentials(config, { ...fake.credentials, webhook_secret })
    expect(set.status, set.text).toBe(200)
    return config
  })

const pay = (country: string) =>
  Effect.gen(function* () {
    const fake = yield* StripeFake
    const { payment_id, status, text } = yield* initiate({ ...byCard(), country })
    expect(status, text).toBeLessThan(300)
    yield* fake.settled
    const sql = yield* database
    const [attempt] = yield* sql<{
      account: string | null
      provider_payment_id: string
    }>`select account, provider_payment_id from attempts where payment_id = ${payment_id}`
    return { payment_id, account: attempt!.account, intent: attempt!.provider_payment_id }
  })

/** As another instance makes one: this one sees it once its copy has expired. */
const newVersion = ({ config_id }: { readonly config_id: ConfigId }) =>
  Effect.gen(function* () {
    const { find } = yield* Providers
    const first = yield* find("stripe", config_id)
    const sql = yield* database
    yield* sql`update provider_accounts set version = version + 1 where config_id = ${config_id}`
    yield* eventually(
      Effect.map(find("stripe", config_id), (now) => now !== first),
      (isNew) => isNew
    )
  })

const remove = (config: { readonly config_id: string; readonly provider: string }) =>
  Effect.gen(function* () {
    const { admin } = yield* people
    expect((yield* send(pathOf(config), { method: "DELETE", headers: { ...admin } })).status).toBe(204)
  })

const asked = (payment_id: string) =>
  Effect.gen(function* () {
    const sql = yield* database
    yield* sql`update attempts set next_enquiry_at = now() where payment_id = ${payment_id}`
    yield* Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)
    return (yield* recordOf(payment_id))["status"]
  })

/** Payment at the fake, read with the account's key. */
const intentAtFake = (id: string) =>
  Effect.gen(function* () {
    const { credentials, url } = yield* StripeFake
    return yield* Effect.promise(async () => {
      const headers = { authorization: `Bearer ${credentials["secret_key"]}` }
      return (await (await fetch(`${url}/v1/payment_intents/${id}`, { headers })).json()) as unknown
    })
  })

onAccountServer("A payment through a configuration's account", (it) => {
  it.effect("is enquired and refunded through it, also once the configuration is gone", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const config = yield* withOwnAccount("IS")
      const from = fake.received.length
      const { account, payment_id } = yield* pay("IS")
      expect(account).toBe(config.config_id)
      yield* remove(config)
      expect(yield* asked(payment_id)).toBe("completed")
      expect(yield* act(payment_id, { action: "refund" })).toMatchObject({ status: 200 })
      expect(yield* keysSince(from)).toEqual(new Set([`Bearer ${fake.credentials["secret_key"]}`]))
      expect(fake.received.slice(from).map(({ path }) => path)).toContain("/v1/refunds")
    })
  )

  it.effect("accepts callbacks with that account's own secret at its own address, and with no other", () =>
    Effect.gen(function* () {
      const config = yield* withOwnAccount("FO")
      const other = yield* withOwnAccount("AX", "whsec_of_another")
      const { intent, payment_id } = yield* pay("FO")
      yield* remove(config)
      const object = yield* intentAtFake(intent)
      const home = `/callbacks/stripe/${config.config_id}`
      const call = (path: string, secret: string) =>
        Effect.map(stripeCalls(path, secret, object), ({ status }) => status)
      for (const secret of ["whsec_of_another", "whsec_of_the_platform", "", "whsec_fake_of_corridor"]) {
        expect(yield* call(home, secret), secret).toBe(401)
      }
      expect(yield* call("/callbacks/stripe", OWN_SECRET)).toBe(401)
      expect(yield* call(`/callbacks/stripe/${other.config_id}`, OWN_SECRET)).toBe(401)
      expect(yield* call(`/callbacks/paystack/${config.config_id}`, OWN_SECRET)).toBe(404)
      // A secret that is right for its own address says nothing of what another account took.
      yield* call(`/callbacks/stripe/${other.config_id}`, "whsec_of_another")
      yield* call("/callbacks/stripe", "whsec_of_the_platform")
      expect((yield* recordOf(payment_id))["status"]).not.toBe("completed")
      expect(yield* call(home, OWN_SECRET)).toBe(200)
      expect((yield* recordOf(payment_id))["status"]).toBe("completed")
    })
  )

  it.effect("goes with new credentials from the moment that they are set", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const providers = yield* Providers
      const config = yield* withOwnAccount("GL")
      const first = yield* providers.find("stripe", config.config_id)
      expect(yield* providers.find("stripe", config.config_id)).toBe(first)
      expect((yield* setCredentials(config, { ...fake.credentials, webhook_secret: "whsec_new" })).status).toBe(200)
      const second = yield* providers.find("stripe", config.config_id)
      expect(second).not.toBe(first)
      const from = fake.received.length
      const { intent } = yield* pay("GL")
      expect(yield* keysSince(from)).toEqual(new Set([`Bearer ${fake.credentials["secret_key"]}`]))
      const object = yield* intentAtFake(intent)
      const home = `/callbacks/stripe/${config.config_id}`
      expect((yield* stripeCalls(home, "whsec_new", object)).status).toBe(200)
    })
  )

  it.effect("accepts callbacks with each previous secret for a day of its own, however soon they were replaced", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const config = yield* withOwnAccount("GP")
      const change = (webhook_secret: string, query = "") =>
        Effect.map(setCredentials(config, { ...fake.credentials, webhook_secret }, { query }), ({ status }) => status)
      expect(yield* change("whsec_second")).toBe(200)
      const { intent } = yield* pay("GP")
      const object = yield* intentAtFake(intent)
      const all = [OWN_SECRET, "whsec_second", "whsec_third", "whsec_x"]
      const statuses = Effect.forEach(all, (secret) =>
        Effect.map(stripeCalls(`/callbacks/stripe/${config.config_id}`, secret, object), ({ status }) => status)
      )
      expect(yield* statuses).toEqual([200, 200, 401, 401])
      const dispute = { id: "dp_1", object: "dispute", amount: 1, currency: "eur", payment_intent: "pi_of_nobody" }
      const disputed = Effect.forEach(all, (secret) =>
        Effect.map(
          stripeCalls(`/callbacks/stripe/${config.config_id}`, secret, dispute, "charge.dispute.funds_withdrawn"),
          ({ status }) => status
        )
      )
      expect(yield* disputed, "what the account cannot be asked about now").toEqual([503, 503, 401, 401])
      expect(yield* change("whsec_third")).toBe(200)
      expect(yield* statuses).toEqual([200, 200, 200, 401])
      for (const _ of Array.from({ length: replacedCredentialsKept })) expect(yield* change("whsec_third")).toBe(200)
      expect(yield* statuses, "the same once more").toEqual([200, 200, 200, 401])
      const sql = yield* database
      yield* sql`update replaced_credentials set until = now() where config_id = ${config.config_id} and version = 1`
      yield* newVersion(config)
      expect(yield* statuses).toEqual([401, 200, 200, 401])
      expect(yield* change("whsec_third", "?forget_replaced=true")).toBe(200)
      expect(yield* statuses, "after its end a secret is refused").toEqual([401, 401, 200, 401])
    })
  )

  it.effect("goes with those that another instance has set, after a moment", () =>
    Effect.gen(function* () {
      yield* newVersion(yield* withOwnAccount("SJ"))
    })
  )

  it.effect("never goes through the platform's account, nor through one that cannot be opened", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      const providers = yield* Providers
      const platform = yield* providers.find("stripe", null)
      expect(platform?.name).toBe("stripe")
      expect(yield* providers.find("stripe", idFrom("01900000-0000-7000-8000-000000000000"))).toBeUndefined()
      const config = yield* withOwnAccount("BV")
      expect(yield* providers.find("stripe", config.config_id)).not.toBe(platform)
      expect(yield* providers.find("paystack", config.config_id)).toBeUndefined()
      const sql = yield* database
      yield* sql`update provider_accounts set sealed = 'v1.00000000.broken', version = version + 1
        where config_id = ${config.config_id}`
      const from = fake.received.length
      const refused = yield* initiate({ ...byCard(), country: "BV" })
      expect(refused.status).toBe(422)
      expect(refused.text).toContain("set them again")
      expect(fake.received).toHaveLength(from)
    })
  )

  it.effect("is not the platform's: without credentials of its own a configuration uses those of the platform", () =>
    Effect.gen(function* () {
      const fake = yield* StripeFake
      yield* cardsIn("AQ")
      const from = fake.received.length
      const declined = yield* initiate({ ...byCard(), country: "AQ" })
      expect(declined.status, "the fake does not know the platform's key").toBe(502)
      expect(yield* keysSince(from)).toEqual(new Set([`Bearer ${PLATFORM_KEY}`]))
      expect(bodyOf(yield* send("/callbacks/stripe", { method: "POST", body: "{}" }))).toMatchObject({
        status: "error"
      })
    })
  )
})
