/** Money that a provider takes back in part, gives back again, or says two things about. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/Credentials.ts"
import { act } from "../support/Acting.ts"
import { attemptsOf, callBack, initiate, ofKind, recordOf, timelineOf, toldOf, untilStatus } from "../support/Calls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byBank, kenyanBank } from "../support/Requests.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { itemsOf, resolve } from "../support/ByHand.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { at, paysIn, settlement, suspenseOf, threeProviders } from "../support/InTheBooks.ts"
import { post } from "../../support/Send.ts"
import { jsonOf } from "../support/Calls.ts"

const kes = (amount: string) => ({ amount, currency: "KES" })

onDatabasePaymentServer("disputes and contradictions", threeProviders, (it, { circle, stripe }) => {
  const disputed = (country: string) =>
    Effect.gen(function* () {
      const before = { stripe: yield* at("stripe"), own: yield* settlement }
      const { hears, payment_id, reference } = yield* paysIn(stripe, country)
      yield* hears("yes", "completed")
      const takes = (key: string, taken: { readonly amount: string; readonly currency: string }) =>
        callBack("stripe", { key: `${country} ${key}`, reference, state: "returned", taken })
      const regains = (key: string, amount: string) =>
        callBack("stripe", { key: `${country} ${key}`, reference, state: "completed", regained: kes(amount) })
      const books = Effect.all({
        stripe: Effect.map(at("stripe"), (now) => now - before.stripe),
        own: Effect.map(settlement, (now) => now - before.own)
      })
      return { payment_id, reference, hears, takes, regains, books }
    })

  it.effect("a part that is taken back is booked as that part, and a person decides who bears it", () =>
    Effect.gen(function* () {
      const { books, payment_id, takes } = yield* disputed("FR")
      yield* takes("part", kes("400.00"))
      expect(yield* books).toEqual({ stripe: -1100, own: 1500 })
      const record = yield* recordOf(payment_id)
      expect(record).toMatchObject({ status: "completed" })
      expect(record["comments"]).toContain("stripe has taken 400.00 KES back")
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { kind: "suspense", detail: expect.stringContaining("stripe has taken 400.00 KES back") as string }
      ])
      expect(ofKind(yield* timelineOf(payment_id), "callback").at(-1)).toMatchObject({ effect: "suspense" })
      const dispute = { kind: "returned", amount: 400, currency: "KES" }
      const told = Effect.map(toldOf(payment_id, "transaction.updated"), (all) => all.filter((one) => "dispute" in one))
      expect(yield* told).toMatchObject([{ status: "completed", previous_status: "completed", dispute }])
      yield* takes("part", kes("400.00"))
      expect(yield* suspenseOf(payment_id), "the same event again").toEqual(["-400.00 KES"])
      expect(yield* told, "nor is it told of twice").toHaveLength(1)
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ stripe: -1100, own: 1100 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("the queue names all parts that wait, and what is left of them", () =>
    Effect.gen(function* () {
      const { payment_id, regains, takes } = yield* disputed("LT")
      yield* takes("one", kes("400.00"))
      yield* takes("two", kes("300.00"))
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { detail: "stripe has taken 300.00 KES back, 700.00 KES in all: an operator must settle who bears it." }
      ])
      yield* regains("some", "500.00")
      const [item] = yield* itemsOf(payment_id)
      expect(item?.["detail"]).toContain("200.00 KES are still gone")
      const disputes = (yield* toldOf(payment_id, "transaction.updated")).flatMap((one) => one["dispute"] ?? [])
      expect(disputes).toMatchObject([{ amount: 400 }, { amount: 300 }, { kind: "regained", amount: 500 }])
    })
  )

  it.effect("parts that are all of it leave the payment refunded", () =>
    Effect.gen(function* () {
      const { books, payment_id, takes } = yield* disputed("DE")
      yield* takes("one", kes("400.00"))
      yield* takes("two", kes("1100.00"))
      expect(yield* books).toEqual({ stripe: 0, own: 1500 })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect(yield* suspenseOf(payment_id)).toEqual(["-1500.00 KES"])
    })
  )

  it.effect("what is given back again before anybody decided leaves nothing to settle", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes } = yield* disputed("AT")
      yield* takes("part", kes("400.00"))
      yield* regains("won", "400.00")
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
      expect((yield* recordOf(payment_id))["comments"]).toContain("stripe gave 400.00 KES back")
    })
  )

  it.effect("what is given back after it was borne waits for a person, who gives it to whoever bore it", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes } = yield* disputed("BE")
      yield* takes("part", kes("400.00"))
      yield* resolve(payment_id, "completed")
      yield* regains("won", "400.00")
      expect(yield* books).toEqual({ stripe: -1500, own: 1100 })
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { kind: "suspense", detail: expect.stringContaining("stripe gave 400.00 KES back") as string }
      ])
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
    })
  )

  it.effect(
    "a payment that is refunded stays so when all of its money comes back, and nobody has to settle anything",
    () =>
      Effect.gen(function* () {
        const { books, payment_id, regains, takes } = yield* disputed("NL")
        yield* takes("all", kes("1500.00"))
        yield* regains("won", "1500.00")
        expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
        expect(yield* recordOf(payment_id)).toMatchObject({
          status: "refunded",
          comments: expect.stringContaining("stripe gave 1500.00 KES back, which it had taken") as string
        })
        expect(yield* suspenseOf(payment_id)).toEqual([])
        expect(yield* itemsOf(payment_id)).toEqual([])
      })
  )

  it.effect("what the books do not have there is not booked, and a person is told how much it is", () =>
    Effect.gen(function* () {
      const { books, payment_id, takes } = yield* disputed("IT")
      stripe.will({ refund: accepts({ state: "completed" }) })
      const { acme } = yield* people
      yield* act(payment_id, { action: "refund" }, acme.token("staff"))
      yield* untilStatus(payment_id, "refunded")
      yield* takes("all", kes("1500.00"))
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { detail: expect.stringContaining("stripe says that it took 1500.00 KES back") as string }
      ])
      yield* resolve(payment_id, "failed")
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("what was taken back and is told of by another event is told of once", () =>
    Effect.gen(function* () {
      const { books, hears, payment_id, takes } = yield* disputed("CH")
      yield* hears("reversed", "returned")
      const [item] = yield* itemsOf(payment_id)
      yield* takes("dispute", kes("1500.00"))
      expect(yield* books).toEqual({ stripe: 0, own: 1500 })
      expect(yield* itemsOf(payment_id)).toEqual([item])
    })
  )

  it.effect("nor what is in another currency", () =>
    Effect.gen(function* () {
      const { books, payment_id, takes } = yield* disputed("ES")
      yield* takes("odd", { amount: "10.00", currency: "EUR" })
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { detail: expect.stringContaining("took 10.00 EUR back") as string }
      ])
    })
  )

  it.effect("more than is there takes all that is there, and the record names both", () =>
    Effect.gen(function* () {
      const { books, payment_id, takes } = yield* disputed("PT")
      yield* takes("more", kes("1600.00"))
      expect(yield* books).toEqual({ stripe: 0, own: 1500 })
      const { comments, status } = yield* recordOf(payment_id)
      expect(status).toBe("refunded")
      expect(comments).toContain("1600.00 KES")
      expect(comments).toContain("1500.00 KES")
    })
  )

  it.effect("a part of what was collected for a ramp is booked as that part", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id, reference } = yield* paidRamp(stripe, "SE", "13000.00")
      yield* untilStatus(payment_id, "completed")
      yield* callBack("stripe", { key: "SE part", reference, state: "returned", taken: kes("3000.00") })
      expect((yield* at("stripe")) - before).toBe(-10_000)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  it.effect("a payin that failed after it was completed is for a person, who settles it either way", () =>
    Effect.gen(function* () {
      const one = yield* disputed("FI")
      yield* one.hears("no", "failed")
      expect(yield* recordOf(one.payment_id)).toMatchObject({ status: "completed" })
      expect((yield* recordOf(one.payment_id))["comments"]).toContain("stripe says that it failed")
      expect(yield* itemsOf(one.payment_id)).toMatchObject([
        { kind: "unknown_outcome", detail: expect.stringContaining("after it had been completed") as string }
      ])
      yield* one.hears("late", "processing")
      expect(yield* itemsOf(one.payment_id), "a late word settles nothing").toHaveLength(1)
      yield* resolve(one.payment_id, "completed")
      expect(yield* one.books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* itemsOf(one.payment_id)).toEqual([])

      yield* one.hears("still not", "failed")
      yield* resolve(one.payment_id, "failed")
      expect(yield* recordOf(one.payment_id)).toMatchObject({ status: "refunded" })
      expect(yield* one.books).toEqual({ stripe: 0, own: 1500 })
      expect(yield* itemsOf(one.payment_id)).toMatchObject([{ kind: "suspense" }])
      yield* resolve(one.payment_id, "completed")
      expect(yield* one.books).toEqual({ stripe: 0, own: 0 })
      stripe.purse.told(one.reference, "returned")
    })
  )

  const paidOut = (country: string) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const beneficiary = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank())
      const { data } = jsonOf(beneficiary) as { readonly data: { readonly beneficiary_id: string } }
      yield* serveCountry(country, ["stripe"], "bank_transfer", "outbound")
      stripe.on(`out of ${country}`, accepts())
      const before = { stripe: yield* at("stripe"), own: yield* settlement }
      const { payment_id } = yield* initiate({
        ...byBank(),
        country,
        direction: "payout",
        beneficiary_id: data.beneficiary_id,
        bank_account: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" },
        description: `out of ${country}`
      })
      const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
      const hears = (state: string, taken?: string) =>
        callBack("stripe", {
          key: `${country} ${state} ${taken}`,
          reference,
          state,
          ...(taken === undefined ? {} : { taken: kes(taken) })
        })
      yield* hears("completed")
      const books = Effect.all({
        stripe: Effect.map(at("stripe"), (now) => now - before.stripe),
        own: Effect.map(settlement, (now) => now - before.own)
      })
      return { before, books, hears, payment_id, reference }
    })

  it.effect("so is a payout, whose money goes back to whoever paid where it never arrived", () =>
    Effect.gen(function* () {
      const { before, hears, payment_id, reference } = yield* paidOut("IE")
      yield* hears("failed")
      expect((yield* at("stripe")) - before.stripe).toBe(1500)
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
      yield* resolve(payment_id, "failed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect((yield* at("stripe")) - before.stripe).toBe(0)
      expect((yield* settlement) - before.own).toBe(0)
      expect(yield* itemsOf(payment_id)).toEqual([])
      stripe.purse.told(reference, "returned")
    })
  )

  it.effect.each([
    ["the rest, by its amount", "GR", "1100.00"],
    ["all that there is", "HU", undefined]
  ] as const)("a payout of which a part was sent back is sent back once: %s", ([, country, rest]) =>
    Effect.gen(function* () {
      const { books, hears, payment_id } = yield* paidOut(country)
      yield* hears("returned", "400.00")
      expect(yield* books).toEqual({ stripe: 1100, own: -1500 })
      expect(yield* suspenseOf(payment_id)).toEqual(["400.00 KES"])
      yield* hears("returned", rest)
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect.each([
    ["the rest, by its amount", "SI", "1100.00"],
    ["all that there is", "SK", undefined]
  ] as const)("nor is a part given a second time that somebody had decided on: %s", ([, country, rest]) =>
    Effect.gen(function* () {
      const { books, hears, payment_id } = yield* paidOut(country)
      yield* hears("returned", "400.00")
      yield* resolve(payment_id, "completed")
      yield* hears("returned", rest)
      expect(yield* books).toEqual({ stripe: 0, own: -1100 })
      expect(yield* suspenseOf(payment_id)).toEqual(["1100.00 KES"])
      yield* resolve(payment_id, "completed")
      yield* hears("returned", "1500.00")
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ detail: expect.stringContaining("do not have there") }])
    })
  )

  it.effect("what is no money is not booked, and a person is told", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes } = yield* disputed("CZ")
      for (const [key, sum] of [
        ["nothing", "0.00"],
        ["less", "-400.00"]
      ] as const) {
        yield* takes(`takes ${key}`, kes(sum))
        expect(yield* suspenseOf(payment_id), sum).toEqual([])
        expect(yield* itemsOf(payment_id)).toMatchObject([{ detail: expect.stringContaining(`took ${sum} KES back`) }])
        yield* regains(`regains ${key}`, sum)
        expect(yield* suspenseOf(payment_id), sum).toEqual([])
        expect(yield* itemsOf(payment_id)).toMatchObject([{ detail: expect.stringContaining(`gave ${sum} KES back`) }])
      }
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      yield* resolve(payment_id, "completed")
      expect(yield* itemsOf(payment_id)).toEqual([])
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("why money was taken back is kept, and stays what was said first", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* disputed("DK")
      for (const [key, reason] of [
        ["DK first", "fraud"],
        ["DK second", "it was repeated"]
      ] as const) {
        yield* callBack("stripe", { key, reference, state: "returned", reason })
        expect(yield* attemptsOf(payment_id)).toMatchObject([{ reason: "fraud" }])
      }
    })
  )
})
