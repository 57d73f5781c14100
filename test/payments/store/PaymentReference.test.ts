/** Searches by the caller's reference, or by a part of an id. */
import { describe, expect, it as plain } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { OrgId, PaymentId } from "../../../src/domain/Ids.ts"
import { idsBeginning, referenceOf } from "../../../src/payments/store/PaymentSearch.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { everything } from "../../support/ListPages.ts"
import { people } from "../../support/TestCredentials.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { get, jsonOf } from "../support/PaymentCalls.ts"
import { answer, changeTo, newOwner, newPayment } from "../support/NewPayment.ts"
import { idFrom } from "../../support/AnyId.ts"

describe("A payment's reference", () => {
  const payment_id = idFrom("0190a1b2-c3d4-7000-8abc-000000000001")

  plain("is the caller's own, or enough of the id to be the only one", () => {
    expect(referenceOf({ payment_id, client_reference: "order 7" })).toBe("order 7")
    expect(referenceOf({ payment_id, client_reference: null })).toBe("0190a1b2-c3d4-7000-8abc")
  })

  plain.each(["0", "0190A1B2", "0190a1b2-", "0190a1b2-c3d4-7000-8abc", payment_id])("%s begins an id", (text) => {
    const { from, to } = Option.getOrThrow(idsBeginning(text))
    expect([from, to].every((id) => id.startsWith(text.toLowerCase()) && id.length === 36)).toBe(true)
    expect(from <= payment_id && payment_id <= to).toBe(true)
  })

  plain.each(["", "g", "0190a1b2c", "-", "0190a1b2--", `${payment_id}0`, "order-1042", "%"])(
    "“%s” does not",
    (text) => {
      expect(idsBeginning(text)).toEqual(Option.none())
    }
  )
})

/** Two payments of the same millisecond, by their ids, and one of another organisation. */
const three = Effect.gen(function* () {
  const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
  const { payment: one } = yield* newPayment(mine, { client_reference: "order 7" })
  const sibling = one.payment_id.slice(0, -1) + (one.payment_id.endsWith("0") ? "1" : "0")
  const { payment: two } = yield* newPayment(mine, { payment_id: idFrom(sibling) })
  const { payment: other } = yield* newPayment(theirs, { client_reference: "order 7" })
  return { mine: Option.some(mine.org_id), theirs: Option.some(theirs.org_id), one, two, other }
})

onBothStores("A payment", (it) => {
  it.effect("is found by its reference and by the beginning of either id, within its organisation", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const { mine, one, other, theirs, two } = yield* three
      const found = (scope: Option.Option<OrgId>, reference: string) =>
        Effect.map(store.list(scope, { reference }, everything), (all) =>
          all.map(({ payment_id }) => payment_id).sort()
        )
      const both = [one.payment_id, two.payment_id].sort()
      expect(yield* found(mine, "order 7")).toEqual([one.payment_id])
      expect(yield* found(mine, one.payment_id)).toEqual([one.payment_id])
      expect(yield* found(mine, one.payment_id.toUpperCase())).toEqual([one.payment_id])
      expect(yield* found(mine, one.transaction_id.slice(0, 30))).toEqual([one.payment_id])
      expect(yield* found(mine, one.payment_id.slice(0, -1)), "shared").toEqual(both)
      expect(yield* found(mine, "order"), "references are whole").toEqual([])
      expect(yield* found(mine, "nobody's")).toEqual([])
      expect(yield* found(theirs, one.payment_id)).toEqual([])
      expect(yield* found(mine, other.payment_id)).toEqual([])
      expect(yield* found(theirs, "order 7")).toEqual([other.payment_id])
      const everywhere = yield* found(Option.none(), "order 7")
      expect(everywhere).toEqual(expect.arrayContaining([one.payment_id, other.payment_id]))
      expect(yield* found(Option.none(), other.payment_id.slice(0, 30))).toEqual([other.payment_id])
      const narrowed = yield* store.list(mine, { reference: "order 7", status: "completed" }, everything)
      expect(narrowed, "together with other filters").toEqual([])
    })
  )

  it.effect("is found by what any provider that was asked calls it", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const { attempt, payment } = yield* newPayment(mine)
      const called = { ...(yield* answer(attempt)), provider_payment_id: `pi_${payment.payment_id}` }
      yield* store.apply(yield* changeTo(payment, "processing", { attempt: called }))
      const found = (scope: Option.Option<OrgId>, reference: string) =>
        Effect.map(store.list(scope, { reference }, everything), (all) => all.map(({ payment_id }) => payment_id))
      expect(yield* found(Option.some(mine.org_id), called.provider_payment_id)).toEqual([payment.payment_id])
      expect(yield* found(Option.none(), called.provider_payment_id)).toEqual([payment.payment_id])
      expect(yield* found(Option.some(theirs.org_id), called.provider_payment_id)).toEqual([])
      expect(yield* found(Option.some(mine.org_id), "pi_")).toEqual([])
    })
  )
})

onDatabaseServer("The list of transactions", (it) => {
  it.effect("finds by reference, refuses one that several share, and shows no other organisation's", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const owner = { org_id: acme.org_id, user_id: acme.userId("org-admin") }
      const { payment: one } = yield* newPayment(owner, { client_reference: "invoice/7 é" })
      yield* newPayment(owner, { client_reference: "invoice/7 é" })
      const ask = (reference: string, key = acme.key) =>
        Effect.map(get(`/transactions?reference=${encodeURIComponent(reference)}`, key), (answer) => {
          expect(answer.status, answer.text).toBe(200)
          return jsonOf(answer) as { readonly message: string; readonly data: ReadonlyArray<{ payment_id: PaymentId }> }
        })
      const single = yield* ask(one.payment_id.slice(0, 23))
      expect(single.message).toBe("Transactions")
      expect(single.data.map(({ payment_id }) => payment_id)).toEqual([one.payment_id])
      const shared = yield* ask("invoice/7 é")
      expect(shared.message).toMatch(/^Several/)
      expect(shared.data).toHaveLength(2)
      expect((yield* ask(one.payment_id, globex.key)).data).toEqual([])
      for (const reference of ["", "x".repeat(256)]) {
        expect((yield* get(`/transactions?reference=${reference}`)).status, reference.slice(0, 3)).toBe(400)
      }
    })
  )
})
