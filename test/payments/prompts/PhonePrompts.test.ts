/** Limits on prompts to one phone: by anonymous payers of links, by API callers, and by resent passwords. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { newLink } from "../../hosted/links/LinkFixtures.ts"
import { byPhone as atLinkByPhone, leadsTo, payAt, paymentsOf } from "../../hosted/pages/link/LinkPageFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, post } from "../../support/Send.ts"
import { act, setThreshold } from "../support/ActionCalls.ts"
import { initiate, recordOf } from "../support/PaymentCalls.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { onRamp } from "../support/RampCalls.ts"
import { byPhone } from "../support/Requests.ts"
import { onServer } from "../../support/TestServer.ts"

const open = { currency: "KES", country: "KE", amount_type: "open", description: "Donation" }
const TOO_OFTEN = "Too many payment requests"

const payin = (phone_number: string) => ({
  ...{ amount: 1500, currency: "KES", target_amount: 1500, target_currency: "KES" },
  ...{ payment_method: "mobile_money", direction: "payin", country: "KE" },
  payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
  mobile_money_details: { provider: "mpesa", phone_number }
})

for (const backend of ["memory", "PostgreSQL"] as const) {
  onServer("Prompts", backend, { variables: { PHONE_PROMPTS_API: "8", PHONE_PROMPTS_LINKS: "20" } }, (it) => {
    it.effect("are limited for one phone, whichever links of whichever organisations it is asked by", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const [one, another] = [yield* newLink(acme, open), yield* newLink(globex, open)]
        const pay = (link: typeof one, phone: string) => payAt(link, { ...atLinkByPhone(phone), amount: "100" })
        for (const phone of ["+254712345678", "0712345678", "+254 712 345678"]) leadsTo(yield* pay(one, phone))
        for (const phone of ["+254712345678", "0712 345 678"]) leadsTo(yield* pay(another, phone))
        for (const link of [one, another]) {
          const refused = yield* pay(link, "+254712345678")
          expect(refused.status, refused.text).toBe(429)
          expect(refused.text).toContain(TOO_OFTEN)
        }
        expect(yield* paymentsOf(acme, one)).toHaveLength(3)
        leadsTo(yield* pay(one, "+254712345679"))
        const initiated = yield* post("/v1/payments-init/initiate", { ...acme.key }, payin("+254712345678"))
        expect(initiated.status, "API callers have a limit of their own").toBe(200)
      })
    )

    it.effect("of API callers are refused with a code and a time, in all organisations together", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const send = (key: typeof acme.key, phone = "+254700000042") =>
          post("/v1/payments-init/initiate", { ...key }, payin(phone))
        expect((yield* send(acme.key)).status).toBe(200)
        expect((yield* send(globex.key)).status).toBe(200)
        const refused = yield* send(acme.key)
        expect(refused.status).toBe(429)
        expect(bodyOf(refused)).toMatchObject({
          status: "error",
          code: "RATE_LIMITED",
          message: expect.stringMatching(/^mobile_money_details\.phone_number: /)
        })
        const wait = Number(refused.headers["retry-after"])
        expect(wait).toBeGreaterThan(500)
        expect(wait).toBeLessThanOrEqual(600)
        expect((yield* send(acme.key, "+254700000043")).status).toBe(200)
      })
    )

    it.effect("are not counted for requests that send none", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const phone = "+254700000045"
        const send = (key: string) =>
          post("/v1/payments-init/initiate", { ...acme.key, "idempotency-key": key }, payin(phone))
        // One of them is made; the others are refused because it is.
        const together = yield* Effect.all(
          Array.from({ length: 6 }, () => send(`${backend}-together`)),
          { concurrency: "unbounded" }
        )
        expect(new Set(together.map(({ status }) => status).filter((status) => status !== 409))).toEqual(new Set([200]))
        expect((yield* send(`${backend}-second`)).status, "the second prompt").toBe(200)
        expect((yield* send(`${backend}-third`)).status).toBe(429)
      })
    )

    it.effect("count when an on-ramp collects by mobile money", () =>
      Effect.gen(function* () {
        const mobile = {
          bank_details: undefined,
          mobile_money_details: { provider: "mpesa", phone_number: "+254700000044" }
        }
        for (const status of [200, 200, 429]) expect((yield* onRamp("KE", mobile)).status).toBe(status)
      })
    )

    it.effect("count when a one-time password is sent again", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* initiate(byPhone("+254712340002"))
        const again = act(payment_id, { action: "resend_otp" })
        expect((yield* again).status).toBe(200)
        expect(yield* again).toMatchObject({ status: 429, body: { code: "RATE_LIMITED" } })
      })
    )
  })

  onPaymentServer("Prompts of held payments", backend, { variables: { PHONE_PROMPTS_API: "8" } }, (it) => {
    it.effect("are counted when a held payment is approved, and not before", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* setThreshold(acme.org_id, "10")
        const held = (phone: string) => initiate(payin(phone), acme.key)
        const approve = (payment_id: string) => act(payment_id, { action: "review" }, acme.token("staff"))
        const phone = "+254700000046"
        const all = [yield* held(phone), yield* held(phone), yield* held(phone)]
        expect(all.map(({ status }) => status)).toEqual([200, 200, 200])
        for (const [nth, status] of [
          [0, 200],
          [1, 200],
          [2, 429]
        ] as const) {
          const answer = yield* approve(all[nth]!.payment_id)
          expect(answer.status, JSON.stringify(answer.body)).toBe(status)
        }
        expect(yield* recordOf(all[2]!.payment_id), "it is still held").toMatchObject({ status: "initiated" })
        yield* setThreshold(acme.org_id, null)
        expect(yield* act(all[2]!.payment_id, { action: "review" }, acme.token("staff"))).toMatchObject({
          status: 429,
          body: { code: "RATE_LIMITED" }
        })
      })
    )
  })
}
