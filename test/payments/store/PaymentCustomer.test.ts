/** Searches of payments by payer or payee. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { everything } from "../../support/ListPages.ts"
import { newOwner, newPayment } from "../support/NewPayment.ts"

const payer = { name: "Wanjiru Kamau", email: "Wanjiru@example.com", phone: "+254 712 345-678" }

onBothStores("A payment's customer", (it) => {
  it.effect("is found by phone number and e-mail address, however they are written, within the organisation", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const { payment: paid } = yield* newPayment(mine, { payer_details: payer })
      const details = { provider: "mpesa", phone_number: "+254700111222" }
      const { payment: moved } = yield* newPayment(mine, { payer_details: {}, mobile_money_details: details })
      const recipient_info = { fname: "Ada", email: "ada@example.com", phone_number: "0700 333 444" }
      const { payment: sent } = yield* newPayment(mine, { payer_details: {}, recipient_info })
      yield* newPayment(theirs, { payer_details: payer })
      const found = (customer: string, status?: "failed") =>
        Effect.map(store.list(Option.some(mine.org_id), { customer, ...(status && { status }) }, everything), (all) =>
          all.map(({ payment_id }) => payment_id)
        )
      expect(yield* found("wanjiru@EXAMPLE.com")).toEqual([paid.payment_id])
      expect(yield* found("254712345678")).toEqual([paid.payment_id])
      expect(yield* found("+254 (700) 111-222")).toEqual([moved.payment_id])
      expect(yield* found("ada@example.com")).toEqual([sent.payment_id])
      expect(yield* found("0700333444")).toEqual([sent.payment_id])
      expect(yield* found("25471234567")).toEqual([])
      expect(yield* found("kamau")).toEqual([])
      expect(yield* found("@")).toEqual([])
      expect(yield* found("wanjiru@example.com", "failed")).toEqual([])
    })
  )

  it.effect(
    "is found by a phone number without its country's code, wherever mobile money is or the caller is at home",
    () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const { payment: kenyan } = yield* newPayment(owner, { payer_details: payer })
        const mobile_money_details = { provider: "mpesa", phone_number: "+255712345678" }
        const { payment: tanzanian } = yield* newPayment(owner, { payer_details: {}, mobile_money_details })
        const { payment: nigerian } = yield* newPayment(owner, { payer_details: { phone: "+2348031234567" } })
        const found = (customer: string, home?: string) =>
          Effect.map(
            store.list(
              Option.some(owner.org_id),
              { customer, home: home === undefined ? undefined : CountryCode.make(home) },
              everything
            ),
            (all) => new Set(all.map(({ payment_id }) => payment_id))
          )
        expect(yield* found("0712 345 678", "NG")).toEqual(new Set([kenyan.payment_id, tanzanian.payment_id]))
        expect(yield* found("0712 345 678"), "by callers who may see all organisations").toEqual(new Set())
        expect(yield* found("+254712345678")).toEqual(new Set([kenyan.payment_id]))
        expect(yield* found("0803 123 4567", "KE")).toEqual(new Set())
        expect(yield* found("0803 123 4567", "NG")).toEqual(new Set([nigerian.payment_id]))
        expect(yield* found("0712345679", "KE")).toEqual(new Set())
      })
  )
})
