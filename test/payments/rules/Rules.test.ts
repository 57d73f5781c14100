import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { backends } from "../../support/OnBothStores.ts"
import {
  ask,
  balanceOf,
  deposit,
  expectBooksInOrder,
  openAccount,
  transactionsOf
} from "../../treasury/accounts/AccountFixtures.ts"
import { act, setThreshold } from "../support/ActionCalls.ts"
import { itemsOf } from "../support/OperatorActions.ts"
import {
  get,
  initiate,
  type Json,
  jsonOf,
  recordOf,
  timelineOf,
  ofKind,
  eventsOfType
} from "../support/PaymentCalls.ts"
import { onRamp } from "../support/RampCalls.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { byCard, byPhone, kenyanPhone, payoutByPhone } from "../support/Requests.ts"

let made = 0
/** A phone number that no other test uses. */
const newPhone = () => `+2547${String(20_345_100 + (made += 1)).padStart(8, "0")}`

const by = (phone: string, amount = 100, about: object = {}) => ({
  ...byPhone(phone),
  amount,
  target_amount: amount,
  payer_details: { name: "Wanjiru Kamau", email: `${phone.slice(1)}@example.com`, phone },
  ...about
})

const json = { "content-type": "application/json" }

const put = (path: string, credential: Credential, body: object) =>
  send(path, { method: "PUT", headers: { ...json, ...credential }, body: JSON.stringify(body) })

const del = (path: string, credential: Credential) => send(path, { method: "DELETE", headers: { ...credential } })

const limit = { subject: "phone", max_count: 1, window_seconds: 3600, action: "refuse", is_active: true }

