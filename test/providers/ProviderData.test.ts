/** Every third party's own ids and receipts reach the record: from its answer, its callbacks and its look-up together. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { adyen } from "../../src/providers/adyen/AdyenAdapter.ts"
import { adyenFake } from "../fakes/AdyenFake.ts"
import { circle } from "../../src/providers/circle/CircleAdapter.ts"
import { circleFake } from "../fakes/CircleFake.ts"
import { coinbase } from "../../src/providers/coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "../fakes/CoinbaseFake.ts"
import type { Fake } from "../fakes/Fake.ts"
import { flutterwaveFake } from "../fakes/FlutterwaveFake.ts"
import { flutterwave } from "../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { mtnMomoFake } from "../fakes/MtnMomoFake.ts"
import { mtnMomo } from "../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import { pawapayFake } from "../fakes/PawapayFake.ts"
import { pawapay } from "../../src/providers/pawapay/PawapayAdapter.ts"
import { paypalFake } from "../fakes/PaypalFake.ts"
import { paypal } from "../../src/providers/paypal/PaypalAdapter.ts"
import { paystackFake } from "../fakes/PaystackFake.ts"
import { paystack } from "../../src/providers/paystack/PaystackAdapter.ts"
import type { PaymentOrder } from "../../src/providers/port/Provider.ts"
import type { CredentialFields, ThirdParty } from "../../src/providers/port/ThirdParty.ts"
import { stripeFake } from "../fakes/StripeFake.ts"
import { stripe } from "../../src/providers/stripe/StripeAdapter.ts"
import { newOrder as adyenPayin, payout as adyenPayout } from "./adyen/AdyenTestOrders.ts"
import { payin as circlePayin, payout as circlePayout } from "./circle/CircleTestOrders.ts"
import { payin as coinbasePayin, payout as coinbasePayout } from "./coinbase/CoinbaseTestOrders.ts"
import { orderFor } from "./flutterwave/FlutterwaveTestOrders.ts"
import { ugandan } from "./mtnMomo/MtnMomoTestOrders.ts"
import { kenya } from "./pawapay/PawapayTestOrders.ts"
import { byCard as paypalPayin, toWallet } from "./paypal/PaypalTestOrders.ts"
import { byMpesa, toBank } from "./paystack/PaystackTestOrders.ts"
import { newOrder as stripePayin } from "./stripe/StripeTestOrders.ts"
import { againstFake, type Connection, visited } from "./support/AgainstFake.ts"
import { attemptOf, cardNumbered, recipientNamed } from "./support/TestOrders.ts"

type Data = Readonly<Record<string, unknown>>

/** Merges provider data like a payment's record, one report after the other. */
const dataOf = <Fields extends CredentialFields>(
  party: ThirdParty<Fields>,
  fake: Fake,
  order: PaymentOrder,
  connection: Connection = {}
): Effect.Effect<Data, never, Scope.Scope> =>
  Effect.gen(function* () {
    const at = yield* againstFake(party, fake, connection)
    const outcome = yield* at.provider.initiate(order)
    if (outcome._tag !== "Accepted") throw new Error(JSON.stringify(outcome))
    const page = outcome.actionData["redirect_url"]
    if (page !== undefined && page !== null) yield* visited(page)
    const attempt = attemptOf(order, { providerPaymentId: outcome.providerPaymentId, sentAt: new Date() })
    yield* at.provider.enquire(attempt)
    yield* at.settled
    const reported = (yield* Effect.orDie(at.events)).flatMap((event) =>
      event._tag === "VerifiedReport" ? [event.report.providerData ?? {}] : []
    )
    const asked = yield* at.provider.enquire(attempt)
    const found = asked._tag === "Report" ? (asked.providerData ?? {}) : {}
    expect(JSON.stringify([outcome.providerData, reported, found])).not.toContain(Object.values(at.credentials)[0])
    return Object.assign({}, outcome.providerData, ...reported, found) as Data
  })

const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/)
const number = expect.stringMatching(/^\d+$/)
const text = expect.any(String)

