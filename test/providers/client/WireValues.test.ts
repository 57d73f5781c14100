/** Words that every object has as properties are unknown values when a third party sends them. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import { itemSignature, paymentEvents } from "../../../src/providers/adyen/AdyenCallbacks.ts"
import { cardRefusal, transferRefusal } from "../../../src/providers/adyen/AdyenRefusals.ts"
import { aboutLink, toPayment } from "../../../src/providers/adyen/AdyenAnswers.ts"
import { captureReport, isExpectedOrderStatus } from "../../../src/providers/paypal/PaypalOrders.ts"
import { isExpectedPayoutStatus, itemReport } from "../../../src/providers/paypal/PaypalPayouts.ts"
import { endBy, payoutCode } from "../../../src/providers/paypal/PaypalSchemas.ts"
import { meaningOf } from "../../../src/providers/client/WireValues.ts"
import { Check, Proof } from "../../../src/providers/port/Callback.ts"
import { reportOf } from "../../../src/providers/paystack/PaystackMovements.ts"
import { toIntent, toRefund } from "../../../src/providers/stripe/StripeAnswers.ts"
import { eventOf } from "../../../src/providers/stripe/StripeCallbacks.ts"
import { refusalOf } from "../../../src/providers/stripe/StripeRefusals.ts"
import { referenceNo } from "../support/TestOrders.ts"
import { replyOf } from "../support/ScriptedReplies.ts"

const reference = referenceNo(1)

const words = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"]

const processing = { _tag: "Accepted", state: "processing" }

describe.each(words)("the word %s", (word) => {
  it("is in no table", () => {
    expect(meaningOf({ paid: 1 }, word)).toBeUndefined()
    expect(meaningOf({ paid: 1 }, "paid")).toBe(1)
  })

  it("as a status of Stripe's", () => {
    const intent = { id: "pi_1", object: "payment_intent", status: word, currency: "eur", metadata: { reference } }
    expect(toIntent(replyOf(200, intent))).toMatchObject({ ...processing, providerStatus: word })
    expect(toRefund(replyOf(200, { id: "re_1", status: word }))).toMatchObject(processing)
    const body = Buffer.from(JSON.stringify({ id: "evt_1", type: "x", data: { object: intent } }))
    const event = eventOf(body, Either.getOrThrow(Proof.from(Check.same("right", "right"), "")))
    expect(Option.getOrThrow(event)).toMatchObject({ report: { state: "processing" } })
  })

  it("as a refusal of Stripe's", () => {
    const error = { type: "card_error", code: word, decline_code: word, message: null }
    expect(refusalOf(error)).toMatchObject({ code: "CARD_DECLINED", instrument: true })
    expect(refusalOf({ ...error, type: "invalid_request_error" })).toMatchObject({ code: "INVALID_ORDER" })
  })

  it("as a status of Adyen's", () => {
    expect(toPayment(replyOf(200, { pspReference: "P1", resultCode: word }))).toMatchObject(processing)
    const link = { id: "PL1", status: word, amount: { value: 100, currency: "EUR" }, url: "https://pay.example/1" }
    expect(aboutLink(replyOf(200, link))).toMatchObject({ _tag: "Report", state: "processing" })
  })

  it("as a refusal of Adyen's", () => {
    expect(cardRefusal("Refused", null, word)).toMatchObject({ code: "CARD_DECLINED", instrument: true })
    expect(transferRefusal("failed", word).code).toBeUndefined()
  })

  it("as an event of Adyen's", () => {
    const secret = "ab".repeat(32)
    const item = {
      pspReference: "P1",
      originalReference: null,
      merchantAccountCode: "Ours",
      merchantReference: reference,
      amount: { value: "100", currency: "EUR" },
      eventCode: word,
      success: "true"
    }
    const signed = { ...item, additionalData: { hmacSignature: itemSignature(item, secret) } }
    const json = { notificationItems: [{ NotificationRequestItem: signed }] }
    expect(Either.getOrThrow(paymentEvents(json, secret, "SECRET", "Ours"))).toEqual([])
  })

  it("as a word of PayPal's", () => {
    expect(captureReport("O1", { status: word })).toMatchObject({ state: "processing" })
    expect(itemReport("B1", { transaction_status: word })).toMatchObject({ state: "processing" })
    expect([isExpectedOrderStatus(word), isExpectedPayoutStatus(word)]).toEqual([false, false])
    expect([endBy(word), payoutCode(word)]).toEqual([undefined, undefined])
  })

  it("as a status of Paystack's", () => {
    expect(reportOf("transaction", { status: word })).toMatchObject({ state: "processing" })
  })
})
