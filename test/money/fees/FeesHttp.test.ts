/** Fees of initiated payments over HTTP: exact on the wire, and a row behind each. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import type { Flow, PaymentMethod } from "../../../src/domain/Corridor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Fees } from "../../../src/money/fees/Fees.ts"
import { setThreshold } from "../../payments/support/ActionCalls.ts"
import { get, initiate, type Json, jsonOf, untilStatus } from "../../payments/support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../../payments/support/PaymentServer.ts"
import { byBank, byCard, byPhone, kenyanPhone, payoutByPhone } from "../../payments/support/Requests.ts"
import { type Cast, people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { storedFees } from "./StoredFees.ts"

const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })

const charge = (
  { org_id }: Cast,
  payment_method: PaymentMethod,
  direction: Flow,
  basis_points: number,
  fixed: Money | null = null
) =>
  Effect.flatMap(Fees, (fees) =>
    fees.set(operatorPermit("platform", "olga"), { org_id, payment_method, direction }, { basis_points, fixed })
  )

/** The two fields of the record, byte for byte. */
const feesIn = (text: string) => /"fee_ids":\[(.*?)\],"total_fees":([^,]*),/.exec(text)?.slice(1)

const rawRecord = (paymentId: PaymentId) => Effect.map(get(`/payments/${paymentId}`), ({ text }) => text)

/** A payment has one fee, of this much; its row, its record and its line in the list agree. */
const expectFee = (paymentId: PaymentId, onWire: string, row: { readonly amount: string; readonly currency: string }) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const [fee, ...others] = yield* storedFees(paymentId)
    expect(others).toEqual([])
    expect(fee).toMatchObject({ ...row, org_id: acme.org_id })
    const shown = [`"${fee?.fee_id}"`, onWire]
    expect(feesIn(yield* rawRecord(paymentId))).toEqual(shown)
    const listed = (yield* get("/transactions?limit=100")).text.split('{"payment_id":')
    const own = listed.find((text) => text.startsWith(`"${paymentId}"`))
    expect(feesIn(own ?? "")).toEqual(shown)
  })

const none = ["", "null"]

