/**
 * Transfers under the provider's own ids: late, in part, of another payment, or with another amount. On both stores.
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Ids } from "../../../src/domain/Ids.ts"
import type { MovementKind } from "../../../src/domain/Movement.ts"
import { FeeRuleStore } from "../../../src/money/fees/Fees.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { backends } from "../../support/OnBothStores.ts"
import { expectBooksInOrder } from "../../treasury/accounts/AccountFixtures.ts"
import { itemsOf, resolve } from "../support/OperatorActions.ts"
import {
  attemptsOf,
  callBack,
  initiate,
  jsonOf,
  recordOf,
  type SaidMovement,
  eventsOfType
} from "../support/PaymentCalls.ts"
import { clearingOf, paysIn, threeProviders, watched } from "../support/PayinBalances.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { kenyanBank } from "../support/Requests.ts"
import { accepts } from "../support/ScriptedProvider.ts"

const moves = (kind: MovementKind, id: string, amount: string): SaidMovement => ({
  kind,
  id,
  amount: { amount, currency: "KES" },
  state: "settled"
})

for (const backend of backends) {
  const made = threeProviders()
  const { stripe } = made

  onPaymentServer("Transfers", backend, made, (it) => {
    const reported = (key: string, reference: string, state: string, ...movements: ReadonlyArray<SaidMovement>) =>
      callBack("stripe", { key, reference, state, movements })

    const paysOut = (country: string) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* serveCountry(country, ["stripe"], "bank_transfer", "outbound")
        stripe.on(`out ${country}`, accepts())
        const answer = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank())
        const { data } = jsonOf(answer) as { readonly data: { readonly beneficiary_id: string } }
        const { payment_id } = yield* initiate({
          ...{ amount: 1500, target_amount: 1500, currency: "KES", target_currency: "KES", country },
          ...{ payment_method: "bank_transfer", direction: "payout", beneficiary_id: data.beneficiary_id },
          description: `out ${country}`,
          bank_details: { account_name: "Acme", account_number: "1", bank_name: "B", country },
          bank_account: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" }
        })
        const [attempt] = yield* attemptsOf(payment_id)
        return { payment_id, reference: String(attempt?.["attempt_id"]) }
      })

    it.effect("an accepted underpayment is charged the fee of what was accepted", () =>
      Effect.gen(function* () {
        const { gained, org_id } = yield* watched
        const rules = yield* FeeRuleStore
        const fee_rule_id = yield* Effect.flatMap(Ids, (ids) => ids.next)
        yield* rules.put({
          ...{ fee_rule_id, org_id, payment_method: "card", direction: "inbound" },
          ...{ basis_points: 1000, fixed: null }
        } as const)
        const { payment_id, reference } = yield* paysIn(stripe, "FR")
        expect(yield* recordOf(payment_id)).toMatchObject({ total_fees: 150 })
        yield* reported("FR part", reference, "completed", moves("collection", "ch_fr", "500.00"))
        yield* resolve(payment_id, "completed")
        yield* rules.remove(fee_rule_id)
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", amount: 500, total_fees: 50 })
        expect(yield* gained).toEqual({ stripe: -500, settlement: 450, fees: 50 })
        expect(yield* itemsOf(payment_id)).toEqual([])
        yield* expectBooksInOrder
      })
    )

    it.effect("a payout that was refused and then paid is borne by its organisation, or came back", () =>
      Effect.gen(function* () {
        const { gained } = yield* watched
        const late = (country: string) =>
          Effect.gen(function* () {
            const { payment_id, reference } = yield* paysOut(country)
            yield* reported(`${country} no`, reference, "failed")
            yield* reported(
              `${country} paid`,
              reference,
              "completed",
              moves("disbursement", `po_${country}`, "1500.00")
            )
            expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
            expect(yield* clearingOf(payment_id)).toEqual(["-1500.00 KES"])
            expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
            return payment_id
          })
        const borne = yield* late("DE")
        yield* resolve(borne, "completed")
        expect(yield* gained).toEqual({ stripe: 1500, settlement: -1500 })
        expect(yield* itemsOf(borne)).toEqual([])
        const back = yield* late("AT")
        yield* resolve(back, "failed")
        expect(yield* gained).toEqual({ stripe: 1500, settlement: -1500 })
        expect(yield* itemsOf(back)).toEqual([])
        yield* expectBooksInOrder
      })
    )

    it.effect("a payout that comes back in part waits with that part, and all of it is given back with its fee", () =>
      Effect.gen(function* () {
        const { gained } = yield* watched
        const { payment_id, reference } = yield* paysOut("ES")
        yield* reported("ES paid", reference, "completed", moves("disbursement", "po_es", "1500.00"))
        yield* reported("ES part", reference, "returned", moves("reinstatement", "re_es_1", "400.00"))
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
        expect(yield* gained).toEqual({ stripe: 1100, settlement: -1500, clearing: 400 })
        expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
        yield* reported("ES rest", reference, "returned", moves("reinstatement", "re_es_2", "1100.00"))
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
        expect(yield* gained).toEqual({})
        expect(yield* itemsOf(payment_id)).toEqual([])
        yield* expectBooksInOrder
      })
    )

    it.effect("a payout that comes back in parts is returned in events, and a part that is paid again regained", () =>
      Effect.gen(function* () {
        const { payment_id, reference } = yield* paysOut("GR")
        yield* reported("GR paid", reference, "completed", moves("disbursement", "po_gr", "1500.00"))
        yield* reported("GR part", reference, "returned", moves("reinstatement", "re_gr_1", "400.00"))
        yield* reported("GR again", reference, "completed", moves("reversal", "re_gr_1", "400.00"))
        yield* reported("GR all", reference, "returned", moves("reinstatement", "re_gr_2", "1500.00"))
        const disputes = (yield* eventsOfType(payment_id, "transaction.updated")).filter((one) => "dispute" in one)
        expect(disputes).toMatchObject([
          { status: "completed", dispute: { kind: "returned", amount: 400, currency: "KES" } },
          { status: "completed", dispute: { kind: "regained", amount: 400, currency: "KES" } },
          { status: "refunded", dispute: { kind: "returned", amount: 1500, currency: "KES" } }
        ])
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      })
    )

    it.effect("a transfer of another payment moves nothing, and an item says whose it is", () =>
      Effect.gen(function* () {
        const { gained } = yield* watched
        const [first, second] = [yield* paysIn(stripe, "IT"), yield* paysIn(stripe, "PT")]
        yield* reported("IT paid", first.reference, "completed", moves("collection", "ch_1", "1500.00"))
        const wrong = (key: string) =>
          callBack("stripe", {
            ...{ key, reference: second.reference, state: "completed" },
            movements: [moves("collection", "ch_1", "1500.00")]
          })
        // Corrects the funds: what the scripted provider reports here is not so.
        const holdings = stripe.funds.holdings().get("KES")
        expect((yield* wrong("PT wrong")).status).toBe(200)
        expect((yield* wrong("PT wrong again")).status).toBe(200)
        expect(stripe.funds.holdings().get("KES")).toBe(holdings)
        expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
        expect(yield* recordOf(second.payment_id)).toMatchObject({ status: "pending" })
        const [item, ...others] = yield* itemsOf(second.payment_id)
        expect(others).toEqual([])
        expect(item).toMatchObject({ kind: "unknown_outcome" })
        expect(item?.["detail"]).toContain("ch_1")
        expect(item?.["detail"]).toContain(first.payment_id)
        yield* reported("PT paid", second.reference, "completed", moves("collection", "ch_2", "1500.00"))
        expect(yield* recordOf(second.payment_id)).toMatchObject({ status: "completed" })
        expect(yield* gained).toEqual({ stripe: -3000, settlement: 3000 })
        yield* expectBooksInOrder
      })
    )

    it.effect("a transfer of another payment is not taken for one that an operator stated", () =>
      Effect.gen(function* () {
        const { gained } = yield* watched
        const [first, second] = [yield* paysIn(stripe, "SE"), yield* paysIn(stripe, "FI")]
        yield* reported("SE paid", first.reference, "completed", moves("collection", "ch_se", "1500.00"))
        yield* reported("SE part", first.reference, "returned", moves("refund", "re_se", "100.00"))
        yield* reported("FI paid", second.reference, "completed", moves("collection", "ch_fi", "1600.00"))
        yield* resolve(second.payment_id, "failed", "given back by hand")
        const before = yield* gained
        const holdings = stripe.funds.holdings().get("KES")
        const { status } = yield* reported("FI wrong", second.reference, "returned", moves("refund", "re_se", "100.00"))
        expect(status).toBe(200)
        expect(stripe.funds.holdings().get("KES")).toBe(holdings)
        expect(yield* gained).toEqual(before)
        expect(yield* itemsOf(second.payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
        yield* expectBooksInOrder
      })
    )

    it.effect("a transfer that is reported with another amount keeps the first, and an operator must look", () =>
      Effect.gen(function* () {
        const { gained } = yield* watched
        const { payment_id, reference } = yield* paysIn(stripe, "NL")
        yield* reported("NL paid", reference, "completed", moves("collection", "ch_nl", "1500.00"))
        yield* reported("NL other", reference, "completed", moves("collection", "ch_nl", "1400.00"))
        expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
        expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
        yield* expectBooksInOrder
      })
    )

    it.effect("an operator books the second amount of a transfer, and what differs waits for a decision", () =>
      Effect.gen(function* () {
        const { gained } = yield* watched
        const corrected = (country: string, amount: number) =>
          Effect.gen(function* () {
            const { payment_id, reference } = yield* paysIn(stripe, country)
            const id = `ch_${country}`
            const other = moves("collection", id, `${amount}.00`)
            yield* reported(`${country} paid`, reference, "completed", moves("collection", id, "1500.00"))
            yield* reported(`${country} other`, reference, "completed", other)
            const [question] = yield* itemsOf(payment_id)
            const book = (to: number, movement?: string) =>
              resolve(payment_id, "completed", "seen at stripe", String(question?.["item_id"]), movement, to)
            expect(yield* Effect.flip(book(1500))).toMatchObject({ _tag: "Conflict" })
            expect(yield* Effect.flip(book(amount, "ch_else"))).toMatchObject({ _tag: "Conflict" })
            yield* book(amount, id)
            expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
            yield* reported(`${country} again`, reference, "completed", other)
            expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
            return payment_id
          })
        // Keeps the funds as first reported: one less and one more come to the same.
        const less = yield* corrected("BE", 1400)
        expect(yield* gained).toEqual({ stripe: -1400, settlement: 1500, clearing: -100 })
        yield* resolve(less, "completed")
        expect(yield* gained).toEqual({ stripe: -1400, settlement: 1400 })
        const more = yield* corrected("IE", 1600)
        expect(yield* gained).toEqual({ stripe: -3000, settlement: 2900, clearing: 100 })
        yield* resolve(more, "completed")
        expect(yield* gained).toEqual({ stripe: -3000, settlement: 3000 })
        yield* expectBooksInOrder
      })
    )

    it.effect("an operator books the second amount of money that came for a payment that had failed", () =>
      Effect.gen(function* () {
        const { gained } = yield* watched
        const late = (country: string, first: number, second: number) =>
          Effect.gen(function* () {
            const { payment_id, reference } = yield* paysIn(stripe, country)
            const came = (amount: number) => moves("collection", `ch_${country}`, `${amount}.00`)
            yield* reported(`${country} no`, reference, "failed")
            yield* reported(`${country} late`, reference, "completed", came(first))
            yield* reported(`${country} other`, reference, "completed", came(second))
            const question = (yield* itemsOf(payment_id)).find(({ kind }) => kind === "unknown_outcome")
            yield* resolve(payment_id, "completed", "seen at stripe", String(question?.["item_id"]), undefined, second)
            expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
            expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
            return payment_id
          })
        // Keeps the funds as first reported: one less and one more come to the same.
        const less = yield* late("DK", 1500, 1400)
        expect(yield* gained).toEqual({ stripe: -1400, clearing: 1400 })
        yield* resolve(less, "completed")
        expect(yield* gained).toEqual({ stripe: -1400, settlement: 1400 })
        yield* late("NO", 1400, 1500)
        expect(yield* gained).toEqual({ stripe: -2900, settlement: 1400, clearing: 1500 })
        yield* expectBooksInOrder
      })
    )
  })
}
