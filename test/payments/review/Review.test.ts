import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import { deposit, expectBooksInOrder, openAccount, withdraw } from "../../treasury/accounts/AccountFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import {
  attemptsOf,
  get,
  initiate,
  type Json,
  jsonOf,
  ofKind,
  recordOf,
  timelineOf,
  untilStatus
} from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { eventsOf } from "../support/PaymentServices.ts"
import { byBank, byCard, byPhone, kenyanBank, kenyanPhone, payoutByPhone } from "../support/Requests.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { act, actable, setThreshold } from "../support/ActionCalls.ts"
import { itemsOf } from "../support/OperatorActions.ts"

const KES = CurrencyCode.make("KES")

const make = () => {
  const stripe = actable("stripe")
  return { providers: [stripe], stripe }
}

onDatabasePaymentServer("Reviews", make, (it, { stripe }) => {
  /** Holds what reaches 1,000 shillings for as long as the test runs. */
  const holding = <A, E, R>(test: Effect.Effect<A, E, R>, threshold = "1000") =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* setThreshold(acme.org_id, threshold)
      return yield* Effect.ensuring(test, setThreshold(acme.org_id, null))
    })

  const noLonger = (configs: Effect.Effect.Success<ReturnType<typeof serveCountry>>) =>
    Effect.flatMap(ProviderConfigStore, ({ remove }) =>
      Effect.forEach(configs.flat(), ({ config_id }) => remove(config_id), { discard: true })
    )

  const reviewer = Effect.map(people, ({ acme }) => acme.token("staff"))

  const historyOf = (id: string) =>
    Effect.map(timelineOf(id), (items) => ofKind(items, "status").map((item) => item["to"]))

  it.effect("hold what reaches the threshold, and send it on its way once reviewed", () =>
    holding(
      Effect.gen(function* () {
        const { acme } = yield* people
        const small = yield* initiate({ ...byPhone(), amount: 999.99, target_amount: 999.99 })
        expect(small.response).toMatchObject({ status: "processing" })
        const held = yield* initiate({ ...byPhone(), amount: 1000, target_amount: 1000 })
        expect(held.status).toBe(200)
        expect(held.response).toMatchObject({ success: true, status: "initiated", next_action: "wait", provider: null })
        const id = held.payment_id
        expect(yield* attemptsOf(id)).toEqual([])
        expect(yield* itemsOf(id)).toMatchObject([{ kind: "review", attempt_id: null }])

        const own = yield* act(id, { action: "review" })
        expect(own).toMatchObject({ status: 409, body: { code: "INVALID_STATE" } })
        expect((yield* act(id, { action: "review" }, acme.token("member"))).status).toBe(403)
        expect((yield* act(small.payment_id, { action: "review" }, yield* reviewer)).status).toBe(409)
        expect(yield* historyOf(id)).toEqual(["initiated"])

        const sent = yield* act(id, { action: "review" }, yield* reviewer)
        expect(sent).toMatchObject({
          status: 200,
          response: { status: "processing", next_action: "wait", provider: "fiat" }
        })
        expect(yield* itemsOf(id)).toEqual([])
        yield* untilStatus(id, "completed")
        expect(yield* historyOf(id)).toEqual(["initiated", "reviewed", "confirmed", "processing", "completed"])
        expect((yield* act(id, { action: "review" }, yield* reviewer)).status).toBe(409)
        const audit = jsonOf(yield* get("/audit-log?action=payment.reviewed"))["data"] as ReadonlyArray<Json>
        expect(audit[0]).toMatchObject({ actor_id: acme.userId("staff"), subject_id: id })
        const types = (yield* eventsOf(id)).map((event) => event.event_type)
        expect(types.filter((type) => type === "payment.processing")).toHaveLength(1)
        expect(types.filter((type) => type === "transaction.updated")).toHaveLength(4)
      })
    )
  )

  it.effect("give the provider the same order that it would have had without", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const make = (body: object) =>
        Effect.map(
          post("/v1/beneficiaries", { ...acme.key }, body),
          (answer) => (jsonOf(answer)["data"] as Json)["beneficiary_id"]
        )
      const phone = String(yield* make(kenyanPhone()))
      const bank = String(yield* make(kenyanBank()))
      const requests = [
        [byPhone(), "mobile_money", "inbound"],
        [{ ...byBank(), description: "rent" }, "bank_transfer", "inbound"],
        [payoutByPhone(phone), "mobile_money", "outbound"],
        [
          { ...byBank(), direction: "payout", beneficiary_id: bank, bank_account: { account_number: "1100223344" } },
          "bank_transfer",
          "outbound"
        ]
      ] as const
      for (const [request, method, flow] of requests) {
        const configs = yield* serveCountry("KE", ["stripe"], method, flow)
        const body = { ...request, description: `order ${method} ${flow}` }
        stripe.on(body.description, accepts({ state: "completed" }))
        const straight = yield* initiate(body)
        expect(straight.response).toMatchObject({ status: "completed", provider: "stripe" })
        const held = yield* holding(initiate(body))
        expect(yield* act(held.payment_id, { action: "review" }, yield* reviewer)).toMatchObject({
          status: 200,
          response: { status: "completed", provider: "stripe" }
        })
        const orderOf = (id: string) => {
          const order = stripe.orders.find(({ paymentId }) => paymentId === id)
          expect(order?.checkoutUrl).toContain(id)
          expect(order?.returnUrl).toContain(id)
          // Drops the expiry, which counts from the approval.
          return { ...order, reference: "", paymentId: "", checkoutUrl: "", returnUrl: "", expiresAt: null }
        }
        expect(orderOf(held.payment_id)).toEqual(orderOf(straight.payment_id))
        yield* noLonger(configs)
      }
    })
  )

  it.effect("give the provider of a withdrawal the beneficiary's own destination, of whatever kind", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const wallet = { ...kenyanBank(), account_type: "wallet", bank_details: undefined }
      const crypto = { address: "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE", network: "TRON" }
      const destinations = [
        [kenyanBank(), "bank_transfer", { bank: { accountNumber: "1100223344" } }],
        [kenyanPhone(), "mobile_money", { mobileMoney: { network: "mpesa", phoneNumber: "+254712345678" } }],
        [{ ...wallet, wallet_details: crypto }, "wallet", { walletAddress: crypto }],
        [
          { ...wallet, email: "desk@example.com", wallet_details: { email: "ada@example.com" } },
          "wallet",
          { walletAddress: null, recipient: { name: "Ada Okafor", email: "ada@example.com", phone: null } }
        ]
      ] as const
      const { account_id } = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
      yield* deposit(acme.key, account_id, 20_000)
      for (const [at, [beneficiary, method, wanted]] of destinations.entries()) {
        // Adds a built-in simulator behind the scripted provider: withdrawals are initiated only where one is a
        // candidate.
        const configs = yield* serveCountry("KE", ["stripe", "manual"], method, "outbound")
        const made = yield* post("/v1/beneficiaries", { ...acme.key }, beneficiary)
        const { beneficiary_id } = jsonOf(made)["data"] as Json
        const description = `withdrawal ${at}`
        stripe.on(description, accepts({ state: "completed" }))
        const body = { amount: 1500, beneficiary_id, description }
        const held = yield* holding(withdraw(acme.key, account_id, body))
        expect(held).toMatchObject({ status: "pending" })
        expect((yield* act(held.reference, { action: "review" }, yield* reviewer)).response).toMatchObject({
          status: "completed"
        })
        const order = stripe.orders.find(({ paymentId }) => paymentId === held.reference)
        expect(order).toMatchObject({ method, flow: "outbound", ...wanted, sender: { name: expect.any(String) } })
        yield* noLonger(configs)
      }
      yield* expectBooksInOrder
    })
  )

  it.effect("compare amounts of other currencies at the base rate, and hold what has none", () =>
    Effect.gen(function* () {
      const dollars = (amount: number) => ({
        ...byCard(),
        country: "US",
        currency: "USD",
        target_currency: "USD",
        amount,
        target_amount: amount
      })
      const statusOf = (request: object) => Effect.map(holding(initiate(request)), ({ response }) => response["status"])
      // 1,000 shillings are 7.74 dollars.
      expect(yield* statusOf(dollars(7.7))).toBe("processing")
      expect(yield* statusOf(dollars(7.75))).toBe("initiated")
      expect(yield* statusOf({ ...dollars(1), currency: "PHP", target_currency: "PHP" })).toBe("initiated")
      expect((yield* holding(initiate(dollars(100)), "0")).response).toMatchObject({ status: "processing" })
    })
  )

  it.effect("turn payments away, with their reason", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { payment_id } = yield* holding(initiate(byPhone()))
      expect((yield* act(payment_id, { action: "reject" }, acme.token("member"))).status).toBe(403)
      expect((yield* act(payment_id, { action: "reject" })).status).toBe(409)
      const answer = yield* act(payment_id, { action: "reject", reason: "unknown payer" }, yield* reviewer)
      expect(answer).toMatchObject({ status: 200, response: { success: false, status: "rejected" } })
      expect(yield* recordOf(payment_id)).toMatchObject({
        status: "rejected",
        comments: "unknown payer",
        provider: null
      })
      expect(yield* itemsOf(payment_id)).toEqual([])
      const types = (yield* eventsOf(payment_id)).map((event) => event.event_type)
      expect(types).toEqual(expect.arrayContaining(["payment.failed", "transaction.updated"]))
      const audit = jsonOf(yield* get("/audit-log?action=payment.rejected"))["data"] as ReadonlyArray<Json>
      expect(audit[0]).toMatchObject({ subject_id: payment_id, detail: { reason: "unknown payer" } })
      expect((yield* act(payment_id, { action: "review" }, yield* reviewer)).status).toBe(409)
    })
  )

  it.effect("hold the money of a payout, and give it back once it is turned away", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const ledger = yield* LedgerStore
      const balances = Effect.all([
        ledger.balance(LedgerAccount.settlement(acme.org_id, KES)),
        ledger.balance(LedgerAccount.held(acme.org_id, KES))
      ]).pipe(Effect.map((all) => all.map(({ minor }) => Number(minor) / 100)))
      const made = jsonOf(yield* post("/v1/beneficiaries", { ...acme.key }, kenyanPhone()))["data"] as Json
      const [own, held] = (yield* balances) as [number, number]
      const { payment_id } = yield* holding(initiate(payoutByPhone(String(made["beneficiary_id"]))))
      expect(yield* balances).toEqual([own - 1500, held + 1500])
      expect((yield* act(payment_id, { action: "reject" }, yield* reviewer)).status).toBe(200)
      expect(yield* balances).toEqual([own, held])
      yield* expectBooksInOrder
    })
  )

  it.effect("can be escaped by canceling, also by the initiator", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* holding(initiate(byPhone()))
      expect(yield* act(payment_id, { action: "cancel" })).toMatchObject({
        status: 200,
        response: { status: "canceled" }
      })
      expect(yield* itemsOf(payment_id)).toEqual([])
      expect((yield* act(payment_id, { action: "review" }, yield* reviewer)).status).toBe(409)
    })
  )

  it.effect("send held cards to the hosted checkout, since they were not kept", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* holding(initiate(byCard()))
      const asked = stripe.orders.length
      const answer = yield* act(payment_id, { action: "review" }, yield* reviewer)
      expect(answer).toMatchObject({
        status: 200,
        response: { status: "pending", next_action: "redirect", provider: null }
      })
      expect(answer.response["redirect_url"]).toMatch(new RegExp(`/checkout/${payment_id}\\?t=[0-9a-zA-Z_-]{32}$`))
      expect(yield* historyOf(payment_id)).toEqual(["initiated", "reviewed", "confirmed", "pending"])
      expect(yield* attemptsOf(payment_id)).toEqual([])
      expect(stripe.orders).toHaveLength(asked)
      expect((yield* act(payment_id, { action: "cancel" })).response).toMatchObject({ status: "canceled" })
    })
  )

  it.effect("say that every provider declined, or that none is left", () =>
    Effect.gen(function* () {
      const configs = yield* serveCountry("RW", ["stripe"], "bank_transfer")
      stripe.on("declined", declines())
      const request = { ...byBank(), country: "RW", description: "declined" }
      const held = yield* holding(initiate(request))
      const answer = yield* act(held.payment_id, { action: "review" }, yield* reviewer)
      expect(answer).toMatchObject({
        status: 502,
        body: { code: "ALL_PROVIDERS_FAILED", payment_id: held.payment_id, transaction_id: held.transaction_id }
      })
      expect(yield* historyOf(held.payment_id)).toEqual(["initiated", "reviewed", "confirmed", "failed"])

      const orphan = yield* holding(initiate(request))
      yield* noLonger(configs)
      const none = yield* act(orphan.payment_id, { action: "review" }, yield* reviewer)
      expect(none).toMatchObject({
        status: 422,
        body: { code: "ROUTING_CONFIG_NOT_FOUND", payment_id: orphan.payment_id }
      })
      expect(yield* historyOf(orphan.payment_id)).toEqual(["initiated", "reviewed", "confirmed", "failed"])
    })
  )
})
