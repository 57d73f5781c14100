import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { nilId } from "../../support/AnyId.ts"
import { LinkStore } from "../../../src/hosted/links/LinkStore.ts"
import { now, shillings } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { claim, makeLink, move } from "./LinkFixtures.ts"

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
      expect(yield* store.list(scope, everything)).toEqual([link])
      expect(yield* store.list(Option.none(), everything)).toContainEqual(link)
    })
  )

  it.effect("lists the newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const { link, scope } = yield* atOneMoment(makeLink())
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
      const made = yield* atOneMoment(
        Effect.forEach(ids, (link_id) => store.insert({ ...fields, link_id, link_ref: `ref-${link_id}` }))
      )
      yield* expectWindows(
        [link, ...made],
        (window) => store.list(scope, window),
        ({ link_id }) => link_id
      )
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
      expect((yield* store.list(scope, everything)).map(({ paid_at }) => paid_at)).toEqual([at])
    })
  )

  it.effect("is paid by whichever is completed first, not by whichever was begun first", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const { link, scope } = yield* makeLink({ amount_type: "open" })
      const paidAt = Effect.map(store.find(scope, link.link_id), (found) => Option.getOrThrow(found).paid_at)
      const [slow, quick, last] = [yield* claim(link), yield* claim(link), yield* claim(link)]
      const at = new Date("2030-06-02T12:00:00Z")
      yield* move(quick.payment, "completed", at)
      yield* move(last.payment, "completed", new Date("2030-06-03T12:00:00Z"))
      expect(yield* paidAt).toEqual(at)
      yield* move(slow.payment, "completed", new Date("2030-06-04T12:00:00Z"))
      expect(yield* paidAt).toEqual(at)
    })
  )
})
