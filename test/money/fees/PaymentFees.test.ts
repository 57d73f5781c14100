/** A payment and its fees at rest: written together, read back exactly, left alone by later changes. */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Ids } from "../../../src/domain/Ids.ts"
import { totalOf } from "../../../src/domain/Fee.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { NewFee } from "../../../src/domain/Fee.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { changeTo, makeAttempt, makePayment, newOwner, shillings } from "../../payments/support/NewPayment.ts"
import { openStoresOn, type StoreServices } from "../../payments/support/PaymentServices.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { backends } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { storedFees } from "./StoredFees.ts"

const newFee = (amount: Money) =>
  Effect.gen(function* () {
    const fee: NewFee = { fee_id: yield* nextId, fee_rule_id: yield* nextId, amount }
    return fee
  })

const charged = (fees: ReadonlyArray<NewFee>) => ({
  fee_ids: fees.map(({ fee_id }) => fee_id),
  total_fees: totalOf(fees.map(({ amount }) => amount))
})

for (const backend of backends) {
  const stores: Layer.Layer<
    StoreServices,
    unknown,
    Layer.Layer.Context<ReturnType<typeof openStoresOn>>
  > = openStoresOn(backend)
  const services = stores.pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(testSettings()))
  layer(services, { excludeTestServices: true, timeout: "60 seconds" })(`Fees of payments on ${backend}`, (it) => {
    it.effect("are written with the payment and stay as they are", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const scope = Option.some(owner.org_id)
        const target = new Money({ currency: "USDT", minor: 11_500_000n })
        const fees = [
          yield* newFee(new Money({ currency: "USDT", minor: 1n })),
          yield* newFee(new Money({ currency: "USDT", minor: 2n }))
        ]
        const payment = yield* makePayment(owner, { target, ...charged(fees) })
        expect(yield* store.create({ payment, attempt: yield* makeAttempt(), fees })).toBe(true)
        expect(yield* store.find(scope, payment.payment_id)).toEqual(Option.some(payment))
        const rows = yield* storedFees(payment.payment_id)
        expect(rows).toEqual(
          fees.map(({ amount, fee_id, fee_rule_id }) => ({
            ...{ fee_id, fee_rule_id, org_id: owner.org_id, created_at: payment.created_at },
            ...{ amount: amount.toNumericText(), currency: "USDT" }
          }))
        )
        expect(yield* store.apply(yield* changeTo(payment, "processing"))).toBe(true)
        const after = Option.getOrThrow(yield* store.find(scope, payment.payment_id))
        expect(after).toMatchObject({ status: "processing", ...charged(fees) })
        expect(yield* storedFees(payment.payment_id)).toEqual(rows)
      })
    )

    it.effect("of a payout are in what the organisation pays with", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const target = new Money({ currency: "USDT", minor: 11_500_000n })
        const fees = [yield* newFee(shillings(3_300n))]
        const payment = yield* makePayment(owner, { direction: "outbound", target, ...charged(fees) })
        yield* store.create({ payment, attempt: null, fees })
        expect(yield* store.find(Option.some(owner.org_id), payment.payment_id)).toEqual(Option.some(payment))
      })
    )

    it.effect("are not written when the payment is not", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const operation = "POST /v1/payments-init/initiate"
        const claim = yield* nextId
        const key = { org_id: owner.org_id, operation, key: yield* nextId, body_digest: "d", claim }
        const fees = [yield* newFee(shillings(3_300n))]
        const first = yield* makePayment(owner, charged(fees))
        const late = [yield* newFee(shillings(3_300n))]
        const second = yield* makePayment(owner, charged(late))
        expect(yield* store.create({ payment: first, attempt: null, fees, key })).toBe(true)
        expect(yield* store.create({ payment: second, attempt: null, fees: late, key })).toBe(false)
        expect((yield* storedFees(first.payment_id)).length).toBe(1)
        expect(yield* storedFees(second.payment_id)).toEqual([])
      })
    )

    it.effect("of many payments at once go to their own", () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const owner = yield* newOwner
        const all = yield* Effect.forEach([0n, 1n, 2n, 0n, 3n, 4n], (minor) =>
          Effect.gen(function* () {
            const fees = minor === 0n ? [] : [yield* newFee(shillings(minor))]
            return { payment: yield* makePayment(owner, charged(fees)), attempt: yield* makeAttempt(), fees }
          })
        )
        yield* Effect.forEach(all, (opening) => store.create(opening), { concurrency: "unbounded" })
        for (const { fees, payment } of all) {
          expect(yield* store.find(Option.none(), payment.payment_id)).toEqual(Option.some(payment))
          const ids = (yield* storedFees(payment.payment_id)).map(({ fee_id }) => fee_id)
          expect(ids).toEqual(fees.map(({ fee_id }) => fee_id))
        }
      })
    )
  })
}
