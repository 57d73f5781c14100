import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { nilId } from "../../support/AnyId.ts"
import { type Claim, LinkStore, type NewLink } from "../../../src/hosted/links/LinkStore.ts"
import type { PaymentLink } from "../../../src/hosted/links/PaymentLink.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { changeTo, draftPayment, newOwner, now, shillings } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/Stores.ts"

const KES = CurrencyCode.make("KES")

const makeLink = (about: Partial<NewLink> = {}) =>
  Effect.gen(function* () {
    const store = yield* LinkStore
    const owner = yield* newOwner
    const link_id = yield* nextId
    const link = yield* store.insert({
      link_id,
      org_id: owner.org_id,
      created_by: owner.user_id,
      link_ref: `ref-${link_id}`,
      email: null,
      amount_type: "fixed",
      amount: shillings(150_000n),
      currency: KES,
      payer_currency: KES,
      country: CountryCode.make("KE"),
      description: "Two seats",
      expires_at: null,
      client_reference: null,
      return_url: null,
      brand_name: null,
      brand_color: null,
      brand_logo: null,
      ...about
    })
    return { owner, link, scope: Option.some(owner.org_id) }
  })

/** In the transaction of a payment of its own, as the service does it. */
const claim = (link: PaymentLink, about: Partial<Claim> = {}) =>
  Effect.gen(function* () {
    const store = yield* LinkStore
    const payments = yield* PaymentStore
    const { atomically } = yield* Transactor
    const payment = yield* draftPayment({ org_id: link.org_id, user_id: link.created_by }, { provider: "fiat" })
    const { payment_id } = payment
    const at = yield* now
    const { link_id, org_id } = link
    const claimed = yield* Effect.either(
      atomically(
        Effect.gen(function* () {
          yield* payments.create({ payment, attempt: null })
          const ours = { link_id, org_id, payment_id, submission: payment_id, replacing: link.payment_id, now: at }
          if (!(yield* store.claim({ ...ours, ...about }))) return yield* Effect.fail("taken" as const)
        })
      )
    )
    return { payment, claimed: Either.isRight(claimed) }
  })

const move = (payment: Payment, status: "completed" | "failed", at = new Date("2030-06-01T12:00:00Z")) =>
  Effect.gen(function* () {
    const payments = yield* PaymentStore
    expect(yield* payments.apply(yield* changeTo(payment, status, { at }))).toBe(true)
  })

