/** A payment that comes to nothing says why: in the answer, on the record and in its events. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { newReceiver, withStatus } from "../../webhooks/delivery/Receiver.ts"
import { act, actable, setThreshold } from "../support/ActionCalls.ts"
import {
  attemptsOf,
  callBack,
  eventually,
  initiate,
  type Json,
  jsonOf,
  recordOf,
  eventsOfType
} from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard, byPhone, kenyanPhone, payoutByPhone } from "../support/Requests.ts"
import { itemsOf } from "../support/OperatorActions.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"

const KES = CurrencyCode.make("KES")

const make = () => {
  const stripe = actable("stripe")
  return { providers: [stripe], stripe }
}

onDatabasePaymentServer("A payment that fails", make, (it, { stripe }) => {
  const payIn = (country: string, does: Parameters<typeof stripe.on>[1]) =>
    Effect.gen(function* () {
      const configs = yield* serveCountry(country, ["stripe"])
      stripe.on(country, does)
      return { ...(yield* initiate({ ...byCard(), country, description: country })), configs: configs.flat() }
    })

  const holding = <A, E, R>(test: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* setThreshold(acme.org_id, "1000")
      return yield* Effect.ensuring(test, setThreshold(acme.org_id, null))
    })

  const failed = (id: string, failure: Json, status = "failed") =>
    Effect.gen(function* () {
      expect(yield* recordOf(id)).toMatchObject({ status, failure })
      expect(yield* eventsOfType(id, "payment.failed")).toMatchObject([{ status, failure }])
    })

  it.effect("was declined: in the provider's words", () =>
    Effect.gen(function* () {
      const answer = yield* payIn("FR", declines("the card is stolen"))
      expect(answer).toMatchObject({ status: 502, body: { code: "ALL_PROVIDERS_FAILED" } })
      yield* failed(answer.payment_id, {
        code: "PROVIDER_DECLINED",
        message: "the card is stolen",
        provider: "stripe"
      })
    })
  )

  it.effect("failed at its provider after it was taken", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* payIn("DE", accepts())
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing", failure: null })
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      yield* callBack("stripe", { key: `de ${payment_id}`, reference, state: "failed", reason: "no money on the card" })
      yield* failed(payment_id, { code: "PROVIDER_FAILED", message: "no money on the card", provider: "stripe" })
    })
  )

  it.effect("was turned away by a reviewer, with the reviewer's reason", () =>
    holding(
      Effect.gen(function* () {
        const { acme } = yield* people
        const [why, mute] = [yield* initiate(byPhone()), yield* initiate(byPhone())]
        yield* act(why.payment_id, { action: "reject", reason: "unknown payer" }, acme.token("staff"))
        const reasoned = { code: "REJECTED", message: "unknown payer", provider: null }
        yield* failed(why.payment_id, reasoned, "rejected")
        yield* act(mute.payment_id, { action: "reject" }, acme.token("staff"))
        const unreasoned = { code: "REJECTED", message: "A reviewer turned it away.", provider: null }
        yield* failed(mute.payment_id, unreasoned, "rejected")
      })
    )
  )

  it.effect("was reviewed when no provider served it any more", () =>
    holding(
      Effect.gen(function* () {
        const { acme } = yield* people
        const { configs, payment_id } = yield* payIn("ES", accepts())
        const { remove } = yield* ProviderConfigStore
        for (const { config_id } of configs) yield* remove(config_id)
        const answer = yield* act(payment_id, { action: "review" }, acme.token("staff"))
        expect(answer).toMatchObject({ status: 422, body: { code: "ROUTING_CONFIG_NOT_FOUND", payment_id } })
        const message = answer.body["message"]
        yield* failed(payment_id, { code: "ROUTING_CONFIG_NOT_FOUND", message, provider: null })
      })
    )
  )

  it.effect("is not the one that is canceled: that has an event of its own, which endpoints can ask for", () =>
    Effect.scoped(
      holding(
        Effect.gen(function* () {
          const { acme } = yield* people
          const receiver = yield* newReceiver(withStatus(204))
          const hook = { endpoint_url: receiver.url, events: ["payment.canceled"] }
          expect((yield* post("/v1/public/webhooks", { ...acme.key }, hook)).status).toBe(201)
          const { payment_id } = yield* initiate(byPhone())
          yield* act(payment_id, { action: "cancel", reason: "ordered twice" })
          expect(yield* recordOf(payment_id)).toMatchObject({ status: "canceled", failure: null })
          const [published] = yield* eventsOfType(payment_id, "payment.canceled")
          expect(published).toMatchObject({ status: "canceled", previous_status: "initiated", amount: 1500 })
          expect(yield* eventsOfType(payment_id, "payment.failed")).toEqual([])
          const hooks = yield* eventually(
            Effect.sync(() => receiver.hooks),
            (all) => all.length > 0
          )
          expect(hooks.map(({ body }) => JSON.parse(body) as Json)).toMatchObject([
            { event_type: "payment.canceled", data: { payment_id } }
          ])
        })
      )
    )
  )

  it.effect("is never made for want of money; a refund for which there is none names its payment", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const ledger = yield* LedgerStore
      yield* ledger.setLimit({ org_id: acme.org_id, currency: KES, credit_limit: moneyOf("0", KES) })
      const { payment_id, transaction_id } = yield* payIn("IT", accepts({ state: "completed" }))
      const made = jsonOf(yield* post("/v1/beneficiaries", { ...acme.key }, kenyanPhone()))["data"] as Json
      const request = payoutByPhone(String(made["beneficiary_id"]))
      const spent = yield* initiate({ ...request, amount: 1000, target_amount: 1000 })
      expect(spent.status).toBe(200)
      const short = yield* initiate({ ...request, amount: 501, target_amount: 501 })
      expect(short).toMatchObject({ status: 409, body: { code: "INSUFFICIENT_FUNDS" } })
      expect(Object.keys(short.body)).not.toContain("payment_id")
      expect(short.body["message"]).toContain("add funds first: collect payins in KES")
      const refund = yield* act(payment_id, { action: "refund" })
      expect(refund).toMatchObject({
        status: 409,
        body: { code: "INSUFFICIENT_FUNDS", payment_id, transaction_id, message: short.body["message"] }
      })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", refunds: [], failure: null })
      yield* ledger.setLimit({ org_id: acme.org_id, currency: KES, credit_limit: null })
    })
  )

  it.effect("opens an item if the provider says that completed money went back, without saying by which transfer", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* payIn("ES", accepts({ state: "completed" }))
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      yield* callBack("stripe", { key: "ES back", reference, state: "returned", movements: [] })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { kind: "unknown_outcome", detail: expect.stringContaining("went back") as string }
      ])
    })
  )

  it.effect("takes a report of a transfer of nothing, or of less, for a report without a transfer", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* payIn("PL", accepts())
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      for (const amount of ["0.00", "-500.00"]) {
        for (const kind of ["collection", "refund", "reversal"] as const) {
          const moved = {
            kind,
            id: `${kind} ${amount}`,
            amount: { amount, currency: "KES" },
            state: "settled"
          } as const
          const key = `PL ${kind} ${amount}`
          const answer = yield* callBack("stripe", { key, reference, state: "processing", movements: [moved] })
          expect(answer.status, key).toBe(200)
        }
      }
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing", refunded_amount: 0 })
    })
  )
})
