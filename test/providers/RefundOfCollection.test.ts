/** Refunds of one collection among several: each adapter names the one that is given back. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { adyen } from "../../src/providers/adyen/AdyenAdapter.ts"
import { adyenFake } from "../fakes/AdyenFake.ts"
import { flutterwaveFake } from "../fakes/FlutterwaveFake.ts"
import { flutterwave } from "../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { mtnMomoFake } from "../fakes/MtnMomoFake.ts"
import { mtnMomo } from "../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import { pawapayFake } from "../fakes/PawapayFake.ts"
import { pawapay } from "../../src/providers/pawapay/PawapayAdapter.ts"
import { paystackFake } from "../fakes/PaystackFake.ts"
import { paystack } from "../../src/providers/paystack/PaystackAdapter.ts"
import type { ProviderHttp } from "../../src/providers/client/ProviderHttp.ts"
import { stripeFake } from "../fakes/StripeFake.ts"
import { stripe } from "../../src/providers/stripe/StripeAdapter.ts"
import { connected } from "./support/ConnectedAdapter.ts"
import { amount, attemptOf, orderOf, referenceNo, refundOf } from "./support/TestOrders.ts"
import { replyOf, scripted } from "./support/ScriptedReplies.ts"

const card = orderOf({ country: "NG", money: amount("100", "NGN"), reference: referenceNo(1) })
const phone = orderOf({
  method: "mobile_money",
  country: "UG",
  money: amount("5000", "UGX"),
  mobileMoney: { network: "mtn", phoneNumber: "+256772123456" },
  reference: referenceNo(1)
})
const second = referenceNo(2)

const token = { access_token: "t", token_type: "access_token", expires_in: 3600 }
const successful = { id: second, tx_ref: card.reference, status: "successful", amount: 100, currency: "NGN" }
const answers = { status: "success", data: successful, ...token }

describe("a refund of one of several collections", () => {
  const adapters = [
    ["stripe", (http: ProviderHttp) => connected(stripe, http, stripeFake.credentials), card, `charge=${second}`],
    [
      "adyen",
      (http: ProviderHttp) => connected(adyen, http, adyenFake.credentials),
      card,
      `/payments/${second}/refunds`
    ],
    [
      "paystack",
      (http: ProviderHttp) => connected(paystack, http, paystackFake.credentials),
      card,
      `"transaction":"${second}"`
    ],
    [
      "flutterwave",
      (http: ProviderHttp) => connected(flutterwave, http, flutterwaveFake.credentials),
      card,
      `/v3/transactions/${second}/refund`
    ],
    [
      "pawapay",
      (http: ProviderHttp) => connected(pawapay, http, pawapayFake.credentials),
      phone,
      `"depositId":"${second}"`
    ],
    [
      "mtn_momo",
      (http: ProviderHttp) => connected(mtnMomo, http, mtnMomoFake.credentials),
      phone,
      `"referenceIdToRefund":"${second}"`
    ]
  ] as const
  it.effect.each(adapters)("names it: %s", ([, connect, order, names]) =>
    Effect.gen(function* () {
      const { calls, http } = scripted(() => replyOf(200, answers))
      const attempt = attemptOf(order, { providerPaymentId: "THE-ATTEMPTS-OWN" })
      yield* connect(http).refund!(refundOf(attempt, { collectionId: second, reference: referenceNo(3) }))
      const { body = "", path } = calls.at(-1)!
      expect(`${path} ${body}`).toContain(names)
      expect(`${path} ${body}`).not.toMatch(new RegExp(`THE-ATTEMPTS-OWN|${order.reference}`))
    })
  )
})