for (const backend of backends) {
  onPaymentServer("Rules", backend, {}, (it) => {
    const rulesPath = Effect.map(people, ({ acme }) => `/v1/organizations/${acme.org_id}/rules`)
    const listsPath = Effect.map(people, ({ acme }) => `/v1/organizations/${acme.org_id}/lists`)

    /** Sets a rule of the organisation for as long as the test runs. */
    const withRule = <A, E, R>(terms: object, test: Effect.Effect<A, E, R>, name = "test") =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const path = `${yield* rulesPath}/${name}`
        const set = yield* put(path, acme.key, terms)
        expect(set.status, set.text).toBe(200)
        return yield* Effect.ensuring(test, Effect.orDie(del(path, acme.key)))
      })

    const withEntry = <A, E, R>(entry: object, test: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const added = yield* post(yield* listsPath, { ...acme.key }, entry)
        expect(added.status, added.text).toBe(201)
        const { entry_id } = jsonOf(added)["data"] as Json
        return yield* Effect.ensuring(test, Effect.orDie(del(`${yield* listsPath}/${String(entry_id)}`, acme.key)))
      })

    it.effect("refuse what is over a limit, and name the rule in error, record and event", () =>
      withRule(
        limit,
        Effect.gen(function* () {
          const phone = newPhone()
          expect((yield* initiate(by(phone))).status).toBe(200)
          const refused = yield* initiate(by(phone))
          const reason = 'Refused by the rule "test": more than 1 payment of this phone number within 1 hour.'
          expect(refused).toMatchObject({ status: 409, body: { code: "INVALID_STATE", message: reason } })
          const record = yield* recordOf(refused.payment_id)
          expect(record).toMatchObject({ status: "rejected", failure: { code: "REJECTED", message: reason } })
          const history = ofKind(yield* timelineOf(refused.payment_id), "status").map((item) => item["to"])
          expect(history).toEqual(["initiated", "rejected"])
          expect(yield* itemsOf(refused.payment_id)).toEqual([])
          expect(yield* eventsOfType(refused.payment_id, "payment.failed")).toHaveLength(1)
          expect((yield* initiate(by(newPhone()))).status).toBe(200)
        })
      )
    )

    it.effect("keep the refusal as the answer to its idempotency key", () =>
      withRule(
        { ...limit, max_count: 0 },
        Effect.gen(function* () {
          const { acme } = yield* people
          const phone = newPhone()
          const ask = post("/v1/payments-init/initiate", { ...acme.key, "idempotency-key": phone }, by(phone))
          const [first, second] = [yield* ask, yield* ask]
          expect([first.status, second.status]).toEqual([409, 409])
          expect(second.text).toBe(first.text)
          expect(second.headers["idempotent-replayed"]).toBe("true")
        })
      )
    )

    it.effect("hold by amount, in whatever currency it was, until a reviewer decides", () =>
      withRule(
        { ...limit, max_count: null, max_amount: 250, action: "hold" },
        Effect.gen(function* () {
          const { acme } = yield* people
          const phone = newPhone()
          const pays = (amount: number) => initiate(by(phone, amount))
          expect((yield* pays(100)).response).toMatchObject({ status: "processing" })
          expect((yield* pays(150)).response).toMatchObject({ status: "processing" })
          const held = yield* pays(0.01)
          expect(held).toMatchObject({ status: 200, response: { status: "initiated", next_action: "wait" } })
          expect(yield* itemsOf(held.payment_id)).toMatchObject([
            { kind: "review", detail: expect.stringContaining('Held by the rule "test": more than 250.00 KES') }
          ])
          const sent = yield* act(held.payment_id, { action: "review" }, acme.token("staff"))
          expect(sent.response).toMatchObject({ status: "processing" })
        })
      )
    )

    it.effect("alert in the record of a payment that goes on", () =>
      withRule(
        { ...limit, max_count: 0, action: "alert" },
        Effect.gen(function* () {
          const { payment_id, response } = yield* initiate(by(newPhone()))
          expect(response).toMatchObject({ status: "processing" })
          expect((yield* recordOf(payment_id))["comments"]).toContain('Alert of the rule "test"')
        })
      )
    )

    it.effect("do nothing while they are off, and count what came while they were", () =>
      Effect.gen(function* () {
        const phone = newPhone()
        yield* withRule(
          { ...limit, is_active: false },
          Effect.gen(function* () {
            expect((yield* initiate(by(phone))).status).toBe(200)
            expect((yield* initiate(by(phone))).status).toBe(200)
            yield* withRule(
              limit,
              Effect.flatMap(initiate(by(phone)), ({ status }) => Effect.sync(() => expect(status).toBe(409)))
            )
          })
        )
        expect((yield* initiate(by(phone))).status).toBe(200)
      })
    )

    it.effect("let no two payments at once slip under a limit", () =>
      withRule(
        { ...limit, max_count: 3 },
        Effect.gen(function* () {
          const phone = newPhone()
          const others = Array.from({ length: 4 }, () => initiate(by(newPhone())))
          const same = Array.from({ length: 12 }, () => initiate(by(phone)))
          const answers = yield* Effect.all([...same, ...others], { concurrency: "unbounded" })
          const statuses = answers.map(({ status }) => status)
          expect(statuses.slice(0, 12).filter((status) => status === 200)).toHaveLength(3)
          expect(statuses.slice(0, 12).filter((status) => status === 409)).toHaveLength(9)
          expect(statuses.slice(12)).toEqual([200, 200, 200, 200])
        })
      )
    )

    it.effect("apply to cards by their fingerprint, for any payer", () =>
      withRule(
        { ...limit, subject: "card" },
        Effect.gen(function* () {
          const pay = (number: string) => initiate({ ...byCard(number), payer_details: by(newPhone()).payer_details })
          const first = yield* pay("4242424242424242")
          expect(first.status).toBe(200)
          expect((yield* pay("4242424242424242")).status).toBe(409)
          expect((yield* pay("5555555555554444")).status).toBe(200)
          const { fingerprint } = (yield* recordOf(first.payment_id))["card_details"] as Json
          yield* withEntry(
            { list: "block", subject: "card", value: fingerprint },
            Effect.gen(function* () {
              expect((yield* pay("4242424242424242")).body["message"]).toMatch(/block list.*\bcard\b/)
            })
          )
        })
      )
    )

    it.effect("take sums just under the review threshold together", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const phone = newPhone()
        yield* setThreshold(acme.org_id, "1000")
        const terms = { kind: "structuring", subject: "payer", window_seconds: 3600, action: "hold", is_active: true }
        const test = Effect.gen(function* () {
          expect((yield* initiate(by(phone, 600))).response).toMatchObject({ status: "processing" })
          // Another phone, the same e-mail address.
          const payer_details = { ...by(phone).payer_details, phone: newPhone() }
          const second = yield* initiate(by(newPhone(), 400, { payer_details }))
          expect(second.response).toMatchObject({ status: "initiated", next_action: "wait" })
          expect((yield* itemsOf(second.payment_id))[0]?.["detail"]).toContain("reach the review threshold together")
        })
        yield* Effect.ensuring(withRule(terms, test), setThreshold(acme.org_id, null))
      })
    )

    it.effect("know a beneficiary by its account, for payouts and withdrawals alike", () =>
      withRule(
        { ...limit, subject: "beneficiary", direction: "outbound" },
        Effect.gen(function* () {
          const { acme } = yield* people
          const phone = newPhone()
          const add = Effect.map(post("/v1/beneficiaries", { ...acme.key }, kenyanPhone(phone)), (answer) =>
            String((jsonOf(answer)["data"] as Json)["beneficiary_id"])
          )
          const [one, two] = [yield* add, yield* add]
          expect((yield* initiate(payoutByPhone(one, phone))).status).toBe(200)
          const refused = yield* initiate(payoutByPhone(two, phone))
          expect(refused).toMatchObject({ status: 409, body: { code: "INVALID_STATE" } })
          const account = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
          yield* deposit(acme.key, account.account_id, 500)
          const path = `/${account.account_id}/withdraw`
          const withdrawn = yield* ask(acme.key, path, { amount: 100, beneficiary_id: two })
          expect(withdrawn.status).toBe(409)
          expect(withdrawn.text).toContain("more than 1 payment of this beneficiary")
          expect(yield* transactionsOf(acme.key, account.account_id)).toContainEqual(
            expect.objectContaining({ type: "debit", status: expect.stringMatching(/failed|reversed/) })
          )
          expect(yield* balanceOf(acme.key, account.account_id)).toBe(500)
          yield* expectBooksInOrder
        })
      )
    )

    it.effect("apply to ramps, by the address that is paid", () =>
      withEntry(
        { list: "block", subject: "wallet_address", value: "0x52908400098527886e0f7030069857d2e4169ee7" },
        Effect.gen(function* () {
          const refused = yield* onRamp("KE")
          expect(refused.text).toMatch(/block list.*\bwallet address\b/)
          expect(refused.status).toBe(409)
        })
      )
    )

    it.effect("leave a value on the allow list alone, and refuse one on the block list", () =>
      Effect.gen(function* () {
        const phone = newPhone()
        const national = `0${phone.slice(4)}`
        yield* withRule(
          limit,
          withEntry(
            { list: "allow", subject: "phone", value: national },
            Effect.gen(function* () {
              expect((yield* initiate(by(phone))).status).toBe(200)
              expect((yield* initiate(by(phone))).status).toBe(200)
            })
          )
        )
        yield* withEntry(
          { list: "block", subject: "email", value: `${phone.slice(1)}@EXAMPLE.com` },
          Effect.gen(function* () {
            const { acme } = yield* people
            const again = yield* post(
              yield* listsPath,
              { ...acme.key },
              {
                list: "block",
                subject: "email",
                value: `${phone.slice(1)}@example.com`
              }
            )
            expect(again.status).toBe(201)
            expect(yield* initiate(by(phone))).toMatchObject({
              status: 409,
              body: { message: expect.stringMatching(/block list.*\bemail\b/) }
            })
          })
        )
      })
    )

    it.effect("of the platform hold what only the platform releases", () =>
      Effect.gen(function* () {
        const { acme, admin } = yield* people
        expect((yield* put("/v1/rules/hold", admin, { ...limit, action: "hold" })).status).toBe(200)
        const phone = newPhone()
        const held = yield* Effect.ensuring(
          Effect.zipRight(initiate(by(phone)), initiate(by(phone))),
          Effect.orDie(del("/v1/rules/hold", admin))
        )
        expect(held.response).toMatchObject({ status: "initiated", next_action: "wait" })
        const own = yield* act(held.payment_id, { action: "review" }, acme.token("staff"))
        expect(own).toMatchObject({ status: 403, body: { message: expect.stringContaining("platform admin") } })
        expect(yield* recordOf(held.payment_id)).toMatchObject({ status: "initiated" })
        const sent = yield* act(held.payment_id, { action: "review" }, admin)
        expect(sent.response).toMatchObject({ status: "processing" })
      })
    )

    it.effect(
      "of the platform count payments of all organisations together, and are not the organisation's to lift",
      () =>
        Effect.gen(function* () {
          const { acme, admin, globex } = yield* people
          const phone = newPhone()
          const test = withEntry(
            { list: "allow", subject: "phone", value: phone },
            Effect.gen(function* () {
              expect((yield* initiate(by(phone), globex.key)).status).toBe(200)
              expect((yield* initiate(by(phone), acme.key)).body["message"]).toContain(`the platform's rule "shared"`)
            })
          )
          expect((yield* put("/v1/rules/shared", acme.key, limit)).status).toBe(403)
          expect((yield* put("/v1/rules/shared", admin, limit)).status).toBe(200)
          yield* Effect.ensuring(test, Effect.orDie(del("/v1/rules/shared", admin)))
          expect((yield* del("/v1/rules/shared", admin)).status).toBe(404)
        })
    )

    it.effect("are tried on past payments without stopping any", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const phone = newPhone()
        const ids = [yield* initiate(by(phone)), yield* initiate(by(phone)), yield* initiate(by(phone))]
        const answer = yield* post(
          `${yield* rulesPath}/try`,
          { ...acme.key },
          { ...limit, max_count: 2, subject: "email", action: "hold" }
        )
        const data = jsonOf(answer)["data"] as { readonly hits: number; readonly examples: ReadonlyArray<Json> }
        const hit = data.examples.filter(({ payment_id }) => ids.some((one) => one.payment_id === payment_id))
        expect(hit).toMatchObject([
          { payment_id: ids[2]!.payment_id, reason: expect.stringContaining("more than 2 payments") }
        ])
        expect(data).toMatchObject({ is_complete: true })
        expect(yield* Effect.map(get(`/organizations/${acme.org_id}/rules`), jsonOf)).toMatchObject({ data: [] })
      })
    )

    it.effect("are set by an org-admin, with a clear refusal of what makes no sense", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const path = `${yield* rulesPath}/test`
        const refused = (terms: object) =>
          Effect.map(put(path, acme.key, terms), ({ status, text }) => `${status} ${text}`)
        expect(yield* refused({ ...limit, max_count: null })).toMatch(/^400 .*max_count: is needed/)
        expect(yield* refused({ ...limit, kind: "structuring" })).toMatch(/^400 .*structuring compares/)
        expect(yield* refused({ ...limit, max_amount: 0.001 })).toMatch(/^400 .*max_amount/)
        expect(yield* refused({ ...limit, window_seconds: 3_000_000 })).toMatch(/^400 .*window_seconds/)
        expect((yield* put(path.replace("/test", "/No%20Name"), acme.key, limit)).status).toBe(400)
        expect((yield* put(path, acme.token("staff"), limit)).status).toBe(403)
        expect((yield* put(path, globex.key, limit)).status).toBe(403)
        const entry = (body: object) =>
          Effect.flatMap(listsPath, (lists) =>
            Effect.map(post(lists, { ...acme.key }, body), ({ status, text }) => `${status} ${text}`)
          )
        expect(yield* entry({ list: "block", subject: "ip_address", value: "not one" })).toMatch(/^400 .*value/)
        expect(yield* entry({ list: "block", subject: "beneficiary", value: "nobody" })).toMatch(/^400 .*value/)
        expect(yield* entry({ list: "block", subject: "card", value: "4242424242424242" })).toMatch(/^400 .*value/)
        yield* withRule(limit, Effect.void)
        const log = bodyOf(yield* get("/audit-log?action=rule.removed")) as { readonly data: ReadonlyArray<Json> }
        expect(log.data[0]).toMatchObject({
          subject_type: "rule",
          subject_id: "test",
          detail: { old: { max_count: 1 } }
        })
      })
    )
  })
}
