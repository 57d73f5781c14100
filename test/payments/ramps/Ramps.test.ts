/** Ramps over HTTP at the built-in simulators and at scripted providers: two legs, one payment, once. */
import { expect } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { type AnyCurrencyCode, CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { Absent, Report } from "../../../src/domain/Outcome.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { pathOf, submit } from "../../hosted/pages/PageVisits.ts"
import { expectBooksInOrder } from "../../treasury/accounts/AccountFixtures.ts"
import { actable } from "../support/ActionCalls.ts"
import {
  attemptsOf,
  callBack,
  eventually,
  get,
  jsonOf,
  ofKind,
  recordOf,
  timelineOf,
  untilStatus
} from "../support/PaymentCalls.ts"
import { suspenseOf } from "../support/PayinBalances.ts"
import { eventsOf, movableClock, timePasses } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { kenyanBank } from "../support/Requests.ts"
import { accepts, collected, declines, isLost } from "../support/ScriptedProvider.ts"
import { itemsOf } from "../support/OperatorActions.ts"
import { onRamp, ramp, rateOf } from "../support/RampCalls.ts"

const KES = CurrencyCode.make("KES")

const make = () => {
  const stripe = actable("stripe")
  const circle = actable("circle")
  return { providers: [stripe, circle], stripe, circle, clock: movableClock() }
}

const offRamp = (about: object = {}, account_number?: string) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const answer = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank(account_number))
    const { data } = jsonOf(answer) as { readonly data: { readonly beneficiary_id: string } }
    return yield* ramp({
      fiat_currency: "KES",
      fiat_amount: 5000,
      client_rate: yield* rateOf("USDT", "KES"),
      crypto_currency: "USDT",
      crypto_network: "TRON",
      country: "KE",
      beneficiary_id: data.beneficiary_id,
      ...about
    })
  })

const balanceOf = (account: LedgerAccount) => Effect.flatMap(LedgerStore, (ledger) => ledger.balance(account))

const held = (paymentId: PaymentId, currency: AnyCurrencyCode) =>
  Effect.map(balanceOf(LedgerAccount.ramp(paymentId, currency)), (money) => money.toNumericText())

const legsOf = (paymentId: PaymentId) =>
  Effect.map(attemptsOf(paymentId), (all) => all.map(({ leg, outcome, provider }) => ({ leg, outcome, provider })))