onDatabasePaymentServer(
  "Fees",
  () => ({}),
  (it) => {
    it.effect("of a payin are exact in the record, and stay until it is complete", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* charge(acme, "mobile_money", "inbound", 150, shillings(1_050n))
        const { payment_id, status } = yield* initiate(byPhone())
        expect(status).toBe(200)
        yield* expectFee(payment_id, "33.00", { amount: "33.00", currency: "KES" })
        yield* untilStatus(payment_id, "completed")
        yield* expectFee(payment_id, "33.00", { amount: "33.00", currency: "KES" })
      })
    )

    it.effect("are those of the moment: a later rule changes nothing of an earlier payment", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* charge(acme, "card", "inbound", 100)
        const before = yield* initiate({ ...byCard(), amount: 2.5, target_amount: 2.5 })
        yield* charge(acme, "card", "inbound", 0)
        const after = yield* initiate(byCard())
        yield* expectFee(before.payment_id, "0.02", { amount: "0.02", currency: "KES" })
        expect(feesIn(yield* rawRecord(after.payment_id))).toEqual(none)
        expect(yield* storedFees(after.payment_id)).toEqual([])
      })
    )

    it.effect("are nothing without a rule, for another organisation's rule, and where they round to nothing", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        yield* charge(globex, "bank_transfer", "inbound", 500)
        yield* charge(acme, "bank_transfer", "outbound", 500)
        const unruled = yield* initiate(byBank())
        yield* charge(acme, "bank_transfer", "inbound", 1)
        const small = yield* initiate({ ...byBank(), amount: 50, target_amount: 50 })
        for (const { payment_id, status } of [unruled, small]) {
          expect(status).toBe(200)
          expect(feesIn(yield* rawRecord(payment_id))).toEqual(none)
          expect(yield* storedFees(payment_id)).toEqual([])
        }
      })
    )

    it.effect("never take more than a payin brings", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* charge(acme, "card", "inbound", 150, shillings(5_000n))
        const { payment_id } = yield* initiate({ ...byCard(), amount: 20, target_amount: 20 })
        yield* expectFee(payment_id, "20.00", { amount: "20.00", currency: "KES" })
      })
    )

    it.effect("of a cross-currency payin are in what the organisation receives, of a payout in what it pays", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const locked = Effect.map(
          get("/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=UGX&amount=1500"),
          (rate) => {
            const { org_rate_id, target_amount } = jsonOf(rate)["data"] as Json
            return { org_rate_id, target_amount, target_currency: "UGX" }
          }
        )
        const across = yield* locked
        const { target_amount } = across

        yield* charge(acme, "card", "inbound", 10_000, shillings(1_050n))
        const payin = yield* initiate({ ...byCard(), ...across })
        expect(payin.status).toBe(200)
        const all = String(target_amount)
        yield* expectFee(payin.payment_id, `${all}.0`, { amount: all, currency: "UGX" })

        yield* charge(acme, "mobile_money", "outbound", 150, shillings(1_050n))
        const momo = { provider: "mtn", phone_number: "+256772123456" }
        const ugandan = { ...kenyanPhone(), country: "UG", currency: "UGX", momo_details: momo }
        const made = yield* post("/v1/beneficiaries", { ...acme.key }, ugandan)
        const { beneficiary_id } = jsonOf(made)["data"] as Json
        const request = { ...payoutByPhone(String(beneficiary_id)), country: "UG", mobile_money_details: momo }
        const payout = yield* initiate({ ...request, ...(yield* locked) })
        expect(payout.status).toBe(200)
        yield* expectFee(payout.payment_id, "33.00", { amount: "33.00", currency: "KES" })
      })
    )

    it.effect("are decided for a payment that waits for a review, before it is sent", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* charge(acme, "mobile_money", "inbound", 150)
        const { payment_id, response } = yield* Effect.acquireUseRelease(
          setThreshold(acme.org_id, "1000"),
          () => initiate(byPhone()),
          () => setThreshold(acme.org_id, null)
        )
        expect(response).toMatchObject({ status: "initiated", next_action: "wait" })
        yield* expectFee(payment_id, "22.50", { amount: "22.50", currency: "KES" })
      })
    )

    it.effect("are listed to those with reports: an organisation's own, and all to a platform admin", () =>
      Effect.gen(function* () {
        const { acme, admin, globex } = yield* people
        yield* charge(acme, "wallet", "inbound", 150, shillings(1_050n))
        yield* charge(globex, "wallet", "inbound", 25)
        const list = (credential: object, query = "") => send(`/v1/fees${query}`, { headers: { ...credential } })
        const own = yield* list(acme.token("staff"))
        expect(own.status, own.text).toBe(200)
        const rule = '"payment_method":"wallet","direction":"inbound","basis_points":150'
        expect(own.text).toContain(`${rule},"fixed_amount":10.50,"fixed_currency":"KES"`)
        const orgsIn = (answer: { readonly text: string }) =>
          new Set(((bodyOf(answer as never) as Json)["data"] as ReadonlyArray<Json>).map(({ org_id }) => org_id))
        expect(orgsIn(own)).toEqual(new Set([acme.org_id]))
        expect(orgsIn(yield* list(admin))).toEqual(new Set([acme.org_id, globex.org_id]))
        expect(orgsIn(yield* list(admin, `?org_id=${globex.org_id}`))).toEqual(new Set([globex.org_id]))
        expect((yield* list(acme.token("member"))).status).toBe(403)
        expect((yield* list(acme.token("staff"), `?org_id=${globex.org_id}`)).status).toBe(403)
      })
    )

    it.effect("reach payments that every provider refused, too", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* charge(acme, "mobile_money", "inbound", 150)
        const { payment_id, status } = yield* initiate(byPhone("+254712340001"))
        expect(status).toBe(502)
        yield* expectFee(payment_id, "22.50", { amount: "22.50", currency: "KES" })
      })
    )
  }
)
