/** Ramps that reach the review threshold: no provider is asked before a second person has approved. */
import { expect } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { expectBooksInOrder } from "../../treasury/accounts/AccountFixtures.ts"
import { actable, act, setThreshold } from "../support/ActionCalls.ts"
import { attemptsOf, type Json, jsonOf, ofKind, recordOf, timelineOf, untilStatus } from "../support/PaymentCalls.ts"
import { eventsOf, movableClock, timePasses } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { kenyanBank, onRampIn } from "../support/Requests.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { idFrom } from "../../support/AnyId.ts"
import { itemsOf } from "../support/OperatorActions.ts"

const make = () => {
  const stripe = actable("stripe")
  return { providers: [stripe], stripe, clock: movableClock() }
}

onDatabasePaymentServer("A held ramp", make, (it, { clock, stripe }) => {
  const setRates = (fromShillings: string, fromTether: string) =>
    Effect.flatMap(RateStore, (rates) =>
      rates.set([
        { from_currency: "KES", to_currency: "USDT", rate: fromShillings },
        { from_currency: "USDT", to_currency: "KES", rate: fromTether }
      ])
    )

  const ramp = (body: object) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* post(
        "/v1/payments-init/ramp",
        { ...acme.key, "idempotency-key": crypto.randomUUID() },
        body
      )
      expect(answer.status, answer.text).toBe(200)
      const response = jsonOf(answer)["response"] as Json
      return { response, id: idFrom(response["payment_id"]) }
    })

  const about = { fiat_currency: "KES", crypto_currency: "USDT", crypto_network: "POLYGON", country: "KE" }

  const offRamp = Effect.gen(function* () {
    const { acme } = yield* people
    const made = jsonOf(yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank()))["data"] as Json
    return { ...about, fiat_amount: 5000, client_rate: 129, beneficiary_id: made["beneficiary_id"] }
  })

  /** At 0.0077 and 129, held from 1,000 shillings on. */
  const held = (body: object) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* setRates("0.0077", "129")
      yield* setThreshold(acme.org_id, "1000")
      return yield* Effect.ensuring(ramp(body), setThreshold(acme.org_id, null))
    })

  const review = (id: string, more: object = {}) =>
    Effect.flatMap(people, ({ acme }) => act(id, { action: "review", ...more }, acme.token("staff")))

  const historyOf = (id: string) =>
    Effect.map(timelineOf(id), (items) => ofKind(items, "status").map((item) => item["to"]))

  const legsOf = (id: string) => Effect.map(attemptsOf(id), (all) => all.map(({ leg, outcome }) => ({ leg, outcome })))

  const left = (id: string) =>
    Effect.flatMap(LedgerStore, (ledger) =>
      Effect.all([
        ledger.balance(LedgerAccount.ramp(id, CurrencyCode.make("KES"))),
        ledger.balance(LedgerAccount.ramp(id, "USDT"))
      ])
    ).pipe(Effect.map((all) => all.every(({ isZero }) => isZero)))

  it.effect("asks no provider until it is reviewed, and then runs both legs", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { id, response } = yield* held(onRampIn("KE", 0.0077))
      expect(response).toMatchObject({
        success: true,
        status: "initiated",
        next_action: "wait",
        provider: null,
        expires_at: null,
        payment_instructions: {}
      })
      expect(yield* attemptsOf(id)).toEqual([])
      expect(yield* itemsOf(id)).toMatchObject([{ kind: "review", attempt_id: null }])
      expect((yield* act(id, { action: "review" }, acme.key)).status, "by its initiator").toBe(409)
      expect((yield* act(id, { action: "review" }, acme.token("member"))).status).toBe(403)
      clock.move(Duration.hours(2))
      const sent = yield* review(id)
      expect(sent).toMatchObject({
        status: 200,
        response: { status: "pending", next_action: "bank_transfer", provider: expect.any(String) as unknown }
      })
      expect(sent.response).toHaveProperty("account_number")
      expect(yield* itemsOf(id)).toEqual([])
      yield* untilStatus(id, "completed")
      expect(yield* historyOf(id)).toEqual(["initiated", "reviewed", "confirmed", "pending", "processing", "completed"])
      expect(yield* legsOf(id)).toEqual([
        { leg: "collection", outcome: "accepted" },
        { leg: "settlement", outcome: "accepted" }
      ])
      expect(yield* left(id)).toBe(true)
      const types = (yield* eventsOf(id)).map(({ event_type }) => event_type)
      expect(types.filter((type) => type === "payment.processing")).toHaveLength(1)
      expect((yield* review(id)).status).toBe(409)
      yield* expectBooksInOrder
    })
  )

  it.effect("is rejected or canceled without a call to any provider", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const turned = yield* held(onRampIn("KE", 0.0077))
      expect(
        (yield* act(turned.id, { action: "reject", reason: "unknown wallet" }, acme.token("staff"))).response
      ).toMatchObject({ success: false, status: "rejected" })
      const off = yield* held(yield* offRamp)
      expect((yield* act(off.id, { action: "cancel" })).response).toMatchObject({ status: "canceled" })
      for (const { id } of [turned, off]) {
        expect(yield* attemptsOf(id)).toEqual([])
        expect(yield* itemsOf(id)).toEqual([])
        expect(yield* left(id)).toBe(true)
        expect((yield* review(id)).status).toBe(409)
      }
      yield* expectBooksInOrder
    })
  )

  it.effect("is priced anew only at a rate that its reviewer accepts", () =>
    Effect.gen(function* () {
      const near = yield* held(onRampIn("KE", 0.0077))
      yield* setRates("0.00773", "129")
      expect((yield* review(near.id)).response).toMatchObject({ payment_data: { target_amount: 100.1 } })

      const [on, off] = [yield* held(onRampIn("KE", 0.0077)), yield* held(yield* offRamp)]
      expect(off.response).toMatchObject({ crypto_amount: 38.75969 })
      yield* setRates("0.0075", "128")
      for (const [{ id }, rate] of [
        [on, 0.0075],
        [off, 128]
      ] as const) {
        expect(yield* review(id)).toMatchObject({ status: 409, body: { code: "INVALID_STATE", rate } })
        expect(yield* review(id, { accept_rate: 0.0077 })).toMatchObject({ status: 409 })
        expect(yield* recordOf(id)).toMatchObject({ status: "initiated", comments: null })
        expect(yield* attemptsOf(id)).toEqual([])
      }
      expect((yield* review(on.id, { accept_rate: 0.0075 })).response).toMatchObject({
        payment_data: { amount: 13_000, target_amount: 97.5 }
      })
      const sent = yield* review(off.id, { accept_rate: 128 })
      // Rounds the charged amount up: 39.0625 is exact, and above what 129 would have asked for.
      expect(sent.response).toMatchObject({
        payment_data: { amount: 39.0625, target_amount: 5000 },
        address: expect.any(String) as unknown,
        network: "POLYGON"
      })
      expect((yield* recordOf(off.id))["instructions"]).toContain("39.062500 USDT")
      for (const { id } of [near, on, off]) {
        yield* untilStatus(id, "completed")
        expect(yield* left(id)).toBe(true)
      }
      expect((yield* recordOf(on.id))["comments"]).toContain("Priced anew at the rate 0.0075")
      yield* expectBooksInOrder
    })
  )

  it.effect("has its half hour from when its customer is asked", () =>
    Effect.gen(function* () {
      yield* serveCountry("AT", ["stripe"], "bank_transfer", "inbound")
      yield* serveCountry("AT", ["crypto"], "crypto", "outbound")
      stripe.otherwise(accepts({ state: "pending", nextAction: "bank_transfer" }))
      const { id } = yield* held(onRampIn("AT", 0.0077))
      yield* timePasses(clock, "3 hours")
      expect((yield* review(id)).response).toMatchObject({ status: "pending", provider: "stripe" })
      const store = yield* PaymentStore
      const { expires_at } = Option.getOrThrow(yield* store.find(Option.none(), id))
      const left = expires_at!.getTime() - (yield* store.now).getTime()
      expect(left).toBeGreaterThan(Duration.toMillis("29 minutes"))
      expect(left).toBeLessThanOrEqual(Duration.toMillis("30 minutes"))
      yield* timePasses(clock, "31 minutes")
      yield* untilStatus(id, "canceled")
      yield* expectBooksInOrder
    })
  )

  it.effect("that every provider declines fails with nothing moved", () =>
    Effect.gen(function* () {
      yield* serveCountry("BE", ["stripe"], "bank_transfer", "inbound")
      yield* serveCountry("BE", ["crypto"], "crypto", "outbound")
      stripe.otherwise(declines())
      const { id } = yield* held(onRampIn("BE", 0.0077))
      expect(yield* review(id)).toMatchObject({ status: 502, body: { code: "ALL_PROVIDERS_FAILED", payment_id: id } })
      expect(yield* historyOf(id)).toEqual(["initiated", "reviewed", "confirmed", "failed"])
      expect(yield* left(id)).toBe(true)
      yield* expectBooksInOrder
    })
  )
})
