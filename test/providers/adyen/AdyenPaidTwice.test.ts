/** A payer who pays one link twice, over HTTP: both payments reach it, and the second waits for an operator. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { itemSignature } from "../../../src/providers/adyen/AdyenCallbacks.ts"
import { linkReference } from "../../../src/providers/adyen/AdyenRequests.ts"
import { adyenFake } from "../../fakes/AdyenFake.ts"
import {
  attemptsOf,
  eventually,
  initiate,
  queueOf,
  timelineOf,
  untilStatus
} from "../../payments/support/PaymentCalls.ts"
import { onPaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { byCard } from "../../payments/support/Requests.ts"
import { people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"

const { credentials } = adyenFake

const { http } = scripted(({ method }) =>
  method === "POST"
    ? replyOf(201, { id: "PL61C53A8B97E6915A", status: "active", url: "https://test.adyen.link/PL61C53A8B97E6915A" })
    : replyOf(200, { id: "PL61C53A8B97E6915A", status: "completed", amount: { currency: "EUR", value: 150_000 } })
)
const provider = connected(adyen, http, credentials)

const authorised = (reference: string, pspReference: string) => {
  const item = {
    pspReference,
    originalReference: null,
    merchantAccountCode: credentials["merchant_account"]!,
    merchantReference: linkReference(reference),
    amount: { currency: "EUR", value: "150000" },
    eventCode: "AUTHORISATION",
    success: "true"
  }
  const hmacSignature = itemSignature(item, credentials["webhook_secret"]!)
  const { originalReference: _, ...reported } = item
  const NotificationRequestItem = {
    ...reported,
    amount: { currency: "EUR", value: 150_000 },
    additionalData: { hmacSignature }
  }
  return send("/callbacks/adyen", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ live: "false", notificationItems: [{ NotificationRequestItem }] })
  })
}

onPaymentServer("a link of Adyen", "memory", { providers: [provider] }, (it) => {
  it.effect("that is paid twice brings two collections, of which the second waits in clearing", () =>
    Effect.gen(function* () {
      yield* serveCountry("DE", ["adyen"])
      const { payment_id } = yield* initiate({
        ...byCard(),
        ...{ country: "DE", currency: "EUR", target_currency: "EUR", amount: 1500, target_amount: 1500 }
      })
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      for (const psp of ["QFQTPCQ8HXSKGK82", "9913140798220028"]) {
        expect(yield* authorised(reference, psp)).toMatchObject({ status: 200, text: "[accepted]" })
        // Each notification comes twice.
        expect(yield* authorised(reference, psp)).toMatchObject({ status: 200 })
      }
      yield* untilStatus(payment_id, "completed")
      const { admin } = yield* people
      const mine = Effect.map(queueOf(admin), (all) => all.filter((item) => item["payment_id"] === payment_id))
      const items = yield* eventually(mine, ({ length }) => length > 0)
      const detail = expect.stringContaining("1500.00 EUR arrived besides what the payment is for") as string
      expect(items).toMatchObject([{ kind: "suspense", attempt_id: reference, detail }])
      const reported = JSON.stringify(yield* timelineOf(payment_id))
      expect(reported).toContain("QFQTPCQ8HXSKGK82")
      expect(reported).toContain("9913140798220028")
    })
  )
})
