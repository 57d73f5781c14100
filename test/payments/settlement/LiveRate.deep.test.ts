/** A refund costs the payment's own rate for a day after its completion, and the live rate after that. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { people } from "../../support/TestCredentials.ts"
import { expectBooksInOrder } from "../../treasury/accounts/AccountFixtures.ts"
import { act } from "../support/ActionCalls.ts"
import {
  eventually,
  get,
  initiate,
  type Json,
  jsonOf,
  ofKind,
  recordOf,
  timelineOf,
  eventsOfType,
  untilStatus
} from "../support/PaymentCalls.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { byPhone } from "../support/Requests.ts"
import { backends } from "../../support/OnBothStores.ts"

const setRates = (...all: ReadonlyArray<readonly [from: string, to: string, rate: string]>) =>
  Effect.flatMap(RateStore, (store) =>
    store.set(all.map(([from_currency, to_currency, rate]) => ({ from_currency, to_currency, rate })))
  )

for (const backend of backends) {
  const clock = movableClock()
  onPaymentServer("The rate of a refund", backend, { clock }, (it) => {
    /** 10,000 shillings into 78 dollars. */
    const paid = Effect.gen(function* () {
      yield* setRates(["KES", "USD", "0.0078"], ["USD", "KES", "128"])
      const path = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USD&amount=10000"
      const { org_rate_id, target_amount } = jsonOf(yield* get(path))["data"] as Json
      const { payment_id } = yield* initiate({
        ...byPhone(),
        amount: 10_000,
        target_amount,
        target_currency: "USD",
        org_rate_id
      })
      yield* untilStatus(payment_id, "completed")
      return payment_id
    })

    const balance = Effect.gen(function* () {
      const { acme } = yield* people
      const account = LedgerAccount.settlement(acme.org_id, CurrencyCode.make("USD"))
      const { minor } = yield* Effect.flatMap(LedgerStore, (ledger) => ledger.balance(account))
      return Number(minor)
    })

    const settled = (id: string, count: number) =>
      eventually(recordOf(id), ({ refunds }) => {
        const all = refunds as ReadonlyArray<Json>
        return all.length === count && all.every(({ state }) => state === "completed")
      })

    it.effect("is the payment's own within a day after its completion", () =>
      Effect.gen(function* () {
        const id = yield* paid
        yield* setRates(["USD", "KES", "100"])
        yield* timePasses(clock, "23 hours")
        const before = yield* balance
        expect((yield* act(id, { action: "refund", amount: 5000 })).status).toBe(200)
        const { refunds } = yield* settled(id, 1)
        expect(refunds).toMatchObject([
          { amount: 5000, target_amount: 39, target_currency: "USD", rate: 0.0078, rate_basis: "original" }
        ])
        expect(before - (yield* balance)).toBe(3900)
      })
    )

    it.effect("is the live one of its moment after that, shown in the record, the timeline and the event", () =>
      Effect.gen(function* () {
        const id = yield* paid
        expect((yield* act(id, { action: "refund", amount: 1000 })).status).toBe(200)
        yield* settled(id, 1)
        // The shilling has become dearer: 120 of them for a dollar.
        yield* setRates(["USD", "KES", "120"])
        yield* timePasses(clock, "24 hours")
        const before = yield* balance
        expect((yield* act(id, { action: "refund", amount: 3000 })).status).toBe(200)
        yield* settled(id, 2)
        yield* setRates(["USD", "KES", "110"])
        expect((yield* act(id, { action: "refund" })).status).toBe(200)
        const record = yield* untilStatus(id, "refunded")
        expect(record["refunds"]).toMatchObject([
          { amount: 1000, target_amount: 7.8, rate: 0.0078, rate_basis: "original" },
          { amount: 3000, target_amount: 25, rate: 0.00833333333333, rate_basis: "live" },
          { amount: 6000, target_amount: 54.55, rate: 0.0090909090909, rate_basis: "live" }
        ])
        // 3,000 / 120 and 6,000 / 110, rounded up.
        expect(before - (yield* balance)).toBe(2500 + 5455)
        const attempts = ofKind(yield* timelineOf(id), "attempt").filter(({ leg }) => leg === "refund")
        expect(attempts.map(({ rate_basis }) => rate_basis)).toEqual(["original", "live", "live"])
        const published = yield* eventsOfType(id, "payment.refunded")
        expect(published).toMatchObject([
          { amount: 1000, rate: 0.0078, rate_basis: "original" },
          { amount: 3000, rate: 0.00833333333333, rate_basis: "live" },
          { amount: 6000, rate: 0.0090909090909, rate_basis: "live" }
        ])
        yield* expectBooksInOrder
      })
    )

    it.effect("gives the cost when the digits that are shown are multiplied", () =>
      Effect.gen(function* () {
        const id = yield* paid
        // The exact inverse is 0.0078000000000078, so 5,000 cost a little more than 39.
        yield* setRates(["USD", "KES", "128.205128205"])
        yield* timePasses(clock, "24 hours")
        const before = yield* balance
        expect((yield* act(id, { action: "refund", amount: 5000 })).status).toBe(200)
        const { refunds } = yield* settled(id, 1)
        expect(refunds).toMatchObject([
          { amount: 5000, target_amount: 39.01, rate: 0.00780000000001, rate_basis: "live" }
        ])
        expect(before - (yield* balance)).toBe(3901)
        yield* expectBooksInOrder
      })
    )

    it.effect("is nothing where nothing was converted", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* initiate(byPhone())
        yield* untilStatus(payment_id, "completed")
        yield* timePasses(clock, "30 hours")
        expect((yield* act(payment_id, { action: "refund" })).status).toBe(200)
        const { refunds } = yield* untilStatus(payment_id, "refunded")
        expect(refunds).toMatchObject([{ target_amount: 1500, target_currency: "KES", rate: null, rate_basis: null }])
      })
    )
  })
}