/** Fraction digits of each amount in a JSON text. */
const digitsIn = (text: string): ReadonlyArray<number> =>
  Array.from(text.matchAll(/amount":-?\d+\.(\d+)/g), ([, fraction]) => fraction!.length)

onDatabasePaymentServer("Ramps", make, (it, { circle, clock, stripe }) => {
  it.effect("write an amount of an 18-digit asset with eight fraction digits, wherever it is shown", () =>
    Effect.gen(function* () {
      yield* serveCountry("KE", ["stripe", "circle"])
      const about = { crypto_currency: "ETH", crypto_network: "ETHEREUM", client_rate: yield* rateOf("KES", "ETH") }
      const made = yield* onRamp("KE", about)
      expect(made.text).toMatch(/"crypto_amount":\d+\.\d{8}[,}]/)
      const shown = [
        made.text,
        (yield* get(`/payments/transaction/${String((yield* recordOf(made.payment_id))["transaction_id"])}`)).text,
        (yield* get(`/payments/${made.payment_id}/timeline`)).text,
        (yield* get("/transactions?limit=5")).text,
        ...(yield* eventsOf(made.payment_id)).map(({ payload }) => payload)
      ]
      expect(shown[1]).toMatch(/"target_amount":\d+\.\d{8}[,}]/)
      for (const text of shown) expect(Math.max(0, ...digitsIn(text)), text).toBeLessThanOrEqual(8)
    })
  )

  it.effect("give what a look-up of the rate shows, to the last digit", () =>
    Effect.gen(function* () {
      const lookUp = (from: string, to: string, amount: number) =>
        Effect.map(
          get(`/organizations/admin/exchange-rate?fromCurrency=${from}&toCurrency=${to}&amount=${amount}`),
          (answer) =>
            (jsonOf(answer) as { readonly data: { readonly target_amount: number; readonly rate: number } }).data
        )
      // 10.00 KES are worth 0.000021988636… ETH, 0.00001 ETH 4.54780… KES: half-even would be another amount.
      const bought = yield* lookUp("KES", "ETH", 10)
      const crypto = { crypto_currency: "ETH", crypto_network: "ETHEREUM" }
      const on = yield* onRamp("KE", { ...crypto, fiat_amount: 10, client_rate: bought.rate })
      expect(on.status, on.text).toBe(200)
      expect(on.response).toMatchObject({ crypto_amount: bought.target_amount })
      expect(bought.target_amount).toBe(0.00002198)
      const sold = yield* lookUp("ETH", "KES", 0.00001)
      expect(sold.target_amount).toBe(4.54)
      const off = yield* offRamp({ ...crypto, fiat_amount: sold.target_amount, client_rate: sold.rate })
      expect(off.status, off.text).toBe(200)
      expect(Number(off.response["crypto_amount"])).toBeLessThanOrEqual(0.00001)
    })
  )

  /** Serves the test's country with stripe, which collects by bank transfer, and circle, which settles. */
  const served = (country: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"], "bank_transfer", "inbound")
      yield* serveCountry(country, ["circle"], "crypto", "outbound")
    })

  /** The first leg is under way at stripe. */
  const collecting = (country: string) =>
    Effect.gen(function* () {
      yield* served(country)
      let reference = ""
      stripe.otherwise((order) => {
        reference = order.reference
        return Effect.succeed(accepts({ state: "pending", nextAction: "bank_transfer" }))
      })
      const { payment_id, response } = yield* onRamp(country)
      expect(response).toMatchObject({ status: "pending", next_action: "make_transfer", provider: "stripe" })
      return { payment_id, reference }
    })

  const settlementOf = (paymentId: PaymentId) =>
    Effect.map(attemptsOf(paymentId), (all) => String(all.find((one) => one["leg"] === "settlement")?.["attempt_id"]))

  it.effect("on-ramp by bank transfer: instructions, then settled to the wallet, both legs on one payment", () =>
    Effect.gen(function* () {
      const { payment_id, response, status, text } = yield* onRamp("KE")
      expect(status).toBe(200)
      expect(response).toMatchObject({
        success: true,
        direction: "on_ramp",
        status: "pending",
        fiat_currency: "KES",
        crypto_currency: "USDT",
        crypto_network: "POLYGON",
        next_action: "make_transfer",
        payment_instructions: { type: "bank_transfer", currency: "KES", account_name: expect.any(String) as unknown }
      })
      expect(text).toContain(`"fiat_amount":13000.00`)
      expect(text).toMatch(/"crypto_amount":\d+\.\d+/)
      const record = yield* untilStatus(payment_id, "completed")
      expect(record).toMatchObject({
        direction: "external",
        payment_method: "crypto",
        payment_path_method: "intermediary",
        payout_initiated: true
      })
      expect(yield* legsOf(payment_id)).toMatchObject([
        { leg: "collection", outcome: "accepted" },
        { leg: "settlement", outcome: "accepted" }
      ])
      expect(yield* held(payment_id, KES)).toBe("0.00")
      const types = (yield* eventsOf(payment_id)).map(({ event_type }) => event_type)
      expect(types.filter((type) => type === "payment.completed")).toHaveLength(1)
      expect(types.filter((type) => type === "payment.processing")).toHaveLength(1)
      yield* expectBooksInOrder
    })
  )

  it.effect("on-ramp by mobile money waits for the push; off-ramp gives an address and pays the beneficiary", () =>
    Effect.gen(function* () {
      const mobile = {
        bank_details: undefined,
        mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" }
      }
      const pushed = yield* onRamp("KE", mobile)
      expect(pushed.response).toMatchObject({ next_action: "wait", payment_instructions: { type: "mobile_money" } })
      yield* untilStatus(pushed.payment_id, "completed")
      const off = yield* offRamp()
      expect(off.response).toMatchObject({
        direction: "off_ramp",
        status: "pending",
        next_action: "make_transfer",
        payment_instructions: { type: "crypto_transfer", network: "TRON", currency: "USDT" }
      })
      yield* untilStatus(off.payment_id, "completed")
      expect(yield* held(off.payment_id, "USDT")).toMatch(/^0(\.0+)?$/)
      yield* expectBooksInOrder
    })
  )

  it.effect("on-ramp by a link or a redirect: the answer carries where to send the customer", () =>
    Effect.gen(function* () {
      const mobile = {
        bank_details: undefined,
        mobile_money_details: { provider: "mpesa", phone_number: "+254712340005" }
      }
      const linked = yield* onRamp("KE", mobile)
      expect(linked.response).toMatchObject({
        status: "pending",
        next_action: "pay_by_link",
        payment_link: expect.stringContaining(`/checkout/${linked.payment_id}?t=`) as unknown,
        payment_instructions: { type: "mobile_money" }
      })
      expect(linked.response).not.toHaveProperty("redirect_url")
      yield* submit(pathOf(linked.response["payment_link"]), { action: "pay" })
      yield* untilStatus(linked.payment_id, "completed")
      yield* served("AT")
      const redirect_url = "https://pay.example/42"
      stripe.otherwise(accepts({ state: "pending", nextAction: "redirect", actionData: { redirect_url } }))
      const redirected = yield* onRamp("AT")
      expect(redirected.response).toMatchObject({ status: "pending", next_action: "redirect", redirect_url })
      expect(redirected.response).not.toHaveProperty("payment_link")
      const plain = yield* onRamp("KE")
      expect(plain.response).toMatchObject({ next_action: "make_transfer" })
      expect(plain.response).not.toHaveProperty("payment_link")
      expect(plain.response).not.toHaveProperty("redirect_url")
    })
  )

  it.effect("keep the payer's bank account as it was sent", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* onRamp("KE", { bank_details: { account_number: "1100223344", bank_code: "01" } })
      expect(yield* recordOf(payment_id)).toMatchObject({
        payer_details: {
          bank_details: {
            account_name: null,
            account_number: "1100223344",
            bank_code: "01",
            bank_name: null,
            country: "KE"
          }
        }
      })
    })
  )

  it.effect("show the second leg as soon as it is committed, whichever instance sends it", () =>
    Effect.gen(function* () {
      yield* serveCountry("BE", ["circle", "stripe"], "crypto", "outbound")
      const { payment_id, reference } = yield* collecting("BE")
      expect(yield* recordOf(payment_id)).toMatchObject({ payout_initiated: false, payout_id: null })
      const asked = yield* Deferred.make<void>()
      const refusing = yield* Deferred.make<void>()
      circle.otherwise(
        Deferred.succeed(asked, undefined).pipe(
          Effect.zipRight(Deferred.await(refusing)),
          Effect.as(declines("not today"))
        )
      )
      stripe.otherwise(() => Effect.succeed(accepts({ state: "completed" })))
      yield* callBack("stripe", { key: "be", reference, state: "completed" })
      yield* Deferred.await(asked)
      const payoutOf = Effect.map(recordOf(payment_id), (record) => [record["payout_initiated"], record["payout_id"]])
      expect(yield* payoutOf).toEqual([true, yield* settlementOf(payment_id)])
      yield* Deferred.succeed(refusing, undefined)
      yield* untilStatus(payment_id, "completed")
      const [first, second] = (yield* attemptsOf(payment_id)).filter((attempt) => attempt["leg"] === "settlement")
      expect([first, second]).toMatchObject([{ outcome: "declined" }, { provider: "stripe", outcome: "accepted" }])
      expect(yield* payoutOf).toEqual([true, second?.["attempt_id"]])
    })
  )

  it.effect("are refused where something is wrong with them, and need staff to pay out", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const rate = yield* rateOf("KES", "USDT")
      expect((yield* onRamp("KE", { client_rate: rate * 1.006 })).response).toMatchObject({ code: "RATE_MISMATCH" })
      expect((yield* onRamp("KE", { client_rate: 1 / rate })).response).toMatchObject({ code: "RATE_MISMATCH" })
      const near = yield* onRamp("KE", { client_rate: rate * 1.004 })
      expect(near.status).toBe(200)
      yield* untilStatus(near.payment_id, "completed")
      const wrong = yield* onRamp("KE", { wallet_address: "0x52908400098527886E0F7030069857D2E4169Ee7" })
      expect(wrong).toMatchObject({ status: 400, response: { code: "VALIDATION_ERROR" } })
      expect(String(wrong.response["message"])).toContain("wallet_address")
      expect((yield* onRamp("FR")).status).toBe(422)
      const answer = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank())
      const { data } = jsonOf(answer) as { readonly data: { readonly beneficiary_id: string } }
      const asMember = yield* ramp(
        {
          fiat_currency: "KES",
          fiat_amount: 5000,
          client_rate: 130,
          crypto_currency: "USDT",
          crypto_network: "TRON",
          country: "KE",
          beneficiary_id: data.beneficiary_id
        },
        acme.token("member")
      )
      expect(asMember.status).toBe(403)
    })
  )

  it.effect("settle once, however often the collection is reported", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* collecting("FI")
      circle.otherwise(() => Effect.succeed(accepts({ state: "completed" })))
      yield* Effect.all(
        Array.from({ length: 10 }, (_, index) =>
          callBack("stripe", { key: `fi ${index}`, reference, state: "completed" })
        ),
        { concurrency: "unbounded" }
      )
      yield* untilStatus(payment_id, "completed")
      expect(circle.timesAsked(payment_id)).toBe(1)
      yield* callBack("stripe", { key: "fi late", reference, state: "completed" })
      expect(circle.timesAsked(payment_id)).toBe(1)
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* expectBooksInOrder
    })
  )

  it.effect("hold what was collected when no provider settles it, until an operator gives it back", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* collecting("SE")
      circle.otherwise(() => Effect.succeed(declines("sanctioned address")))
      yield* callBack("stripe", { key: "se", reference, state: "completed" })
      const record = yield* untilStatus(payment_id, "failed")
      expect(String(record["comments"])).toContain("13000.00 KES")
      expect(record).toMatchObject({ payout_initiated: true, payout_id: yield* settlementOf(payment_id) })
      expect(yield* held(payment_id, KES)).toBe("13000.00")
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
      const resolution = yield* Resolution
      yield* resolution.resolve(operatorPermit("platform", "tester"), payment_id, {
        outcome: "failed",
        reason: "sent back"
      })
      expect(yield* held(payment_id, KES)).toBe("0.00")
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* expectBooksInOrder
    })
  )

  it.effect("keep an unknown settlement as it is, and send again only what the provider never had", () =>
    Effect.gen(function* () {
      const lost = yield* collecting("NO")
      circle.otherwise(() => Effect.succeed(isLost()))
      yield* callBack("stripe", { key: "no", reference: lost.reference, state: "completed" })
      yield* eventually(legsOf(lost.payment_id), (legs) => legs[1]?.outcome === "unknown")
      expect(yield* recordOf(lost.payment_id)).toMatchObject({ status: "processing" })
      expect(yield* held(lost.payment_id, KES)).toBe("13000.00")
      const settlement = yield* settlementOf(lost.payment_id)
      circle.says(settlement, new Absent())
      circle.otherwise(() => Effect.succeed(accepts({ state: "completed" })))
      yield* timePasses(clock, "2 minutes")
      yield* untilStatus(lost.payment_id, "completed")
      expect(
        circle.orders.filter(({ paymentId }) => paymentId === lost.payment_id).map((one) => one.reference)
      ).toEqual([settlement, settlement])
      yield* expectBooksInOrder
    })
  )

  it.effect("keep what a leg had said when an operator settles it, and add the decision to their history", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* collecting("FI")
      circle.otherwise(() => Effect.succeed(isLost("no route to host")))
      yield* callBack("stripe", { key: "fi", reference, state: "completed" })
      yield* eventually(legsOf(payment_id), (legs) => legs[1]?.outcome === "unknown")
      const before = yield* attemptsOf(payment_id)
      expect(before[1]).toMatchObject({ leg: "settlement", outcome: "unknown", reason: "no route to host" })
      const resolution = yield* Resolution
      yield* resolution.resolve(operatorPermit("platform", "tester"), payment_id, {
        outcome: "completed",
        reason: "seen on the chain"
      })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", failure: null })
      expect(yield* attemptsOf(payment_id), "the reason for the unknown outcome stays on the record").toMatchObject([
        before[0]!,
        { leg: "settlement", outcome: "accepted", reason: "no route to host; settled by tester: seen on the chain" }
      ])
      const items = yield* timelineOf(payment_id)
      const detail = "Settled by tester: seen on the chain"
      expect(ofKind(items, "operator")).toMatchObject([{ item: "resolution", detail, closed_by: "tester" }])
      expect(ofKind(items, "status").at(-1)).toMatchObject({
        from: "processing",
        to: "completed",
        cause: "settled by tester: seen on the chain"
      })
      yield* expectBooksInOrder
    })
  )

  it.effect("go on after a crash between the legs: the attempt is there, and is sent by the enquiries", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* collecting("DK")
      const asked = yield* Deferred.make<void>()
      circle.otherwise(() => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never))
      yield* callBack("stripe", { key: "dk", reference, state: "completed" })
      const settlement = yield* settlementOf(payment_id)
      // Leg that is not sent yet: it has no time of its own to pass.
      yield* Deferred.await(asked)
      // Kills the sender before the call: the order never reaches the provider.
      circle.says(settlement, new Absent())
      circle.otherwise(() => Effect.succeed(accepts({ state: "completed" })))
      yield* timePasses(clock, "5 minutes")
      yield* untilStatus(payment_id, "completed")
      expect(yield* held(payment_id, KES)).toBe("0.00")
      yield* expectBooksInOrder
    })
  )

  it.effect("report another amount when it arrives, and hold what is too little or too much", () =>
    Effect.gen(function* () {
      const arrives = (reference: string, key: string, text: string) =>
        Effect.gen(function* () {
          stripe.says(reference, collected("stripe", reference, moneyOf(text, KES)))
          yield* callBack("stripe", { key, reference, state: null })
        })
      const less = yield* collecting("CZ")
      yield* arrives(less.reference, "cz", "12000.00")
      const record = yield* untilStatus(less.payment_id, "failed")
      expect(record).toMatchObject({ failure: { code: "UNDERPAID" } })
      expect([yield* held(less.payment_id, KES), yield* suspenseOf(less.payment_id)]).toEqual([
        "0.00",
        ["12000.00 KES"]
      ])
      expect(yield* itemsOf(less.payment_id)).toMatchObject([{ kind: "suspense" }])
      const more = yield* collecting("PL")
      circle.otherwise(() => Effect.succeed(accepts({ state: "completed" })))
      yield* arrives(more.reference, "pl", "13500.00")
      yield* untilStatus(more.payment_id, "completed")
      expect(yield* suspenseOf(more.payment_id)).toEqual(["500.00 KES"])
      expect(yield* itemsOf(more.payment_id)).toMatchObject([{ kind: "suspense" }])
      yield* expectBooksInOrder
    })
  )

  it.effect("are canceled when they are not paid in time, and lose nothing that comes later", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* collecting("HU")
      const waiting = { state: "pending", reason: null, providerPaymentId: null, providerStatus: "open" } as const
      stripe.says(reference, new Report(waiting))
      yield* timePasses(clock, "40 minutes")
      yield* untilStatus(payment_id, "canceled")
      yield* callBack("stripe", { key: "hu late", reference, state: "completed" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "canceled" })
      expect(yield* suspenseOf(payment_id)).toEqual(["13000.00 KES"])
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
      expect(circle.timesAsked(payment_id)).toBe(0)
      yield* expectBooksInOrder
    })
  )
})
