/** Refusals of an initiation, before and after a payment exists, and who may pay out. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { post, send } from "../../support/Send.ts"
import { get, initiate, jsonOf } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { byBank, byCard, byPhone, kenyanPhone, payoutByPhone } from "../support/Requests.ts"

const without = (request: object, field: string) =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== field))

const countOf = Effect.gen(function* () {
  const answer = yield* get("/transactions?limit=100")
  return (jsonOf(answer) as { readonly data: ReadonlyArray<unknown> }).data.length
})

const lockRate = (from: string, to: string, amount: number) =>
  Effect.gen(function* () {
    const answer = yield* get(
      `/organizations/admin/exchange-rate?fromCurrency=${from}&toCurrency=${to}&amount=${amount}`
    )
    const { data } = jsonOf(answer) as {
      readonly data: { readonly org_rate_id: string; readonly target_amount: number }
    }
    return data
  })

onDatabasePaymentServer(
  "Refusals",
  () => ({}),
  (it) => {
    it.effect("name the field, and make no payment", () =>
      Effect.gen(function* () {
        const before = yield* countOf
        const card = byCard().card_details
        const cases: ReadonlyArray<readonly [string, object]> = [
          ...["amount", "target_amount", "currency", "target_currency", "payment_method", "direction"].map(
            (field) => [field, without(byPhone(), field)] as const
          ),
          ["payer_details", without(byPhone(), "payer_details")],
          ["mobile_money_details", without(byPhone(), "mobile_money_details")],
          ["card_details", without(byCard(), "card_details")],
          ["bank_details", without(byBank(), "bank_details")],
          ["bank_account", without(byBank(), "bank_account")],
          ["beneficiary_id", without(payoutByPhone("x"), "beneficiary_id")],
          ["beneficiary_id", payoutByPhone("not-an-id")],
          ["payer_details.email", { ...byPhone(), payer_details: { ...byPhone().payer_details, email: "wanjiru" } }],
          ["payer_details.phone", { ...byPhone(), payer_details: without(byPhone().payer_details, "phone") }],
          ["payer_details.name", { ...byPhone(), payer_details: { ...byPhone().payer_details, name: " " } }],
          [
            "mobile_money_details.provider",
            { ...byPhone(), mobile_money_details: { provider: "mtn", phone_number: "0712345678" } }
          ],
          [
            "mobile_money_details.phone_number",
            { ...byPhone(), mobile_money_details: { provider: "mpesa", phone_number: "ring me" } }
          ],
          ["card_details.card_number", byCard("424242424242")],
          ["card_details.card_number", byCard("42424242424242424242")],
          ["card_details.card_number", byCard("4242 4242 4242 4242")],
          ["card_details.expiry_month", { ...byCard(), card_details: { ...card, expiry_month: "13" } }],
          ["card_details.expiry_year", { ...byCard(), card_details: { ...card, expiry_year: "2024" } }],
          ["payer_details.phone", { ...byCard(), payer_details: { ...byCard().payer_details, phone: "12" } }],
          ["mobile_money_details.phone_number", byPhone("+256712345678")],
          ["currency", { ...byPhone(), currency: "USD", target_currency: "USD" }],
          ["payment_method", { ...byCard(), direction: "payout", beneficiary_id: "x" }],
          ["card_details.cvv", { ...byCard(), card_details: { ...card, cvv: "12" } }],
          ["amount", { ...byPhone(), amount: 0, target_amount: 0 }],
          ["amount", { ...byPhone(), amount: -1, target_amount: -1 }],
          ["amount", { ...byPhone(), amount: "1500", target_amount: "1500" }],
          ["amount", { ...byPhone(), amount: 10.001, target_amount: 10.001 }],
          ["target_amount", { ...byPhone(), target_amount: 1500.01 }],
          ["currency", { ...byPhone(), currency: "kes" }],
          ["currency", { ...byPhone(), currency: "ZZZ", target_currency: "ZZZ" }],
          ["org_rate_id", { ...byPhone(), target_currency: "USD", target_amount: 11.61 }],
          ["payment_method", { ...byPhone(), payment_method: "crypto" }],
          ["direction", { ...byPhone(), direction: "inbound" }],
          ["country", { ...byPhone(), country: "Kenya" }],
          ["return_url", { ...byCard(), return_url: "http://shop.example/back" }],
          ["metadata", { ...byPhone(), metadata: [1] }]
        ]
        for (const [field, request] of cases) {
          const { body, status, text } = yield* initiate(request)
          expect({ field, status, code: body["code"] }).toEqual({ field, status: 400, code: "VALIDATION_ERROR" })
          expect(text, field).toContain(`${field}: `)
          expect(Object.keys(body).toSorted()).toEqual(["code", "error", "message", "status"])
          expect(text).not.toContain("42424242")
        }
        expect(yield* countOf).toBe(before)
      })
    )

    it.effect("cover amounts that JSON can write and money cannot be", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const text = JSON.stringify(byPhone())
        for (const amount of [
          "1e309",
          "-0",
          "0.0",
          "1234567890123456",
          "1500.000000000000001",
          "NaN",
          "null",
          "true"
        ]) {
          const answer = yield* send("/v1/payments-init/initiate", {
            method: "POST",
            headers: { "content-type": "application/json", ...acme.key },
            body: text.replace('"amount":1500', `"amount":${amount}`)
          })
          expect({ amount, status: answer.status }).toEqual({ amount, status: 400 })
        }
      })
    )

    it.effect("are 422 where no provider serves the corridor, with the reason of each", () =>
      Effect.gen(function* () {
        const before = yield* countOf
        const { body, status, text } = yield* initiate({ ...byCard(), country: "FR" })
        expect(status).toBe(422)
        expect(body).toMatchObject({ status: "error", code: "ROUTING_CONFIG_NOT_FOUND" })
        expect(body).not.toHaveProperty("payment_id")
        expect(text).toContain("No provider serves card inbound in FR")
        expect(yield* countOf).toBe(before)
      })
    )

    it.effect("say RATE_MISMATCH when the locked rate does not give the amounts", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const { org_rate_id, target_amount } = yield* lockRate("KES", "USD", 1500)
        const request = { ...byPhone(), target_currency: "USD", target_amount, org_rate_id }
        const mismatched = [
          { ...request, target_amount: target_amount + 0.01 },
          { ...request, org_rate_id: "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88" },
          { ...request, org_rate_id: "not an id" },
          { ...request, target_currency: "GBP" }
        ]
        for (const wrong of mismatched) {
          const { body, status } = yield* initiate(wrong)
          expect({ wrong, status, code: body["code"] }).toEqual({ wrong, status: 400, code: "RATE_MISMATCH" })
        }
        const foreign = yield* initiate(request, globex.key)
        expect(foreign.body["code"]).toBe("RATE_MISMATCH")
        const taken = yield* initiate(request, acme.key)
        expect(taken.status).toBe(200)
        expect(taken.text).toContain(`"target_amount":${target_amount}`)
      })
    )

    it.effect("hold payouts to staff and above, while members take payins", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const made = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanPhone())
        const { data } = jsonOf(made) as { readonly data: { readonly beneficiary_id: string } }
        const payout = payoutByPhone(data.beneficiary_id)
        const refused = yield* initiate(payout, acme.token("member"))
        expect(refused.status).toBe(403)
        expect(refused.body).toMatchObject({ status: "error", code: "FORBIDDEN" })
        for (const credential of [acme.token("staff"), acme.token("org-admin"), acme.key]) {
          expect((yield* initiate(payout, credential)).status).toBe(200)
        }
        expect((yield* initiate(byPhone(), acme.token("member"))).status).toBe(200)
        const foreign = yield* initiate(payout, globex.key)
        expect(refusedFields(foreign)).toEqual([400, "beneficiary_id"])
      })
    )

    it.effect("take organisation and user from the credential, whatever the body says", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const { payment_id, status } = yield* initiate(
          { ...byPhone(), org_id: globex.org_id, user_id: globex.userId("staff") },
          acme.token("member")
        )
        expect(status).toBe(200)
        const record = jsonOf(yield* get(`/payments/${payment_id}`))
        expect(record).toMatchObject({ org_id: acme.org_id, user_id: acme.userId("member") })
        expect(record["user_metadata"]).toEqual({ user_id: acme.userId("member"), role: "member" })
        expect((yield* get(`/payments/${payment_id}`, globex.key)).status).toBe(404)
      })
    )

    it.effect("let the platform's admin pay for an organisation that is named, in the body or the query", () =>
      Effect.gen(function* () {
        const { acme, admin, adminId, globex } = yield* people
        const none = yield* initiate(byPhone(), admin)
        expect([none.status, none.text]).toEqual([400, expect.stringContaining("org_id: say which organisation")])
        const inBody = yield* initiate({ ...byPhone(), org_id: globex.org_id }, admin)
        const record = jsonOf(yield* get(`/payments/${inBody.payment_id}`, globex.key))
        expect(record).toMatchObject({ org_id: globex.org_id, user_id: adminId })
        const inQuery = yield* send(`/v1/payments-init/initiate?org_id=${acme.org_id}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...admin },
          body: JSON.stringify(byPhone())
        })
        expect(inQuery.status).toBe(200)
        const foreign = yield* send(`/v1/payments-init/initiate?org_id=${globex.org_id}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...acme.key },
          body: JSON.stringify(byPhone())
        })
        expect(foreign.status).toBe(403)
      })
    )
  }
)
