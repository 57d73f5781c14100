/**
 * Money in suspense goes back to its sender: once, through the provider that took it, and only where that is certain.
 */
import { expect } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { expectBooksInOrder } from "../../treasury/accounts/AccountFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { type Actable, actable } from "../support/ActionCalls.ts"
import { attemptsOf, callBack, eventually, initiate, jsonOf, recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { kenyanBank } from "../support/Requests.ts"
import { accepts, declines, isLost } from "../support/ScriptedProvider.ts"
import { giveBack, itemsOf } from "../support/OperatorActions.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { nilId } from "../../support/AnyId.ts"
import { attemptsFor, honouring, paysIn, watched } from "../support/PayinBalances.ts"

const KES = CurrencyCode.make("KES")

const make = () => {
  /** Moves money once for a reference; adyen does not promise that. */
  const stripe = honouring("stripe")
  const adyen = actable("adyen")
  const circle = actable("circle")
  return { stripe, adyen, circle, providers: [stripe, adyen, circle] }
}

const operator = operatorPermit("platform", "amina")

const resolveAs = (paymentId: PaymentId, outcome: "completed" | "failed") =>
  Effect.flatMap(Resolution, (resolution) =>
    resolution.resolve(operator, paymentId, { outcome, reason: "seen at the bank" })
  )

const refusalOf = (paymentId: PaymentId) =>
  Effect.map(Effect.flip(giveBack(paymentId)), (error) => `${error._tag}: ${error.message}`)

const balanceOf = (account: LedgerAccount) => Effect.flatMap(LedgerStore, (ledger) => ledger.balance(account))

const held = (paymentId: PaymentId) =>
  Effect.map(balanceOf(LedgerAccount.ramp(paymentId, KES)), (money) => money.toNumericText())

onDatabasePaymentServer("Giving money back that waits", make, (it, { adyen, circle, stripe }) => {
  /** Failed, and then paid after all. */
  const lateAt = (provider: Actable, country: string) =>
    Effect.gen(function* () {
      const { callsBack, payment_id, reference } = yield* paysIn(provider, country)
      yield* callsBack("no", "failed")
      yield* callsBack("yes", "completed")
      const [item] = yield* itemsOf(payment_id)
      expect(item).toMatchObject({ kind: "suspense" })
      return { payment_id, reference }
    })

  const refundsOf = (reference: string) => stripe.refunds.filter(({ attempt }) => attempt.reference === reference)

  it.effect("goes back through the provider that took it, with the books, the record and the audit log", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      stripe.will({ refund: accepts({ state: "completed" }) })
      const { payment_id, reference } = yield* lateAt(stripe, "FR")
      expect(yield* gained).toEqual({ stripe: -1500, clearing: 1500 })
      const after = yield* giveBack(payment_id, "the customer paid twice")
      expect(after.status).toBe("failed")
      const [back] = yield* attemptsFor(payment_id, "return")
      expect(refundsOf(reference).map(({ money, reference: name }) => [name, money.toString()])).toEqual([
        [back, "1500.00 KES"]
      ])
      expect(yield* gained).toEqual({})
      expect(yield* itemsOf(payment_id)).toEqual([])
      expect(yield* recordOf(payment_id)).toMatchObject({
        status: "failed",
        comments: expect.stringContaining(
          "1500.00 KES returned through stripe by amina: the customer paid twice"
        ) as unknown
      })
      const log = yield* AuditLog
      const wanted = { action: "payment.suspense_refunded" }
      const rows = yield* log.list(operatorPermit("audit", "test"), wanted, { after: Option.none(), take: 100 })
      expect(rows.filter(({ subject_id }) => subject_id === payment_id)).toMatchObject([
        {
          actor_id: "amina",
          detail: {
            reason: "the customer paid twice",
            amount: "1500.00",
            currency: "KES",
            provider: "stripe",
            attempt_id: reference,
            reference: back
          }
        }
      ])
      expect(yield* refusalOf(payment_id)).toBe("Conflict: No money of this payment waits for a decision.")
      expect(refundsOf(reference)).toHaveLength(1)
      yield* expectBooksInOrder
    })
  )

  it.effect("an unknown outcome may be asked for again under the same reference", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { payment_id, reference } = yield* lateAt(stripe, "DE")
      stripe.will({ refund: isLost("the line went dead") })
      const refusal = yield* refusalOf(payment_id)
      expect(refusal).toContain("is unknown (the line went dead)")
      expect(refusal).toContain("repeat the command")
      expect(yield* gained, "it is held, and cannot be given away a second time").toEqual({ stripe: -1500, held: 1500 })
      expect(yield* itemsOf(payment_id)).toEqual([])
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      expect(refundsOf(reference).length).toBeGreaterThan(1)
      expect(new Set(refundsOf(reference).map((one) => one.reference))).toEqual(
        new Set(yield* attemptsFor(payment_id, "return"))
      )
      expect(yield* attemptsFor(payment_id, "return")).toHaveLength(1)
      expect(yield* gained).toEqual({})
      yield* expectBooksInOrder
    })
  )

  it.effect("two at once send one refund, and the books take it once", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      stripe.will({ refund: accepts({ state: "completed" }) })
      const { payment_id, reference } = yield* lateAt(stripe, "AT")
      const ends = yield* Effect.all([Effect.either(giveBack(payment_id)), Effect.either(giveBack(payment_id))], {
        concurrency: "unbounded"
      })
      expect(ends.filter(Either.isRight)).toHaveLength(1)
      expect(new Set(refundsOf(reference).map((one) => one.reference))).toEqual(
        new Set(yield* attemptsFor(payment_id, "return"))
      )
      expect(yield* attemptsFor(payment_id, "return")).toHaveLength(1)
      expect(yield* gained).toEqual({})
      yield* expectBooksInOrder
    })
  )

  it.effect("a provider that declines, or cannot, leaves it to an operator", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      stripe.will({ refund: declines("the card is closed") })
      const closed = yield* lateAt(stripe, "BE")
      expect(yield* refusalOf(closed.payment_id)).toBe("Conflict: stripe declined the refund: the card is closed.")
      const unsafe = yield* lateAt(adyen, "NL")
      const refusal = yield* refusalOf(unsafe.payment_id)
      expect(refusal).toContain("adyen makes no refunds through this service")
      expect(refusal).toContain(`corridor payments resolve ${unsafe.payment_id} --as failed`)
      expect(adyen.refunds).toEqual([])
      expect(yield* gained).toEqual({ stripe: -1500, adyen: -1500, clearing: 3000 })
      expect(yield* itemsOf(closed.payment_id)).toHaveLength(1)
      expect(yield* itemsOf(unsafe.payment_id)).toHaveLength(1)
      yield* resolveAs(closed.payment_id, "failed")
      yield* resolveAs(unsafe.payment_id, "failed")
      expect(yield* gained).toEqual({})
      yield* expectBooksInOrder
    })
  )

  it.effect("money of a refused attempt goes back to the provider that took it after all", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      stripe.will({ refund: accepts({ state: "completed" }) })
      const refunded = yield* paysIn(stripe, "IE", declines())
      yield* refunded.callsBack("yes", "completed")
      const resolved = yield* paysIn(stripe, "PT", declines())
      yield* resolved.callsBack("yes", "completed")
      expect(yield* gained).toEqual({ stripe: -3000, clearing: 3000 })
      yield* giveBack(refunded.payment_id)
      yield* resolveAs(resolved.payment_id, "failed")
      expect(refundsOf(refunded.reference)).toHaveLength(1)
      expect(refundsOf(resolved.reference)).toEqual([])
      expect(yield* gained).toEqual({})
      yield* expectBooksInOrder
    })
  )

  it.effect("what went out, what is not in suspense and what does not exist is not given back", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* serveCountry("ES", ["stripe"], "bank_transfer", "outbound")
      stripe.on("gone", accepts())
      const answer = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank())
      const { data } = jsonOf(answer) as { readonly data: { readonly beneficiary_id: string } }
      const gone = yield* initiate({
        amount: 1500,
        target_amount: 1500,
        currency: "KES",
        target_currency: "KES",
        country: "ES",
        payment_method: "bank_transfer",
        direction: "payout",
        beneficiary_id: data.beneficiary_id,
        description: "gone",
        bank_details: { account_name: "Acme", account_number: "1", bank_name: "B", country: "ES" },
        bank_account: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" }
      })
      const [attempt] = yield* attemptsOf(gone.payment_id)
      const reference = String(attempt?.["attempt_id"])
      expect(yield* refusalOf(gone.payment_id)).toBe("Conflict: No money of this payment waits for a decision.")
      yield* callBack("stripe", { key: "es no", reference, state: "failed" })
      yield* callBack("stripe", { key: "es yes", reference, state: "completed" })
      expect(yield* itemsOf(gone.payment_id)).toHaveLength(1)
      expect(yield* refusalOf(gone.payment_id)).toContain("Conflict: Money is gone from this payment")
      expect(refundsOf(reference)).toEqual([])
      expect(yield* refusalOf(nilId)).toContain("NotFound")
      yield* expectBooksInOrder
    })
  )

  it.effect("a ramp gives back what it collected and could not pay out", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      stripe.will({ refund: accepts({ state: "completed" }) })
      circle.otherwise(() => Effect.succeed(declines("sanctioned address")))
      const { payment_id, reference } = yield* paidRamp(stripe, "SE", "13000.00")
      yield* untilStatus(payment_id, "failed")
      expect(yield* held(payment_id)).toBe("13000.00")
      expect(yield* gained).toEqual({ stripe: -13000 })
      yield* giveBack(payment_id)
      expect(refundsOf(reference).map(({ money }) => money.toString())).toEqual(["13000.00 KES"])
      expect(yield* held(payment_id)).toBe("0.00")
      expect(yield* gained).toEqual({})
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* expectBooksInOrder
    })
  )

  it.effect("a ramp that goes on keeps what it needs, whatever becomes of what came too much", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      circle.otherwise(() => Effect.succeed(accepts()))
      const { payment_id, reference } = yield* paidRamp(stripe, "FI", "13500.00")
      yield* untilStatus(payment_id, "processing")
      const legs = yield* eventually(attemptsOf(payment_id), (all) =>
        all.some((one) => one["leg"] === "settlement" && one["outcome"] === "accepted")
      )
      const settlement = legs.find((one) => one["leg"] === "settlement")
      expect(yield* refusalOf(payment_id)).toContain("can be returned once it has ended")
      expect(refundsOf(reference)).toEqual([])
      yield* resolveAs(payment_id, "failed")
      expect(yield* held(payment_id)).toBe("13000.00")
      expect(yield* gained).toEqual({ stripe: -13000 })
      yield* callBack("circle", { key: "fi", reference: String(settlement?.["attempt_id"]), state: "completed" })
      yield* untilStatus(payment_id, "completed")
      expect(yield* held(payment_id)).toBe("0.00")
      yield* expectBooksInOrder
    })
  )

  it.effect("of a completed ramp only what came too much goes back", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      stripe.will({ refund: accepts({ state: "completed" }) })
      circle.otherwise(() => Effect.succeed(accepts({ state: "completed" })))
      const { payment_id, reference } = yield* paidRamp(stripe, "PL", "13500.00")
      yield* untilStatus(payment_id, "completed")
      yield* giveBack(payment_id)
      expect(refundsOf(reference).map(({ money }) => money.toString())).toEqual(["500.00 KES"])
      expect(yield* gained).toEqual({ stripe: -13000 })
      yield* expectBooksInOrder
    })
  )
})
