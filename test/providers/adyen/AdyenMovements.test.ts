/** Ids of Adyen's movements: each payment, modification and dispute by its pspReference, each transfer by its id. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Report } from "../../../src/domain/Outcome.ts"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { bodySignature, itemSignature } from "../../../src/providers/adyen/AdyenCallbacks.ts"
import { adyenFake } from "../../fakes/AdyenFake.ts"
import { callbackRequest } from "../support/CallbackFixtures.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { movementsProblem } from "../support/NamedMovements.ts"
import { attemptOf, cardNumbered, inMinor, referenceNo, refundOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { newOrder, payout, reference } from "./AdyenTestOrders.ts"

// The references of Adyen's published examples.
const PSP = "QFQTPCQ8HXSKGK82"
const PAID = "9913140798220028"

const { credentials } = adyenFake
const tenEuros = inMinor("EUR", 1_000n)

const at = (body: object, status = 200) => {
  const { http } = scripted(() => replyOf(status, body))
  const account = { ...credentials, transfers_base_url: "https://transfers.example/btl/v4" }
  return connected(adyen, http, account, { rawCards: true })
}

const readCallback = (about: Record<string, unknown>) =>
  Effect.map(
    Effect.suspend(() => {
      const { eventCode, merchantReference, originalReference, pspReference, success } = {
        ...{ pspReference: PSP, originalReference: PAID, merchantReference: reference, success: "true" },
        ...about
      } as Record<string, string>
      const signed = {
        merchantAccountCode: credentials["merchant_account"]!,
        merchantReference: merchantReference!,
        success: success!,
        eventCode: eventCode!,
        pspReference: pspReference!,
        originalReference: originalReference ?? null,
        amount: { currency: "EUR", value: "1000" }
      }
      const hmacSignature = itemSignature(signed, credentials["webhook_secret"]!)
      const item = { ...signed, amount: { currency: "EUR", value: 1000 }, additionalData: { hmacSignature } }
      const body = { live: "false", notificationItems: [{ NotificationRequestItem: item }] }
      return at({}).callback(callbackRequest(JSON.stringify(body)))
    }),
    ({ events }) =>
      events.flatMap((event): ReadonlyArray<Report> => (event._tag === "VerifiedReport" ? [event.report] : []))
  )

const moved = (kind: string, id: string, state = "settled") => ({ kind, id, amount: tenEuros, state })

describe("a callback of Adyen", () => {
  const link = `${reference}-link`
  const back = `${referenceNo(7)}-refund`
  const table: ReadonlyArray<readonly [Record<string, unknown>, ReadonlyArray<object>]> = [
    [{ eventCode: "AUTHORISATION", originalReference: undefined }, [moved("collection", PSP)]],
    [{ eventCode: "AUTHORISATION", originalReference: undefined, merchantReference: link }, [moved("collection", PSP)]],
    [{ eventCode: "CANCELLATION" }, [moved("collection", PAID), moved("reversal", PSP)]],
    [{ eventCode: "CAPTURE_FAILED" }, [moved("reversal", PSP)]],
    [{ eventCode: "EXPIRE", originalReference: undefined }, [moved("reversal", PSP)]],
    [{ eventCode: "CHARGEBACK" }, [moved("reversal", PSP)]],
    // Dispute with one reference for all of its events.
    [{ eventCode: "SECOND_CHARGEBACK" }, [moved("reversal", `${PSP}:second`)]],
    [{ eventCode: "CHARGEBACK_REVERSED" }, [moved("reinstatement", PSP)]],
    [{ eventCode: "REFUND", merchantReference: back }, [moved("refund", PSP)]],
    [{ eventCode: "REFUND", merchantReference: back, success: "false" }, [moved("refund", PSP, "failed")]],
    [{ eventCode: "REFUND_FAILED", merchantReference: back }, [moved("refund", PSP), moved("reinstatement", PSP)]],
    [{ eventCode: "REFUND" }, [moved("refund", PSP)]]
  ]
  for (const [about, movements] of table) {
    it.effect(`names what moved: ${JSON.stringify(about)}`, () =>
      Effect.gen(function* () {
        const [report, ...others] = yield* readCallback(about)
        expect(report).toMatchObject({ movements })
        expect(movementsProblem(report!)).toBeUndefined()
        expect(others).toEqual([])
      })
    )
  }

  it.effect("of a refund by hand that failed names it, and then what came back", () =>
    Effect.gen(function* () {
      const said = yield* readCallback({ eventCode: "REFUND_FAILED" })
      expect(said).toMatchObject([{ movements: [moved("refund", PSP)] }, { movements: [moved("reinstatement", PSP)] }])
      for (const report of said) expect(movementsProblem(report)).toBeUndefined()
    })
  )
})

describe("an answer of Adyen", () => {
  const result = {
    pspReference: PSP,
    merchantReference: reference,
    resultCode: "Authorised",
    amount: { currency: "EUR", value: 1000 }
  }

  it.effect("names a payment as its callback does, at once and after the page of a bank", () =>
    Effect.gen(function* () {
      const order = newOrder({ card: cardNumbered("4111111111111111"), money: tenEuros })
      const movements = [moved("collection", PSP)]
      expect(yield* at(result).initiate(order)).toMatchObject({ state: "completed", movements })
      const resumed = yield* at(result).resume!(attemptOf(order), { redirectResult: "X6XtfGC3!Y" })
      expect(resumed).toMatchObject({ state: "completed", movements })
      const { amount: _, ...short } = result
      expect(yield* at(short).initiate(order)).toMatchObject({ movements: [{ id: PSP, amount: null }] })
    })
  )

  it.effect("names a refund by the reference of its modification", () =>
    Effect.gen(function* () {
      const paid = attemptOf(newOrder(), { providerPaymentId: PAID })
      const refund = yield* at({ pspReference: PSP, status: "received" }, 201).refund!(refundOf(paid))
      expect(refund).toMatchObject({ movements: [{ kind: "refund", id: PSP, amount: null, state: "pending" }] })
    })
  )

  it.effect("names no payment of a link, whose reference it lacks", () =>
    Effect.gen(function* () {
      const link = { id: "PL1", status: "completed", amount: { currency: "EUR", value: 1000 } }
      const said = yield* at(link).enquire(attemptOf(newOrder(), { providerPaymentId: "PL1" }))
      expect(said).toMatchObject({ state: "processing" })
      expect(said).not.toHaveProperty("movements")
    })
  )
})

describe("a transfer at Adyen", () => {
  const id = "1W1UG35U8A9J5ZLG"
  const transfer = (status: string) => ({ id, status, reference, amount: { currency: "EUR", value: 1000 } })
  const ends: ReadonlyArray<readonly [string, ReadonlyArray<object> | undefined]> = [
    ["booked", [moved("disbursement", id)]],
    ["returned", [moved("disbursement", id), moved("reinstatement", `${id}:returned`)]],
    ["authorised", undefined],
    ["refused", undefined]
  ]
  for (const [status, movements] of ends) {
    it.effect(`that is ${status} has one name in callback and enquiry`, () =>
      Effect.gen(function* () {
        const asked = yield* at(transfer(status)).enquire(attemptOf(payout(), { providerPaymentId: id }))
        const body = JSON.stringify({ type: "balancePlatform.transfer.updated", data: transfer(status) })
        const hmacsignature = bodySignature(body, credentials["transfer_webhook_secret"]!)
        const { events } = yield* at({}).callback(callbackRequest(body, { hmacsignature }))
        const reported = events.flatMap((event) => (event._tag === "VerifiedReport" ? [event.report] : []))
        for (const one of [asked, ...reported]) {
          if (movements === undefined) expect(one).not.toHaveProperty("movements")
          else expect(one).toMatchObject({ movements })
        }
        expect(reported).toHaveLength(1)
      })
    )
  }
})
