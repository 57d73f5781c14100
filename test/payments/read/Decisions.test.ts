/** The decisions on a payment over HTTP: what each says comes true when it is taken. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import type { RefundOrder } from "../../../src/providers/port/Provider.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { shillings } from "../support/NewPayment.ts"
import { callBack, get, jsonOf } from "../support/PaymentCalls.ts"
import { paysIn, settlement, threeProviders } from "../support/PayinBalances.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { accepts } from "../support/ScriptedProvider.ts"

interface Item {
  readonly item_id: string
  readonly kind: string
  readonly amount: number
  readonly decisions: ReadonlyArray<{
    readonly action: string
    readonly outcome: string | null
    readonly says: string
    readonly before: number
    readonly after: number
    readonly owes: number
  }>
}

const KES = CurrencyCode.make("KES")

const made = threeProviders()
const { stripe } = made

const itemsOf = (paymentId: string) =>
  Effect.gen(function* () {
    const { admin } = yield* people
    const answer = yield* get(`/operations/payments/${paymentId}/decisions`, admin)
    expect(answer.status, answer.text).toBe(200)
    const { data } = jsonOf(answer) as {
      readonly data: { readonly payment_id: string; readonly items: ReadonlyArray<Item> }
    }
    expect(data.payment_id).toBe(paymentId)
    return data.items
  })

/** Takes the decision of an item, and compares what it said with what the organisation then has. */
const take = (paymentId: string, { decisions, item_id }: Item, nth: number) =>
  Effect.gen(function* () {
    const { admin } = yield* people
    const { action, after, before, outcome } = decisions[nth]!
    expect(yield* settlement).toBe(before)
    const answer = yield* post(
      `/v1/operations/payments/${paymentId}/${action === "give_back" ? "give-back" : "resolve"}`,
      { ...admin },
      { reason: "seen at the bank", item_id, ...(outcome === null ? {} : { outcome }) }
    )
    expect(answer.status, answer.text).toBe(200)
    expect(yield* settlement).toBe(after)
    expect(yield* itemsOf(paymentId)).toEqual([])
  })

/** At once, under an id of its own. */
const refunded = ({ money, reference }: RefundOrder) =>
  Effect.succeed(
    accepts({
      state: "completed",
      movements: [{ kind: "refund", id: `re_${reference}`, amount: money, state: "settled" }]
    })
  )

const saidOf = (items: ReadonlyArray<Item>) => items.map(({ decisions }) => decisions.map(({ says }) => says))

onPaymentServer("Decisions", "memory", made, (it) => {
  const surplus = (country: string) =>
    Effect.gen(function* () {
      const paid = yield* paysIn(stripe, country)
      yield* paid.arrives("1600.00")
      return paid.payment_id
    })

  const takenBack = (country: string) =>
    Effect.gen(function* () {
      const paid = yield* paysIn(stripe, country)
      yield* paid.arrives("1500.00")
      yield* callBack("stripe", {
        ...{ key: `${country} taken`, reference: paid.reference, state: "returned" },
        taken: { amount: "50.17", currency: "KES" }
      })
      return paid.payment_id
    })

  it.effect("on money that came: the organisation keeps it, or it goes back", () =>
    Effect.gen(function* () {
      for (const [nth, country] of ["FR", "DE", "NL"].entries()) {
        const payment = yield* surplus(country)
        const [item] = yield* itemsOf(payment)
        const now = (yield* settlement).toFixed(2)
        expect(saidOf([item!])).toEqual([
          [
            `The organisation keeps it: ${now} → ${(Number(now) + 100).toFixed(2)} KES`,
            "Return it to the payer through stripe",
            "The provider has returned it already"
          ]
        ])
        stripe.will({ refund: refunded })
        yield* take(payment, item!, nth)
      }
    })
  )

  it.effect("on money that is gone: the organisation bears it, or it was returned to us", () =>
    Effect.gen(function* () {
      for (const [nth, country] of ["IT", "ES"].entries()) {
        const payment = yield* takenBack(country)
        const [item] = yield* itemsOf(payment)
        const now = yield* settlement
        expect(item).toMatchObject({ kind: "suspense", amount: -50.17 })
        expect(saidOf([item!])).toEqual([
          [
            `The organisation bears it: ${now.toFixed(2)} → ${(now - 50.17).toFixed(2)} KES`,
            "The provider has returned it to us"
          ]
        ])
        yield* take(payment, item!, nth)
      }
    })
  )

  it.effect("on what an organisation cannot bear: it owes it, and its next credits pay", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const ledger = yield* LedgerStore
      const { atomically } = yield* Transactor
      const payment = yield* takenBack("BE")
      const has = yield* ledger.balance(LedgerAccount.settlement(acme.org_id, KES))
      const rest = LedgerAccount.held(acme.org_id, KES)
      // All but 20 is elsewhere, and it may not fall below zero.
      const away = { currency: KES, minor: has.minor - 2000n }
      yield* ledger.post([
        {
          ...{ entry_id: "00000000-0000-4000-8000-00000000beef", org_id: acme.org_id, kind: "adjustment" },
          ...{ payment_id: null, reference: null },
          postings: [
            { account: LedgerAccount.settlement(acme.org_id, KES), amount: shillings(-away.minor) },
            { account: rest, amount: shillings(away.minor) }
          ]
        }
      ])
      const nothing = shillings(0n)
      yield* atomically(ledger.setLimit({ org_id: acme.org_id, currency: KES, credit_limit: nothing }))
      const [item] = yield* itemsOf(payment)
      expect(item!.decisions[0]).toMatchObject({
        says: "The organisation bears it: 20.00 → 0.00 KES; it owes 30.17 KES, which its next credits pay",
        ...{ before: 20, after: 0, owes: 30.17 }
      })
      yield* take(payment, item!, 0)
      const owed = LedgerAccount.receivable(acme.org_id, KES)
      expect((yield* ledger.balance(owed)).toString()).toBe("-30.17 KES")
      const next = yield* surplus("AT")
      expect((yield* ledger.balance(owed)).isZero).toBe(true)
      const [kept] = yield* itemsOf(next)
      yield* take(next, kept!, 0)
      yield* atomically(ledger.setLimit({ org_id: acme.org_id, currency: KES, credit_limit: null }))
    })
  )

  it.effect("on a part of a payin: it is accepted, or the payment fails", () =>
    Effect.gen(function* () {
      for (const [nth, country] of ["PT", "IE", "FI"].entries()) {
        const paid = yield* paysIn(stripe, country)
        yield* paid.arrives("700.00")
        const [item] = yield* itemsOf(paid.payment_id)
        expect(item!.decisions.map(({ says }) => says.split(":")[0])).toEqual([
          "Accept 700.00 KES as the whole payment",
          "Return it to the payer through stripe",
          "The provider has returned it"
        ])
        stripe.will({ refund: refunded })
        yield* take(paid.payment_id, item!, nth)
      }
    })
  )

  it.effect("are for platform admins, and of payments that exist", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const payment = yield* surplus("GR")
      expect((yield* get(`/operations/payments/${payment}/decisions`, acme.key)).status).toBe(403)
      expect((yield* get(`/operations/payments/${acme.org_id}/decisions`, admin)).status).toBe(404)
      yield* take(payment, (yield* itemsOf(payment))[0]!, 2)
    })
  )
})
