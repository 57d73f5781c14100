/** Customers who return from a provider's page: only the provider's own answer changes the payment. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Absent, type Enquiry, Report, Unknown } from "../../../src/domain/Outcome.ts"
import { returnsPerMinute } from "../../../src/domain/policies/PaymentPolicies.ts"
import type { AttemptContext } from "../../../src/providers/port/Provider.ts"
import { TestServer } from "../../support/TestServer.ts"
import { visit } from "../../hosted/pages/PageVisits.ts"
import { actable } from "../support/ActionCalls.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { callBack, eventually, initiate, recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, reports, type Scripted, scripted } from "../support/ScriptedProvider.ts"

interface Resumed {
  readonly attempt: AttemptContext
  readonly query: Readonly<Record<string, string>>
}

const make = () => {
  const resumed: Array<Resumed> = []
  const next: { says: Enquiry; takes: number } = { says: new Unknown({ reason: "not asked yet" }), takes: 0 }
  const paypal: Scripted = scripted("paypal", {
    resume: (attempt: AttemptContext, query: Resumed["query"]) =>
      Effect.suspend(() => {
        resumed.push({ attempt, query })
        return Effect.sleep(next.takes)
      }).pipe(
        Effect.map(() => {
          if (next.says._tag === "Report") paypal.funds.reported(attempt.reference, next.says.state)
          return next.says
        })
      )
  })
  const stripe = actable("stripe")
  const circle = actable("circle")
  const payoutProvider = {
    ...circle,
    resume: (attempt: AttemptContext, query: Resumed["query"]) =>
      Effect.sync(() => {
        resumed.push({ attempt, query })
        return new Absent()
      })
  }
  return { paypal, stripe, circle, resumed, next, providers: [paypal, stripe, payoutProvider] }
}

const redirects = accepts({
  state: "pending",
  nextAction: "redirect",
  actionData: { redirect_url: "https://pay.example/1" }
})

onDatabasePaymentServer("customers who come back", make, (it, { circle, next, paypal, resumed, stripe }) => {
  const sentOut = (provider: typeof paypal | typeof stripe, country: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, [provider.name])
      provider.on(`out ${country}`, redirects)
      const { payment_id, response } = yield* initiate({ ...byCard(), country, description: `out ${country}` })
      expect(response).toMatchObject({ status: "pending", next_action: "redirect" })
      const order = provider.orders.find((one) => one.paymentId === payment_id)!
      const { pathname, search } = new URL(order.returnUrl)
      return { payment_id, path: `${pathname}${search}`, checkout: new URL(order.checkoutUrl) }
    })

  it.effect("are led to the checkout, and what the address brought reaches the provider as often as they come", () =>
    Effect.gen(function* () {
      const { checkout, path, payment_id } = yield* sentOut(paypal, "FR")
      next.says = reports("completed")
      const before = resumed.length
      const first = yield* visit(`${path}&token=EC-1&PayerID=P%201`)
      expect(first.status).toBe(303)
      expect(new URL(first.headers["location"]!, `http://x${path}`).pathname).toBe(checkout.pathname)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      yield* visit(`${path}&token=EC-1`)
      const calls = resumed.slice(before)
      expect(calls[0]?.query).toEqual({ token: "EC-1", PayerID: "P 1" })
      expect(calls[0]?.attempt).toMatchObject({ leg: "payment", flow: "inbound", method: "card", country: "FR" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("change nothing where the provider does not know, or never had it", () =>
    Effect.gen(function* () {
      const { path, payment_id } = yield* sentOut(paypal, "DE")
      for (const says of [new Unknown({ reason: "no answer" }), new Absent()]) {
        next.says = says
        expect((yield* visit(`${path}&token=EC-2`)).status).toBe(303)
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
      }
      next.says = new Report({ state: "failed", reason: "voided", providerPaymentId: null, providerStatus: "VOIDED" })
      yield* visit(`${path}&token=EC-2`)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed", failure: { message: "voided" } })
    })
  )

  it.effect("are a hint where the provider has nothing to finish", () =>
    Effect.gen(function* () {
      const { path, payment_id } = yield* sentOut(stripe, "ES")
      const before = stripe.enquiries.length
      expect((yield* visit(path)).status).toBe(303)
      yield* eventually(
        Effect.sync(() => stripe.enquiries.slice(before).length),
        (times) => times > 0
      )
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
    })
  )

  it.effect("may hang up: what was begun for them is brought to its end", () =>
    Effect.gen(function* () {
      const { path, payment_id } = yield* sentOut(paypal, "PT")
      Object.assign(next, { says: reports("completed"), takes: 1000 })
      const { baseUrl } = yield* TestServer
      const before = resumed.length
      const browser = new AbortController()
      const call = fetch(`${baseUrl}${path}&token=EC-5`, { signal: browser.signal, redirect: "manual" }).then(
        () => "answered",
        () => "hung up"
      )
      yield* eventually(
        Effect.sync(() => resumed.length),
        (times) => times > before
      )
      browser.abort()
      expect(yield* Effect.promise(() => call)).toBe("hung up")
      yield* eventually(recordOf(payment_id), ({ status }) => status === "completed")
      next.takes = 0
    })
  )

  it.effect("make their provider be asked once at a time, however often they come", () =>
    Effect.gen(function* () {
      const { path, payment_id } = yield* sentOut(paypal, "NL")
      Object.assign(next, { says: reports("pending"), takes: 4000 })
      const before = resumed.length
      const first = yield* Effect.fork(visit(`${path}&token=EC-6`))
      yield* eventually(
        Effect.sync(() => resumed.length),
        (times) => times > before
      )
      const visits = yield* Effect.replicateEffect(visit(`${path}&token=EC-6`), 5, { concurrency: "unbounded" })
      expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([303]))
      expect(resumed.slice(before)).toHaveLength(1)
      yield* first
      Object.assign(next, { says: reports("completed"), takes: 0 })
      yield* visit(`${path}&token=EC-6`)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("finish nothing but what they were to pay", () =>
    Effect.gen(function* () {
      circle.otherwise(accepts())
      const { payment_id, reference } = yield* paidRamp(stripe, "FI", "13000.00")
      yield* untilStatus(payment_id, "processing")
      const { returnUrl } = stripe.orders.find((order) => order.reference === reference)!
      const { pathname, search } = new URL(returnUrl)
      const before = resumed.length
      expect((yield* visit(`${pathname}${search}`)).status).toBe(303)
      expect(resumed.slice(before), "no customer returns from the provider that settles it").toEqual([])
      const settlement = yield* eventually(
        Effect.sync(() => circle.orders.at(-1)),
        (order) => order !== undefined
      )
      yield* callBack("circle", { key: "FI settled", reference: settlement!.reference, state: "completed" })
    })
  )

  it.effect("find nothing without the token of their payment", () =>
    Effect.gen(function* () {
      const { path } = yield* sentOut(paypal, "IT")
      const before = resumed.length
      expect((yield* visit(`${path.split("?")[0]}?t=guessed&token=EC-3`)).status).toBe(404)
      expect(resumed.length).toBe(before)
    })
  )

  it.effect("who come in crowds are all led on, while the provider is asked a few times", () =>
    Effect.gen(function* () {
      const { path, payment_id } = yield* sentOut(paypal, "PT")
      next.says = reports("processing")
      const before = resumed.length
      const visits = Array.from({ length: 60 }, (_, at) => visit(`${path}&junk=${at}`))
      const statuses = (yield* Effect.all(visits, { concurrency: "unbounded" })).map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set([303]))
      // One at a time, and so many in a minute: how many of them that comes to depends on how fast they are answered.
      expect(resumed.length - before).toBeGreaterThan(0)
      expect(resumed.length - before).toBeLessThanOrEqual(returnsPerMinute)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
    })
  )

  it.effect("find their page whatever their provider says", () =>
    Effect.gen(function* () {
      const { path, payment_id } = yield* sentOut(paypal, "AT")
      const odd = "no\u0000\ud800"
      next.says = new Report({
        state: "failed",
        reason: odd,
        providerPaymentId: odd,
        providerStatus: odd,
        providerCode: odd
      })
      expect((yield* visit(path)).status).toBe(303)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
    })
  )
})
