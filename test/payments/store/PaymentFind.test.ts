/** Searches of payments by what a person knows of them: the kinds of values, parts of texts, and positions. */
import { describe, expect, it as plain } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { Position } from "../../../src/platform/database/Query.ts"
import { type PaymentFilter, PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { searchTerms } from "../../../src/payments/store/SearchTerms.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { everything } from "../../support/ListPages.ts"
import { answer, changeTo, newOwner, newPayment, shillings } from "../support/NewPayment.ts"

describe("A searched text", () => {
  plain.each([
    ["1500", "1500", undefined],
    ["1,500.00", "1500", undefined],
    ["1 500.50", "1500.5", undefined],
    ["1.500,25", "1500.25", undefined],
    ["1 500,25", "1500.25", undefined],
    ["1\u202f500,25", "1500.25", undefined],
    ["1500,25", "1500.25", undefined],
    ["1,50", "1.5", undefined],
    ["0001500", "1500", undefined],
    ["1500 KES", "1500", "KES"],
    ["kes 1,500", "1500", "KES"],
    ["Ksh1,500.00", "1500", "KES"],
    ["$1,500", "1500", undefined],
    ["US$ 1,500", "1500", undefined],
    ["1.500,00 €", "1500", undefined],
    ["0.00000001 BTC", "0.00000001", "BTC"]
  ])("%s is an amount", (text, value, currency) => {
    expect(searchTerms(text).amount).toEqual({ value, currency })
  })

  plain.each([
    "0",
    "-5",
    "1500 XXY",
    "KES 1500 KES",
    "$ 1500 €",
    "1,5000",
    "1e3",
    "order-1500",
    "",
    "%",
    "12345678901234567890"
  ])("“%s” is none", (text) => expect(searchTerms(text).amount).toBeUndefined())

  plain.each(["4242", "**** 4242", "•••• 4242", "424242******4242", "xxxx-4242"])("%s ends a card number", (text) => {
    expect(searchTerms(text).last4).toBe("4242")
  })

  plain.each(["424", "42424", "order-4242"])("%s does not", (text) => {
    expect(searchTerms(text).last4).toBeUndefined()
  })
})

onBothStores("A search", (it) => {
  /** Searches that match exactly, and searches that match a part of a text. */
  const searching = Effect.map(
    PaymentStore,
    (store) =>
      (scope: Option.Option<OrgId>, typed: string, filter: PaymentFilter = {}) =>
        Effect.gen(function* () {
          const asked = { ...filter, search: searchTerms(typed) }
          const exact = yield* store.list(scope, asked, everything)
          const { payments } = yield* store.searchText(scope, asked, everything)
          const idsOf = (rows: ReadonlyArray<{ readonly payment_id: string }>) =>
            rows.map(({ payment_id }) => payment_id)
          return { exact: idsOf(exact), text: idsOf(payments) }
        })
  )

  it.effect("finds by amount, card, customer, id, and by parts of references and names", () =>
    Effect.gen(function* () {
      const search = yield* searching
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const about = {
        amount: shillings(153_750n),
        target: shillings(153_750n),
        client_reference: "Invoice/2026 É-1042%",
        payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
        card_details: { last4: "4242" }
      }
      const { payment: one } = yield* newPayment(mine, about)
      const { payment: paid } = yield* newPayment(mine, {
        amount: shillings(99_000n),
        target: new Money({ currency: "USD" as never, minor: 765n }),
        recipient_info: { fname: "Ada", lname: "Obi" }
      })
      yield* newPayment(theirs, about)
      const own = Option.some(mine.org_id)
      const byValue = ["1537.50", "1,537.5", "1537.5 KES", "4242", "wanjiru@example.com", "0712 345 678"]
      for (const typed of [...byValue, one.payment_id, one.transaction_id, "Invoice/2026 É-1042%"]) {
        const filter = typed.startsWith("0") ? { home: one.country } : {}
        expect(yield* search(own, typed, filter), typed).toEqual({ exact: [one.payment_id], text: [] })
      }
      for (const typed of [
        "1042",
        "voice",
        "é-10",
        "KAMAU",
        "jiru k",
        "Kamau, Wanjiru",
        "kamau 1042",
        "42%",
        "/2026"
      ]) {
        expect(yield* search(own, typed), typed).toEqual({ exact: [], text: [one.payment_id] })
      }
      expect(yield* search(own, "7.65"), "the other side's amount").toEqual({ exact: [paid.payment_id], text: [] })
      expect(yield* search(own, "7.65 USD")).toEqual({ exact: [paid.payment_id], text: [] })
      expect(yield* search(own, "990 KES")).toEqual({ exact: [paid.payment_id], text: [] })
      expect(yield* search(own, "ada obi")).toEqual({ exact: [], text: [paid.payment_id] })
      for (const typed of [
        "1537.50 USD",
        "7.65 KES",
        "1537",
        "_",
        "\\",
        "'",
        "kamau obi",
        "wanjiru x",
        "x".repeat(255),
        "wanjiru ".repeat(30)
      ]) {
        expect(yield* search(own, typed), typed).toEqual({ exact: [], text: [] })
      }
      expect((yield* search(own, "%")).text, "a sign like others").toEqual([one.payment_id])
      expect(yield* search(own, "1042", { status: "failed" }), "with other filters").toEqual({ exact: [], text: [] })
      expect(yield* search(own, "1537.50", { from: new Date(0), to: new Date(1) })).toEqual({ exact: [], text: [] })
      const all = yield* search(Option.none(), "1537.50")
      expect(all.exact, "of all organisations").toContain(one.payment_id)
      expect((yield* search(Option.none(), "jiru k")).text).toContain(one.payment_id)
    })
  )

  it.effect("finds names with and without their accents, and by either apostrophe", () =>
    Effect.gen(function* () {
      const search = yield* searching
      const owner = yield* newOwner
      const named = (name: string, client_reference: string | null = null) =>
        Effect.map(newPayment(owner, { client_reference, payer_details: { name } }), ({ payment }) => [
          payment.payment_id
        ])
      const found = (typed: string) => Effect.map(search(Option.some(owner.org_id), typed), ({ text }) => text)
      const kenyan = yield* named("Ngũgĩ wa Thiong’o")
      for (const typed of ["ngugi", "NGŨGĨ", "Ngu\u0303gi\u0303", "thiong'o", "THIONG’O"]) {
        expect(yield* found(typed), typed).toEqual(kenyan)
      }
      const greek = yield* named("Σίσυφος Παπαδόπουλος")
      for (const typed of ["Σίσυφος", "ΣΊΣΥΦΟΣ", "σισυφοσ", "ΠΑΠΑΔΟΠΟΥΛΟΣ"]) {
        expect(yield* found(typed), typed).toEqual(greek)
      }
      const japanese = yield* named("ガブリエル")
      expect(yield* found("ガブ"), "other marks are letters").toEqual(japanese)
      expect(yield* found("カフ")).toEqual([])
      const long = yield* named("\ufb2c".repeat(200), "\u{1d15e}".repeat(100))
      expect(yield* found("\u{1d15e}"), "longer without composition, within an entry of the index").toEqual(long)
    })
  )

  it.effect("finds by what a provider calls a payment or a transfer, within the organisation", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const search = yield* searching
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const { attempt, payment } = yield* newPayment(mine)
      const called = { ...(yield* answer(attempt)), provider_payment_id: `pi_${payment.payment_id}` }
      const movement = {
        provider: "stripe" as const,
        account: null,
        kind: "collection" as const,
        movement_id: `ch_${payment.payment_id}`,
        attempt_id: attempt!.attempt_id,
        refund_id: null,
        amount: payment.amount,
        state: "settled" as const,
        is_total: false,
        source: "answer" as const,
        heard_at: payment.created_at
      }
      yield* store.apply(yield* changeTo(payment, "processing", { attempt: called, movements: [movement as never] }))
      for (const typed of [called.provider_payment_id, movement.movement_id]) {
        expect((yield* search(Option.some(mine.org_id), typed)).exact, typed).toEqual([payment.payment_id])
        expect((yield* search(Option.none(), typed)).exact, typed).toEqual([payment.payment_id])
        expect((yield* search(Option.some(theirs.org_id), typed)).exact, typed).toEqual([])
      }
    })
  )

  it.effect("continues at the position that it gives, without a gap or a repetition", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const owner = yield* newOwner
      const made = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7], (n) =>
        newPayment(owner, { client_reference: `lot-${n}`, created_at: new Date(1_700_000_000_000 + (n >> 1)) })
      )
      const filter = { search: searchTerms("LOT") }
      const seen: Array<string> = []
      let after = Option.none<Position>()
      for (let page = 0; page < 20; page++) {
        const { next, payments } = yield* store.searchText(Option.some(owner.org_id), filter, { after, take: 2 })
        seen.push(...payments.map(({ payment_id }) => payment_id))
        if (Option.isNone(next)) break
        after = next
      }
      expect(seen).toHaveLength(7)
      expect(new Set(seen)).toEqual(new Set(made.map(({ payment }) => payment.payment_id)))
    })
  )
})