const cases: ReadonlyArray<readonly [string, () => Effect.Effect<Data, never, Scope.Scope>, Data]> = [
  [
    "Stripe, a card",
    () => dataOf(stripe, stripeFake, stripePayin({ card: cardNumbered("4242424242424242") }), { rawCards: true }),
    { payment_intent: expect.stringMatching(/^pi_/), latest_charge: expect.stringMatching(/^ch_/) }
  ],
  [
    "Stripe, a page",
    () => dataOf(stripe, stripeFake, stripePayin()),
    {
      checkout_session: expect.stringMatching(/^cs_/),
      payment_intent: expect.stringMatching(/^pi_/),
      latest_charge: expect.stringMatching(/^ch_/)
    }
  ],
  [
    "Adyen, a link",
    () => dataOf(adyen, adyenFake, adyenPayin({}), { basePath: "/v71" }),
    { payment_link_id: expect.stringMatching(/^PL/), psp_reference: expect.stringMatching(/^[0-9A-F]{16}$/) }
  ],
  ["Adyen, a payout", () => dataOf(adyen, adyenFake, adyenPayout({}), { basePath: "/v71" }), { transfer_id: text }],
  ["PayPal, an order", () => dataOf(paypal, paypalFake, paypalPayin()), { order_id: text, capture_id: text }],
  [
    "PayPal, a payout",
    () => dataOf(paypal, paypalFake, toWallet({})),
    { payout_batch_id: text, payout_item_id: text, transaction_id: text }
  ],
  [
    "Paystack, M-PESA",
    () => dataOf(paystack, paystackFake, byMpesa()),
    { transaction_id: number, receipt_number: text }
  ],
  [
    "Paystack, a payout",
    () => dataOf(paystack, paystackFake, toBank()),
    { transfer_code: expect.stringMatching(/^TRF_/), transfer_id: number }
  ],
  [
    "Flutterwave, mobile money",
    () => dataOf(flutterwave, flutterwaveFake, orderFor("mobile_money", "inbound", "KE")),
    { transaction_id: number, flw_ref: expect.stringMatching(/^FLW-/) }
  ],
  [
    "Flutterwave, a payout",
    () => dataOf(flutterwave, flutterwaveFake, orderFor("bank_transfer", "outbound", "NG")),
    { transfer_id: number }
  ],
  ["MTN, a payin", () => dataOf(mtnMomo, mtnMomoFake, ugandan()), { financial_transaction_id: number }],
  [
    "MTN, a payout",
    () => dataOf(mtnMomo, mtnMomoFake, ugandan({ flow: "outbound", recipient: recipientNamed("Akinyi") })),
    { financial_transaction_id: number }
  ],
  [
    "pawaPay, a deposit",
    () => dataOf(pawapay, pawapayFake, kenya("1500")),
    { depositId: text, correspondent_ids: { FAKE_FINAL: text } }
  ],
  [
    "pawaPay, a payout",
    () => dataOf(pawapay, pawapayFake, kenya("1500", { flow: "outbound" })),
    { payoutId: text, correspondent_ids: { FAKE_FINAL: text } }
  ],
  [
    "Circle, a payment intent",
    () => dataOf(circle, circleFake, circlePayin("10.00")),
    { payment_intent_id: text, payment_ids: [text] }
  ],
  [
    "Circle, a transfer",
    () => dataOf(circle, circleFake, circlePayout("10.00")),
    { transfer_id: text, transaction_hash: hash }
  ],
  [
    "Coinbase, a deposit",
    () => dataOf(coinbase, coinbaseFake, coinbasePayin("10.00")),
    {
      deposit_destination_id: text,
      deposit_transfer_ids: [expect.stringMatching(/^transfer_/)],
      deposit_transaction_hashes: [hash]
    }
  ],
  [
    "Coinbase, a transfer",
    () => dataOf(coinbase, coinbaseFake, coinbasePayout("10.00")),
    { transfer_id: expect.stringMatching(/^transfer_/), transaction_hashes: [hash] }
  ]
]

describe("ids and receipts", () => {
  for (const [name, run, expected] of cases) {
    it.scopedLive(name, () => Effect.map(run(), (data) => expect(data).toEqual(expect.objectContaining(expected))))
  }
})
