import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { AccountId, Ids } from "../../../src/domain/Ids.ts"
import { IdempotencyStore, type NewKey, Owners } from "../../../src/platform/idempotency/IdempotencyStore.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { makePayment, newOwner } from "../../payments/support/NewPayment.ts"
import { openStoresOn } from "../../payments/support/PaymentServices.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { backends } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { age } from "./AgeKeys.ts"
import { nilId } from "../../support/AnyId.ts"

const newKey = Effect.gen(function* () {
  const { org_id } = yield* newOrganization()
  const key: NewKey = { org_id, operation: "POST /v1/x", key: yield* nextId, body_digest: "d", claim: yield* nextId }
  return key
})

/** Another request with the same key. */
const rivalOf = (key: NewKey) => Effect.map(nextId, (claim): NewKey => ({ ...key, claim }))

for (const backend of backends) {
  const services = openStoresOn(backend).pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(testSettings()))
  layer(services, { excludeTestServices: true, timeout: "60 seconds" })(`Idempotency keys on ${backend}`, (it) => {
    it.effect("are claimed once, and keep the answer of their claim", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const key = yield* newKey
        const rival = yield* rivalOf(key)
        expect(yield* store.find(key)).toEqual(Option.none())
        expect(yield* store.claim(null, key)).toBe(true)
        expect(yield* store.claim(null, rival)).toBe(false)
        yield* store.keepResponse(rival, 409, "theirs")
        yield* store.release(rival)
        const found = Option.getOrThrow(yield* store.find(key))
        expect(found).toMatchObject({ ...key, payment_id: null, status: null, response: null })
        expect(found.age_millis).toBeLessThan(60_000)
        yield* store.keepResponse(key, 200, "first")
        yield* store.keepResponse(key, 500, "second")
        yield* store.release(key)
        expect(Option.getOrThrow(yield* store.find(key))).toMatchObject({ status: 200, response: "first" })
      })
    )

    it.effect("are free again once they are released", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const key = yield* newKey
        yield* store.claim(null, key)
        yield* store.release(key)
        expect(yield* store.find(key)).toEqual(Option.none())
        expect(yield* store.claim(null, yield* rivalOf(key))).toBe(true)
      })
    )

    it.effect("are deleted after a day, on access and in batches", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const [asked, swept, young] = yield* Effect.all([newKey, newKey, newKey])
        for (const key of [asked, swept, young]) yield* store.claim(null, key)
        yield* age(asked.key, "25 hours")
        yield* age(swept.key, "25 hours")
        yield* age(young.key, "23 hours")
        expect(yield* store.find(asked)).toEqual(Option.none())
        expect(yield* store.forgetOld).toBe(1)
        expect(yield* store.forgetOld).toBe(0)
        expect(yield* store.claim(null, swept)).toBe(true)
        expect(yield* store.claim(null, young)).toBe(false)
      })
    )

    it.effect("have an owner where the request names something that is there", () =>
      Effect.gen(function* () {
        const owners = yield* Owners
        const owner = yield* newOwner
        const payment = yield* makePayment(owner)
        yield* Effect.flatMap(PaymentStore, (store) => store.create({ payment, attempt: null }))
        expect(yield* owners.ownerOf({ payment_id: payment.payment_id })).toEqual(Option.some(owner.org_id))
        expect(yield* owners.ownerOf({ account_id: AccountId.make(payment.payment_id) })).toEqual(Option.none())
        expect(yield* owners.ownerOf({ payment_id: nilId })).toEqual(Option.none())
        expect(yield* owners.ownerOf({})).toEqual(Option.none())
      })
    )
  })
}