onBothStores("LinkStore", (it) => {
  it.effect("gives back what was put in, to its own organisation", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const about = { email: "ada@example.com", expires_at: new Date("2035-01-31T18:00:00.123Z"), description: null }
      const { link, scope } = yield* makeLink({ ...about, amount_type: "open", amount: null })
      const other = yield* makeLink()
      expect(link).toMatchObject({ ...about, amount: null, paid_at: null, payment_id: null, submission: null })
      expect(other.link.amount).toEqual(shillings(150_000n))
      for (const look of [store.find, store.findForUpdate]) {
        expect(yield* look(scope, link.link_id)).toEqual(Option.some(link))
        expect(yield* look(Option.none(), link.link_id)).toEqual(Option.some(link))
        expect(yield* look(other.scope, link.link_id)).toEqual(Option.none())
        expect(yield* look(scope, nilId)).toEqual(Option.none())
      }
      expect(yield* store.findByRef(link.link_ref)).toEqual(Option.some(link))
      expect(yield* store.findByRef("nothing")).toEqual(Option.none())
      expect(yield* store.list(scope)).toEqual([link])
      expect(yield* store.list(Option.none())).toContainEqual(link)
    })
  )

  it.effect("lists the newest first", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const { link, scope } = yield* makeLink()
      const {
        created_at: _at,
        canceled_at: _c,
        paid_at: _p,
        payment_id: _id,
        submission: _s,
        has_logo: _l,
        ...rest
      } = link
      const fields = { ...rest, brand_logo: null }
      const ids = yield* Effect.replicateEffect(nextId, 4)
      yield* Effect.forEach(ids, (link_id) => store.insert({ ...fields, link_id, link_ref: `ref-${link_id}` }))
      const key = (one: PaymentLink) => `${one.created_at.toISOString()} ${one.link_id}`
      const listed = (yield* store.list(scope)).map(key)
      expect(listed).toHaveLength(5)
      expect(listed).toEqual([...listed].sort().reverse())
    })
  )

  it.effect("gives a fixed link to one payment at a time, of those that come at once", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const { link, scope } = yield* makeLink()
      const all = yield* Effect.all(
        Array.from({ length: 6 }, () => claim(link)),
        { concurrency: "unbounded" }
      )
      const [winner, ...others] = all.filter(({ claimed }) => claimed)
      expect(others).toEqual([])
      const { payment_id } = winner!.payment
      const taken = Option.getOrThrow(yield* store.find(scope, link.link_id))
      expect(taken).toEqual({ ...link, payment_id, submission: payment_id })
      expect(yield* store.paymentOf(link, payment_id)).toEqual(Option.some(payment_id))
      expect((yield* claim(link)).claimed, "decided before").toBe(false)
      expect((yield* claim(taken)).claimed, "after the other is over").toBe(true)
    })
  )

  it.effect("knows a form again, on an open link too, at once or later", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const { link } = yield* makeLink({ amount_type: "open" })
      const form = { submission: "the same form" }
      const all = yield* Effect.all([claim(link, form), claim(link, form), claim(link, form)], {
        concurrency: "unbounded"
      })
      expect(all.filter(({ claimed }) => claimed)).toHaveLength(1)
      expect((yield* claim(link, form)).claimed).toBe(false)
      expect((yield* claim(link, { submission: "another" })).claimed).toBe(true)
      const elsewhere = yield* makeLink({ amount_type: "open" })
      expect((yield* claim(elsewhere.link, form)).claimed, "of another link").toBe(true)
      expect(yield* store.paymentOf(elsewhere.link, "another")).toEqual(Option.none())
      const [made] = all.filter(({ claimed }) => claimed)
      const found = yield* store.linkOf(Option.some(link.org_id), made!.payment.payment_id)
      expect(Option.map(found, ({ link_id }) => link_id)).toEqual(Option.some(link.link_id))
      const asOther = yield* store.linkOf(Option.some(elsewhere.owner.org_id), made!.payment.payment_id)
      expect(asOther, "to another organisation").toEqual(Option.none())
    })
  )

  it.effect("takes no payment once it is canceled or over, nor of another organisation", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const expires_at = new Date("2030-01-01T00:00:00Z")
      const { link, scope } = yield* makeLink({ expires_at })
      expect((yield* claim(link, { now: expires_at })).claimed).toBe(false)
      const other = yield* makeLink()
      expect((yield* claim({ ...link, org_id: other.owner.org_id, created_by: other.owner.user_id })).claimed).toBe(
        false
      )
      const [first, later] = [yield* now, new Date("2031-01-01T00:00:00Z")]
      yield* store.cancel(other.scope, link.link_id, first)
      expect(yield* store.find(scope, link.link_id)).toEqual(Option.some(link))
      yield* store.cancel(scope, link.link_id, first)
      yield* store.cancel(scope, link.link_id, later)
      expect(yield* store.find(scope, link.link_id)).toEqual(Option.some({ ...link, canceled_at: first }))
      expect((yield* claim(link)).claimed).toBe(false)
    })
  )

  it.effect("is paid when the first of its payments is completed, and that stays", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const { link, scope } = yield* makeLink({ amount_type: "open" })
      const paidAt = Effect.map(store.find(scope, link.link_id), (found) => Option.getOrThrow(found).paid_at)
      const [failing, first, second] = [yield* claim(link), yield* claim(link), yield* claim(link)]
      yield* move(failing.payment, "failed")
      expect(yield* paidAt).toBeNull()
      const at = new Date("2030-06-02T12:00:00Z")
      yield* move(first.payment, "completed", at)
      expect(yield* paidAt).toEqual(at)
      yield* move(second.payment, "completed", new Date("2030-06-03T12:00:00Z"))
      expect(yield* paidAt).toEqual(at)
      expect((yield* store.list(scope)).map(({ paid_at }) => paid_at)).toEqual([at])
    })
  )

  it.effect("is shown to the payers of an open link without a look at all that were before them", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
      const { link, scope } = yield* makeLink({ amount_type: "open" })
      const { payment } = yield* claim(link)
      yield* move(payment, "completed")
      const { atomically } = yield* Transactor
      const looks = Option.match(sql, {
        onNone: () => Effect.succeed([]),
        onSome: (client) =>
          client`select seq_scan, idx_scan from pg_stat_xact_user_tables where relname = 'payment_history'`
      })
      yield* atomically(
        Effect.gen(function* () {
          const before = yield* looks
          for (const shown of [yield* store.findByRef(link.link_ref), yield* store.linkOf(scope, payment.payment_id)]) {
            expect(Option.getOrThrow(shown)).toMatchObject({ payment_id: payment.payment_id, paid_at: null })
          }
          expect(yield* looks).toEqual(before)
        })
      )
    })
  )
})
