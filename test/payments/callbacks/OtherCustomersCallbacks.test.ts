/**
 * Callbacks of another customer of the same vendor, about an attempt of ours: as genuine as that customer can have them
 * made, under our reference or our id. Whatever they say, the account itself is asked, and its answer counts.
 */
import { createHmac } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Either, Option } from "effect"
import type { PaymentMethod, ThirdPartyName } from "../../../src/domain/Corridor.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { Money } from "../../../src/domain/Money.ts"
import { Accepted } from "../../../src/domain/Outcome.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { itemSignature } from "../../../src/providers/adyen/AdyenCallbacks.ts"
import { linkReference } from "../../../src/providers/adyen/AdyenRequests.ts"
import { circle } from "../../../src/providers/circle/CircleAdapter.ts"
import { fakeSigner } from "../../fakes/CircleFakeBodies.ts"
import type { ProviderCall, ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"
import { coinbase } from "../../../src/providers/coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "../../fakes/CoinbaseFake.ts"
import { flutterwave } from "../../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { mtnMomo } from "../../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import { keyId, publicPem, signedHeaders } from "../../fakes/PawapayFakeBodies.ts"
import { pawapay } from "../../../src/providers/pawapay/PawapayAdapter.ts"
import { paypal } from "../../../src/providers/paypal/PaypalAdapter.ts"
import { paystack } from "../../../src/providers/paystack/PaystackAdapter.ts"
import { signatureOf as paystackSignature } from "../../../src/providers/paystack/PaystackCallbacks.ts"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import type { CredentialFields, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"
import { wrapProvider, wireReference } from "../../../src/providers/port/ProviderWrappers.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { signatureOf as stripeSignature } from "../../../src/providers/stripe/StripeCallbacks.ts"
import { callbackRequest } from "../../providers/support/CallbackFixtures.ts"
import { connected } from "../../providers/support/ConnectedAdapter.ts"
import { amount } from "../../providers/support/TestOrders.ts"
import { replyOf, scripted } from "../../providers/support/ScriptedReplies.ts"
import { newOwner, newPayment } from "../support/NewPayment.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { stopAtStep } from "../support/StopAtStep.ts"
import { servicesIn, worldOn } from "../support/RestartableServices.ts"

interface OurOrder {
  /** Our reference, as it goes over the wire. */
  readonly reference: string
  /** The vendor's id of our attempt, written at initiation. */
  readonly id: string
  readonly at: Date
}

interface Customer {
  readonly provider: ThirdPartyName
  readonly method: PaymentMethod
  readonly country: string
  readonly money: Money
  readonly idOf: (reference: string) => string
  /** Our account. `asked`: how the vendor answers to its credentials, all the while that the payment is under way. */
  readonly account: (asked: (call: ProviderCall) => ProviderReply | undefined) => Provider
  readonly underWay: (mine: OurOrder, flow: "payin" | "payout") => (call: ProviderCall) => ProviderReply | undefined
  /** Callbacks of the other customer: paid, or for a payout failed. */
  readonly sends: (mine: OurOrder, flow: "payin" | "payout") => ReadonlyArray<CallbackRequest>
  /** Whether the callback is refused at once, or makes us ask. */
  readonly ends: "refused" | "asked" | "ignored"
  readonly payouts?: true
}

const at =
  <Fields extends CredentialFields>(party: ThirdParty<Fields>, credentials: Readonly<Record<string, string>>) =>
  (asked: (call: ProviderCall) => ProviderReply | undefined): Provider =>
    wrapProvider(connected(party, scripted((call) => asked(call) ?? replyOf(404, {})).http, credentials))

const url = "https://pay.example.com/callbacks"

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  callbackRequest(JSON.stringify(body), headers)

const signer = fakeSigner()

const snsMessage = (message: object, now: Date) =>
  signer.sign({
    Type: "Notification",
    MessageId: "17ad2b1a-53ae-5e6f-9b1c-7d3a0c3f1d11",
    TopicArn: "arn:aws:sns:us-east-1:908968368384:sandbox_platform-notifications-topic",
    Message: JSON.stringify(message),
    Timestamp: now.toISOString(),
    SignatureVersion: "2",
    SigningCertURL: `https://sns.us-east-1.amazonaws.com${signer.certificatePath}`
  })

const coinbaseSigned = (body: object, secret: string, { at: now }: OurOrder) => {
  const text = JSON.stringify(body)
  const t = Math.floor(now.getTime() / 1000)
  const v0 = createHmac("sha256", secret).update(`${t}.${text}`).digest("hex")
  return callbackRequest(text, { "x-hook0-signature": `t=${t},v0=${v0}` })
}

const transmission = {
  "paypal-auth-algo": "SHA256withRSA",
  "paypal-cert-url": "https://api.paypal.com/v1/notifications/certs/CERT-1",
  "paypal-transmission-id": "b6c3dd60",
  "paypal-transmission-sig": "c2ln",
  "paypal-transmission-time": "2030-06-01T10:00:00Z"
}

const payee = { merchant_id: "OURMERCHANT22" }

const sameId = (reference: string) => reference

const customers: ReadonlyArray<Customer> = [
  {
    provider: "pawapay",
    method: "mobile_money",
    country: "RW",
    money: amount("500000", "RWF"),
    idOf: sameId,
    account: at(pawapay, { api_token: "ours" }),
    underWay:
      () =>
      ({ path }) =>
        path === "/public-key/http"
          ? replyOf(200, [{ id: keyId, key: publicPem }])
          : replyOf(200, [{ status: "SUBMITTED", currency: "RWF" }]),
    // The other merchant makes a deposit or a payout of our id, with our address for its callback.
    sends: ({ at: now, reference }, flow) => {
      const body = JSON.stringify(
        flow === "payin"
          ? { depositId: reference, status: "COMPLETED", depositedAmount: "500000", currency: "RWF" }
          : { payoutId: reference, status: "FAILED", failureReason: { failureCode: "RECIPIENT_NOT_FOUND" } }
      )
      return [callbackRequest(body, signedHeaders(url, body, now))]
    },
    ends: "asked",
    payouts: true
  },
  {
    provider: "paypal",
    method: "card",
    country: "GB",
    money: amount("100.00", "USD"),
    idOf: () => "5O190127TN364715T",
    account: at(paypal, { client_id: "public", client_secret: "ours", webhook_id: "WH", ...payee }),
    underWay:
      ({ id, reference }, flow) =>
      ({ path }) => {
        if (path === "/v1/oauth2/token") return replyOf(200, { access_token: "A21", expires_in: 32_400 })
        if (path === "/v1/notifications/verify-webhook-signature") {
          return replyOf(200, { verification_status: "SUCCESS" })
        }
        if (path.startsWith("/v1/payments/payouts/")) {
          const header = { payout_batch_id: id, batch_status: "PROCESSING" }
          return flow === "payout" && path.endsWith(id) ? replyOf(200, { batch_header: header }) : undefined
        }
        const unit = { custom_id: reference, amount: { currency_code: "USD", value: "100.00" } }
        return path === `/v2/checkout/orders/${id}`
          ? replyOf(200, { id, status: "PAYER_ACTION_REQUIRED", purchase_units: [{ ...unit, payee }] })
          : replyOf(200, {
              id: "9XX",
              status: "COMPLETED",
              purchase_units: [{ ...unit, payee: { merchant_id: "ANOTHER222222" } }]
            })
      },
    // Orders are made with our public client id, and captured: PayPal itself says that it sent this to our webhook.
    sends: ({ reference }, flow) => {
      const event = (event_type: string, resource: object) => json({ id: "WH-9", event_type, resource }, transmission)
      const amountOf = { currency_code: "USD", value: "100.00" }
      const related = { related_ids: { order_id: "9XX" } }
      const capture = { id: "3C9", custom_id: reference, amount: amountOf, supplementary_data: related }
      return flow === "payin"
        ? [
            event("PAYMENT.CAPTURE.COMPLETED", { ...capture, status: "COMPLETED" }),
            event("PAYMENT.CAPTURE.DENIED", { ...capture, status: "DECLINED" }),
            event("CHECKOUT.ORDER.APPROVED", { id: "9XX", purchase_units: [{ custom_id: reference }] })
          ]
        : [
            event("PAYMENT.PAYOUTS-ITEM.FAILED", {
              payout_batch_id: "9XX",
              transaction_status: "FAILED",
              payout_item: { sender_item_id: reference }
            })
          ]
    },
    ends: "asked",
    payouts: true
  },
  {
    provider: "circle",
    method: "crypto",
    country: "KE",
    money: amount("100", "USDC"),
    idOf: () => "a84a37b7-309d-4ac3-badc-af7999b078c2",
    account: at(circle, { api_key: "ours" }),
    underWay:
      ({ id }, flow) =>
      ({ path }) => {
        if (path === signer.certificatePath) return replyOf(200, signer.certificate)
        if (!path.endsWith(id)) return undefined
        return replyOf(200, {
          data: flow === "payin" ? { id, timeline: [{ status: "created" }] } : { id, status: "pending" }
        })
      },
    // Signed by the topic that all of Circle's customers share. Even under our id it is asked about.
    sends: ({ at: now, id }, flow) => {
      const paid = { amountPaid: { amount: "100.00", currency: "USD" }, timeline: [{ status: "complete" }] }
      return [
        json(
          snsMessage(
            flow === "payin"
              ? { clientId: "another", notificationType: "paymentIntents", paymentIntent: { id, ...paid } }
              : { clientId: "another", notificationType: "transfers", transfer: { id, status: "failed" } },
            now
          )
        )
      ]
    },
    ends: "asked",
    payouts: true
  },
  {
    provider: "coinbase",
    method: "crypto",
    country: "KE",
    money: amount("100", "USDC"),
    idOf: () => "transfer_af2937b0-9846-4fe7-bfe9-ccc22d935114",
    account: at(coinbase, coinbaseFake.credentials as Record<string, string>),
    underWay: () => () => undefined,
    // Under the secret of its own webhook.
    sends: (mine) => {
      const data = { transferId: mine.id, status: "failed", metadata: { reference: mine.reference } }
      const source = { accountId: coinbaseFake.credentials["account_id"] }
      return [
        coinbaseSigned(
          { eventID: "e1", eventType: "payments.transfers.failed", data: { ...data, source } },
          "whsec_another",
          mine
        )
      ]
    },
    ends: "refused",
    payouts: true
  },
  {
    provider: "coinbase",
    method: "crypto",
    country: "KE",
    money: amount("100", "USDC"),
    idOf: () => "transfer_af2937b0-9846-4fe7-bfe9-ccc22d935114",
    account: at(coinbase, coinbaseFake.credentials as Record<string, string>),
    underWay: () => () => undefined,
    // Another account of the same project, which has the same webhook.
    sends: (mine) => {
      const data = { transferId: "transfer_9", status: "failed", metadata: { reference: mine.reference } }
      const source = { accountId: "account_00000000-0000-4000-8000-000000000009" }
      return [
        coinbaseSigned(
          { eventID: "e2", eventType: "payments.transfers.failed", data: { ...data, source } },
          String(coinbaseFake.credentials["webhook_secret"]),
          mine
        )
      ]
    },
    ends: "ignored",
    payouts: true
  },
  ...(["refused", "ignored"] as const).map((ends): Customer => ({
    provider: "stripe",
    method: "card",
    country: "DE",
    money: amount("100.00", "EUR"),
    idOf: () => "pi_ours",
    account: at(stripe, { secret_key: "sk_test_ours", webhook_secret: "whsec_ours" }),
    underWay: () => () => undefined,
    // Signed with the secret of its own endpoint, or for an account that is connected to ours and so delivered here.
    sends: ({ at: now, reference }) => {
      const intent = { object: "payment_intent", id: "pi_9", status: "succeeded", currency: "eur" }
      const object = { ...intent, amount_received: 10_000, metadata: { reference } }
      const account = ends === "ignored" ? { account: "acct_another" } : {}
      const body = JSON.stringify({ id: "evt_9", type: "payment_intent.succeeded", data: { object }, ...account })
      const time = String(Math.floor(now.getTime() / 1000))
      const secret = ends === "ignored" ? "whsec_ours" : "whsec_another"
      return [callbackRequest(body, { "stripe-signature": `t=${time},v1=${stripeSignature(secret, time, body)}` })]
    },
    ends
  })),
  ...(["refused", "ignored"] as const).map((ends): Customer => {
    const [ours, others] = ["44".repeat(32), "55".repeat(32)]
    return {
      provider: "adyen",
      method: "card",
      country: "DE",
      money: amount("100.00", "EUR"),
      idOf: () => "PL61C53A8B97E6915A",
      account: at(adyen, { api_key: "ours", merchant_account: "OurECOM", webhook_secret: ours }),
      underWay: () => () => undefined,
      // Under a key of its own; or as another merchant account of the same company.
      sends: ({ reference }) => {
        const item = {
          pspReference: "PSP0000000000009",
          originalReference: null,
          merchantAccountCode: ends === "ignored" ? "AnotherECOM" : "OurECOM",
          merchantReference: linkReference(reference),
          amount: { value: "10000", currency: "EUR" },
          eventCode: "AUTHORISATION",
          success: "true"
        }
        const hmacSignature = itemSignature(item, ends === "ignored" ? ours : others)
        const signed = { ...item, amount: { value: 10_000, currency: "EUR" }, additionalData: { hmacSignature } }
        return [json({ live: "false", notificationItems: [{ NotificationRequestItem: signed }] })]
      },
      ends
    }
  }),
  {
    provider: "paystack",
    method: "card",
    country: "NG",
    money: amount("100.00", "NGN"),
    idOf: () => "4099260516",
    account: at(paystack, { secret_key: "sk_test_ours" }),
    underWay: () => () => undefined,
    sends: ({ reference }) => {
      const data = { id: 4_099_260_517, status: "success", reference, amount: 10_000, currency: "NGN", domain: "test" }
      const body = JSON.stringify({ event: "charge.success", data })
      return [callbackRequest(body, { "x-paystack-signature": paystackSignature("sk_test_another", body) })]
    },
    ends: "refused"
  },
  ...(["refused", "asked"] as const).map((ends): Customer => ({
    provider: "flutterwave",
    method: "bank_transfer",
    country: "NG",
    money: amount("100.00", "NGN"),
    idOf: () => "4193428",
    account: at(flutterwave, { secret_key: "FLWSECK_TEST-ours", webhook_secret: "ours" }),
    underWay:
      ({ id, reference }) =>
      ({ path }) => {
        const data = { tx_ref: reference, amount: 100, currency: "NGN" }
        return replyOf(200, {
          status: "success",
          data: path.includes(id) ? { ...data, id, status: "pending" } : { ...data, id: 9, status: "failed" }
        })
      },
    // With its own hash; and with ours, which travels with every callback and signs nothing.
    sends: ({ reference }) => [
      json(
        { event: "charge.completed", data: { id: 9, tx_ref: reference, status: "failed" } },
        { "verif-hash": ends === "asked" ? "ours" : "another" }
      )
    ],
    ends
  })),
  {
    provider: "mtn_momo",
    method: "mobile_money",
    country: "UG",
    money: amount("5000", "UGX"),
    idOf: sameId,
    account: at(mtnMomo, {
      api_user: "u",
      api_key: "k",
      collection_key: "c",
      disbursement_key: "d",
      target_environment: "mtnuganda"
    }),
    underWay:
      () =>
      ({ path }) =>
        path.endsWith("/token/")
          ? replyOf(200, { access_token: "t", expires_in: "3600" })
          : replyOf(200, { status: "PENDING", amount: "5000", currency: "UGX" }),
    sends: ({ reference }, flow) => [
      json({ externalId: reference, status: flow === "payin" ? "SUCCESSFUL" : "FAILED", amount: "5000" })
    ],
    ends: "asked",
    payouts: true
  }
]

const cases = customers.flatMap((customer) => {
  const { ends, payouts, provider } = customer
  const named = (flow: "payin" | "payout") => [`${provider}: a ${flow}, ${ends}`, customer, flow] as const
  const isPayoutOnly = provider === "coinbase"
  return [...(isPayoutOnly ? [] : [named("payin")]), ...(payouts === true ? [named("payout")] : [])]
})

describe("a callback of another customer of the same vendor moves nothing", () => {
  it.live.each(cases)("%s", ([, customer, flow]) =>
    Effect.gen(function* () {
      const { country, method, money, provider: name } = customer
      const world = yield* worldOn("memory")
      let asked: (call: ProviderCall) => ProviderReply | undefined = () => undefined
      const provider = customer.account((call) => asked(call))
      yield* Effect.gen(function* () {
        const store = yield* PaymentStore
        const about = {
          direction: flow === "payin" ? ("inbound" as const) : ("outbound" as const),
          payment_method: method,
          country: CountryCode.make(country),
          amount: money,
          target: money,
          status: "processing" as const,
          holds: flow === "payout"
        }
        const owner = yield* newOwner
        const { atProviders, clearingOf, setLimit } = yield* LedgerStore
        yield* setLimit({ org_id: owner.org_id, currency: money.currency, credit_limit: money })
        const { attempt, payment } = yield* newPayment(owner, about, { provider: name })
        const reference = wireReference(attempt.attempt_id)
        const mine = { reference, id: customer.idOf(reference), at: new Date(yield* Clock.currentTimeMillis) }
        asked = customer.underWay(mine, flow)
        const taken = new Accepted({
          ...{ state: "processing", providerPaymentId: mine.id, providerStatus: "taken", nextAction: null },
          ...{ actionData: {}, providerData: {} }
        })
        const { record } = yield* RecordOutcome
        yield* record(yield* Effect.flatten(store.findAttempt(attempt.attempt_id, null)), taken, { cause: "a test" })
        const before = Option.getOrThrow(yield* store.find(Option.none(), payment.payment_id))
        const { receive } = yield* Callbacks
        const { runOnce } = yield* StatusPoller
        for (const request of customer.sends(mine, flow)) {
          const answer = yield* Effect.either(receive(provider, { ...request, path: new URL(url).pathname }))
          const ended = Either.isLeft(answer)
            ? "refused"
            : answer.right.received.includes("provider asked")
              ? "asked"
              : "ignored"
          expect(ended).toBe(customer.ends)
          expect(yield* runOnce, "at once, where it makes us ask").toBe(customer.ends === "asked" ? 1 : 0)
          yield* timePasses(world.clock, "20 seconds")
        }
        yield* timePasses(world.clock, "1 hour")
        yield* runOnce
        const after = Option.getOrThrow(yield* store.find(Option.none(), payment.payment_id))
        expect(["processing", "pending"]).toContain(after.status)
        expect([after.provider_payment_id, after.holds]).toEqual([mine.id, before.holds])
        const kept = yield* Effect.flatten(store.findAttempt(attempt.attempt_id, null))
        expect(kept).toMatchObject({
          attempt: { outcome: "accepted", provider_payment_id: mine.id },
          movements: [],
          allocations: []
        })
        expect([yield* atProviders(payment.payment_id), yield* clearingOf(payment.payment_id)]).toEqual([[], []])
      }).pipe(Effect.provide(servicesIn(world, stopAtStep(-1, "the step fails"), [provider])))
    }).pipe(Effect.scoped)
  )
})
