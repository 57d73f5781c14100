import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Accepted, Outcome } from "../../../src/domain/Outcome.ts"
import { FAKE_PASSWORD } from "../../fakes/PaystackFake.ts"
import type { AttemptContext, Provider } from "../../../src/providers/port/Provider.ts"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { atFake, byCard, byMobile, byMpesa, byTransfer, toBank, toMpesa } from "./PaystackTestOrders.ts"

const taken = (outcome: Outcome): Accepted => {
  expect(outcome._tag).toBe("Accepted")
  return outcome as Accepted
}

const visit = (url: string | null | undefined) => Effect.promise(() => fetch(`${url}`, { redirect: "manual" }))

const stateOf = (provider: Provider, attempt: AttemptContext) =>
  Effect.map(provider.enquire(attempt), (said) => (said._tag === "Report" ? said.state : said._tag))

describe("Paystack and its fake", () => {
  it.scopedLive("a card is paid on the page of the provider, which leads the customer back", () =>
    Effect.gen(function* () {
      const { callbacks, held, provider, settled, url } = yield* atFake
      const order = byCard()
      const accepted = taken(yield* provider.initiate(order))
      expect(accepted.nextAction).toBe("redirect")
      expect(yield* stateOf(provider, attemptOf(order))).toBe("pending")
      const page = yield* visit(accepted.actionData["redirect_url"])
      expect(page.status).toBe(302)
      const back = new URL(page.headers.get("location")!)
      expect(`${back.origin}${back.pathname}`).toBe(order.returnUrl)
      yield* settled
      const resumed = yield* provider.resume!(attemptOf(order), Object.fromEntries(back.searchParams))
      expect(resumed).toMatchObject({ _tag: "Report", state: "completed", movements: [{ amount: order.money }] })
      const { events } = yield* provider.callback(callbacks[0]!)
      expect(events).toMatchObject([{ _tag: "VerifiedReport", attempt: { reference: order.reference } }])
      expect([...held()]).toEqual([["NGN", order.money.minor]])
      expect((yield* visit(`${url}/checkout/none`)).status).toBe(404)
    })
  )

  it.scopedLive("mobile money and bank transfers are collected", () =>
    Effect.gen(function* () {
      const { callbacks, held, provider, settled } = yield* atFake
      const orders = [byMobile("mtn"), byMpesa(), byTransfer()]
      const [mtn, mpesa, transfer] = (yield* Effect.forEach(orders, provider.initiate)).map(taken)
      expect([mtn?.nextAction, mpesa?.nextAction, transfer?.nextAction]).toEqual(["wait", "wait", "bank_transfer"])
      expect(transfer?.actionData["account_number"]).toMatch(/^\d{10}$/)
      yield* settled
      for (const order of orders) expect(yield* stateOf(provider, attemptOf(order))).toBe("completed")
      expect(callbacks).toHaveLength(3)
      expect(held()).toEqual(
        new Map([
          ["GHS", 2500n],
          ["KES", 150_000n],
          ["NGN", 25_000n]
        ])
      )
    })
  )

  it.scopedLive("a one-time password is wrong, right, and then no longer expected", () =>
    Effect.gen(function* () {
      const { provider, settled } = yield* atFake
      const order = byMobile("telecel")
      expect(taken(yield* provider.initiate(order)).nextAction).toBe("collect_otp")
      expect(yield* stateOf(provider, attemptOf(order))).toBe("pending")
      const submit = (otp: string) => provider.otp!.submit(attemptOf(order), otp)
      expect(yield* submit("000000")).toBe("wrong")
      expect(yield* submit(FAKE_PASSWORD)).toBe("accepted")
      expect(yield* submit(FAKE_PASSWORD)).toBe("not_expected")
      yield* settled
      expect(yield* stateOf(provider, attemptOf(order))).toBe("completed")
    })
  )

  it.scopedLive("payouts go to banks and to M-PESA, and their failure is called back about", () =>
    Effect.gen(function* () {
      const { callbacks, held, provider, settled } = yield* atFake
      const [bank, mpesa] = [toBank(), toMpesa()]
      expect(taken(yield* provider.initiate(bank)).providerPaymentId).toMatch(/^TRF_/)
      taken(yield* provider.initiate(mpesa))
      const failing = toBank("GH", { money: amount("10.09", "GHS") })
      taken(yield* provider.initiate(failing))
      yield* settled
      expect(yield* stateOf(provider, attemptOf(bank))).toBe("completed")
      expect(yield* stateOf(provider, attemptOf(failing))).toBe("failed")
      const reported = yield* Effect.forEach(callbacks, (one) => provider.callback(one))
      const statements = reported.flatMap(({ events }) => events).filter((one) => one._tag === "VerifiedReport")
      const states = new Map(statements.map(({ attempt, report }) => [attempt.reference, report.state]))
      expect(states).toEqual(
        new Map([
          [bank.reference, "completed"],
          [mpesa.reference, "completed"],
          [failing.reference, "failed"]
        ])
      )
      expect(held()).toEqual(
        new Map([
          ["NGN", -bank.money.minor],
          ["KES", -mpesa.money.minor]
        ])
      )
    })
  )

  it.scopedLive("refunds are found by their id, and by their note where the id was lost", () =>
    Effect.gen(function* () {
      const { callbacks, held, provider, settled } = yield* atFake
      const order = byMobile("mtn")
      yield* provider.initiate(order)
      yield* settled
      const part = refundOf(attemptOf(order), { money: amount("10.00", "GHS"), reason: "Sent back" })
      const accepted = taken(yield* provider.refund!(part))
      yield* settled
      const about = refundAttemptOf(part, { sentAt: new Date() })
      expect(yield* stateOf(provider, { ...about, providerPaymentId: accepted.providerPaymentId })).toBe("completed")
      expect(yield* stateOf(provider, about)).toBe("completed")
      expect(yield* stateOf(provider, { ...about, reference: order.reference })).toBe("Unknown")
      const { events } = yield* provider.callback(callbacks.at(-1)!)
      const attempt = { reference: part.reference, providerPaymentId: accepted.providerPaymentId, about: "refund" }
      expect(events).toMatchObject([{ _tag: "Hint", attempt }])
      expect(held().get("GHS")).toBe(1500n)
      const tooMuch = refundOf(attemptOf(order), { money: amount("15.50", "GHS") })
      expect(yield* provider.refund!(tooMuch)).toMatchObject({ _tag: "Declined" })
    })
  )

  it.scopedLive("a refund that is sent twice is paid twice, which is why it must not be sent again", () =>
    Effect.gen(function* () {
      const { held, provider, settled } = yield* atFake
      const order = byMobile("mtn")
      yield* provider.initiate(order)
      yield* settled
      const part = refundOf(attemptOf(order), { money: amount("10.00", "GHS") })
      yield* provider.refund!(part)
      yield* provider.refund!(part)
      yield* settled
      expect(held().get("GHS")).toBe(500n)
      expect(provider.refundsHonourReference).toBe(false)
    })
  )

  it.scopedLive("what it declines it declines for good, by the payer or by itself", () =>
    Effect.gen(function* () {
      const { held, provider } = yield* atFake
      const instrument = yield* provider.initiate(byMobile("mtn", { money: amount("25.01", "GHS") }))
      expect(instrument).toMatchObject({ _tag: "Declined", instrument: true, code: "INSUFFICIENT_FUNDS" })
      for (const order of [
        byMobile("mtn", { money: amount("25.02", "GHS") }),
        byCard({ money: amount("25.02", "NGN") }),
        toBank("NG", { money: amount("25.02", "NGN") })
      ]) {
        const declined = yield* provider.initiate(order)
        expect(declined._tag).toBe("Declined")
        expect(declined).not.toHaveProperty("instrument")
        expect(yield* stateOf(provider, attemptOf(order))).toBe("Absent")
      }
      expect(yield* provider.initiate(toBank("NG", { money: amount("25.02", "NGN") }))).toMatchObject({
        code: "PROVIDER_BALANCE_LOW"
      })
      expect(held().size).toBe(0)
    })
  )
})
