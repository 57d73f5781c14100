/** Money that goes back, when several things go wrong at once. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Identifiers.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { people } from "../../support/Credentials.ts"
import { post } from "../../support/Send.ts"
import { act, type Actable, actable } from "../support/Acting.ts"
import { attemptsOf, callBack, get, initiate, jsonOf, recordOf, toldOf, untilStatus } from "../support/Calls.ts"
import { movableClock } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines, isLost } from "../support/ScriptedProvider.ts"
import { giveBack, itemsOf, resolve } from "../support/ByHand.ts"
import { paidRamp } from "../support/PaidRamp.ts"

const KES = CurrencyCode.make("KES")

const make = () => {
  const stripe: Actable = { ...actable("stripe"), honoursReference: true }
  const adyen: Actable = { ...actable("adyen"), honoursReference: true }
  const circle = actable("circle")
  const clock = movableClock()
  return { stripe, adyen, circle, clock, providers: [stripe, adyen, circle] }
}

onDatabasePaymentServer("what goes back goes once", make, (it, { adyen, circle, stripe }) => {
  const at = (provider: ProviderName) =>
    Effect.flatMap(LedgerStore, (ledger) =>
      Effect.map(ledger.balance(LedgerAccount.provider(provider, KES)), ({ minor }) => Number(minor) / 100)
    )
  const suspenseOf = (paymentId: PaymentId) =>
    Effect.map(
      Effect.flatMap(LedgerStore, (ledger) => ledger.suspenseOf(paymentId)),
      (all) => all.map(({ money }) => money.toString())
    )
  const payin = (country: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"])
      stripe.on(`in ${country}`, accepts())
      const { payment_id } = yield* initiate({ ...byCard(), country, description: `in ${country}` })
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      const hears = (key: string, state: string, amount?: string) =>
        callBack("stripe", {
          key: `${country} ${key}`,
          reference,
          state,
          ...(amount === undefined ? {} : { received: { amount, currency: "KES" } })
        })
      return { payment_id, reference, hears }
    })
  const lastOf = (paymentId: PaymentId, leg: string) =>
    Effect.map(attemptsOf(paymentId), (all) => String(all.findLast((one) => one["leg"] === leg)?.["attempt_id"]))

  it.effect("what a ramp holds goes back through whoever collected it, though another reports money later", () =>
    Effect.gen(function* () {
      circle.otherwise(declines("sanctioned address"))
      yield* serveCountry("FI", ["adyen", "stripe"], "bank_transfer", "inbound")
      yield* serveCountry("FI", ["circle"], "crypto", "outbound")
      adyen.otherwise(declines("not today"))
      stripe.otherwise(accepts({ state: "pending", nextAction: "bank_transfer" }))
      const { acme } = yield* people
      const rate = jsonOf(yield* get("/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USDT"))
      const answer = yield* post(
        "/v1/payments-init/ramp",
        { ...acme.key },
        {
          fiat_currency: "KES",
          fiat_amount: 13000,
          client_rate: (rate["data"] as { readonly rate: number }).rate,
          crypto_currency: "USDT",
          crypto_network: "POLYGON",
          country: "FI",
          wallet_address: "0x52908400098527886E0F7030069857D2E4169EE7",
          bank_details: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" }
        }
      )
      const { payment_id } = jsonOf(answer)["response"] as { readonly payment_id: PaymentId }
      const [first, second] = yield* attemptsOf(payment_id)
      expect([first?.["provider"], second?.["provider"]]).toEqual(["adyen", "stripe"])
      yield* callBack("stripe", { key: "FI paid", reference: String(second?.["attempt_id"]), state: "completed" })
      yield* untilStatus(payment_id, "failed")
      yield* callBack("adyen", { key: "FI late", reference: String(first?.["attempt_id"]), state: "completed" })
      stripe.will({ refund: accepts({ state: "completed" }) })
      adyen.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      yield* giveBack(payment_id)
      const sums = (provider: Actable) => provider.refunds.map(({ money }) => money.toString())
      expect.soft(sums(stripe)).toEqual(["13000.00 KES"])
      expect(sums(adyen)).toEqual(["13000.00 KES"])
    })
  )

  it.effect("a refund that went after all counts, once a person has settled it", () =>
    Effect.gen(function* () {
      const { hears, payment_id } = yield* payin("FR")
      yield* hears("yes", "completed")
      stripe.will({ refund: declines() })
      yield* act(payment_id, { action: "refund", amount: 500 })
      yield* callBack("stripe", {
        key: "FR went",
        reference: yield* lastOf(payment_id, "refund"),
        state: "completed"
      })
      yield* resolve(payment_id, "completed")
      stripe.will({ refund: accepts({ state: "completed" }) })
      const answer = yield* act(payment_id, { action: "refund", amount: 1500 })
      expect(answer.status, "500 of 1500 went back already").toBe(409)
    })
  )

  it.effect("no refund starts while one that was refused is on its way after all", () =>
    Effect.gen(function* () {
      const { hears, payment_id } = yield* payin("DE")
      yield* hears("yes", "completed")
      stripe.will({ refund: declines() })
      yield* act(payment_id, { action: "refund", amount: 500 })
      yield* callBack("stripe", {
        key: "DE going",
        reference: yield* lastOf(payment_id, "refund"),
        state: "processing"
      })
      stripe.will({ refund: accepts({ state: "completed" }) })
      expect((yield* act(payment_id, { action: "refund", amount: 1500 })).status).toBe(409)
    })
  )

  it.effect("nor does money in suspense go back a second time", () =>
    Effect.gen(function* () {
      const before = stripe.refunds.length
      const { hears, payment_id } = yield* payin("NL")
      yield* hears("part", "completed", "900.00")
      stripe.will({ refund: declines() })
      yield* Effect.flip(giveBack(payment_id))
      yield* callBack("stripe", {
        key: "NL going",
        reference: yield* lastOf(payment_id, "return"),
        state: "processing"
      })
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* Effect.either(giveBack(payment_id))
      expect(stripe.refunds.length - before).toBe(1)
    })
  )

  it.effect("nor what a ramp collected, while its settlement is on its way after all", () =>
    Effect.gen(function* () {
      const before = stripe.refunds.length
      circle.otherwise(declines("sanctioned address"))
      const { payment_id } = yield* paidRamp(stripe, "SE", "13000.00")
      yield* untilStatus(payment_id, "failed")
      yield* callBack("circle", {
        key: "SE going",
        reference: yield* lastOf(payment_id, "settlement"),
        state: "processing"
      })
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* Effect.either(giveBack(payment_id))
      expect(stripe.refunds.length - before).toBe(0)
    })
  )

  it.effect("what is told of parts and of the rest that was taken back adds up to the payment", () =>
    Effect.gen(function* () {
      const { hears, payment_id } = yield* payin("AU")
      yield* hears("yes", "completed")
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* act(payment_id, { action: "refund", amount: 500 })
      yield* hears("back", "returned")
      const told = yield* toldOf(payment_id, "payment.refunded")
      expect(told.map((event) => event["amount"])).toEqual([500, 1000])
    })
  )

  it.effect("nobody is asked to look after a payment that was paid", () =>
    Effect.gen(function* () {
      yield* serveCountry("BE", ["stripe"])
      stripe.on("in BE", isLost())
      const { payment_id } = yield* initiate({ ...byCard(), country: "BE", description: "in BE" })
      const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
      yield* callBack("stripe", { key: "BE waits", reference, state: "pending" })
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      yield* callBack("stripe", { key: "BE paid", reference, state: "completed" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a payment can be canceled though money of a refused attempt went back", () =>
    Effect.gen(function* () {
      yield* serveCountry("IT", ["stripe", "adyen"])
      stripe.on("in IT", declines())
      adyen.on("in IT", accepts({ state: "pending", nextAction: "pay_by_link" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "IT", description: "in IT" })
      const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
      yield* callBack("stripe", { key: "IT late", reference, state: "completed" })
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      adyen.will({ cancel: "canceled" })
      expect((yield* act(payment_id, { action: "cancel" })).status).toBe(200)
    })
  )

  it.effect("a refusal of the second try says nothing of the first, whose answer was lost", () =>
    Effect.gen(function* () {
      yield* serveCountry("ES", ["stripe", "adyen"])
      let tries = 0
      stripe.on("in ES", () =>
        Effect.sync(() => ((tries += 1) === 1 ? isLost() : declines("connection refused, so nothing was sent")))
      )
      adyen.on("in ES", accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "ES", description: "in ES" })
      expect(tries).toBe(2)
      expect(adyen.timesAsked(payment_id), "stripe may have it").toBe(0)
    })
  )

  it.effect("what a ramp's collector would not take back is settled at the collector, not at the settler", () =>
    Effect.gen(function* () {
      const before = { stripe: yield* at("stripe"), circle: yield* at("circle") }
      circle.otherwise(declines("sanctioned address"))
      const { payment_id } = yield* paidRamp(stripe, "PL", "13000.00")
      yield* untilStatus(payment_id, "failed")
      stripe.will({ refund: declines("the account is closed") })
      yield* Effect.flip(giveBack(payment_id))
      yield* resolve(payment_id, "failed", "wired back by hand")
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect((yield* at("circle")) - before.circle, "circle never had a shilling").toBe(0)
      expect((yield* at("stripe")) - before.stripe, "stripe has given it back").toBe(0)
    })
  )

  it.effect("a refund that went after it had failed is put before a person once, however often it is told", () =>
    Effect.gen(function* () {
      const { hears, payment_id } = yield* payin("AT")
      yield* hears("yes", "completed")
      stripe.will({ refund: declines() })
      yield* act(payment_id, { action: "refund", amount: 500 })
      const refund = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
      const reference = String(refund?.["attempt_id"])
      yield* callBack("stripe", { key: "AT went", reference, state: "completed" })
      yield* resolve(payment_id, "completed")
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* callBack("stripe", { key: "AT went again", reference, state: "completed" })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id), "no money of it waits").toEqual([])
    })
  )

  it.effect("a refund that went after it had failed, and bounced, is back at its provider", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      const { hears, payment_id } = yield* payin("CZ")
      yield* hears("yes", "completed")
      stripe.will({ refund: declines() })
      yield* act(payment_id, { action: "refund", amount: 500 })
      const refund = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
      const reference = String(refund?.["attempt_id"])
      yield* callBack("stripe", { key: "BE went", reference, state: "completed" })
      yield* resolve(payment_id, "completed")
      expect((yield* at("stripe")) - before).toBe(-1000)
      yield* callBack("stripe", { key: "BE bounced", reference, state: "returned" })
      expect((yield* at("stripe")) - before).toBe(-1500)
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )
})
