/** The number in the answer to a redirected card is that of the request; the payment's own comes with its result. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { attemptOf, cardNumbered } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { newOrder, reference } from "./AdyenTestOrders.ts"

it.effect("a card that was sent to its bank completes under the number of its result", () =>
  Effect.gen(function* () {
    const action = { type: "redirect", method: "GET", url: "https://checkoutshopper-test.adyen.com/x" }
    const { http } = scripted(({ path }) =>
      path === "/payments/details"
        ? replyOf(200, { pspReference: "V4HZ4RBFJGXXGN82", merchantReference: reference, resultCode: "Authorised" })
        : replyOf(200, {
            pspReference: "JLCMPCQ8HXSKGK82",
            merchantReference: reference,
            resultCode: "RedirectShopper",
            action
          })
    )
    const credentials = { api_key: "AQE-key", merchant_account: "OurECOM" }
    const provider = connected(adyen, http, credentials, { rawCards: true })
    const order = newOrder({ card: cardNumbered("4111111111111111") })
    const first = yield* provider.initiate(order)
    const own = first._tag === "Accepted" ? first.providerPaymentId : null
    const said = yield* provider.resume!(attemptOf(order, { providerPaymentId: own }), { redirectResult: "X6XtfGC3!Y" })
    expect(said).toMatchObject({ _tag: "Report", state: "completed" })
    const named = said._tag === "Report" ? said.providerPaymentId : null
    // Decision of RecordOutcome.aboutOwnId: a report under another id is not applied.
    const isApplied = own === null || named === null || named === own || provider.givesUpId?.(own) === true
    expect(isApplied, `${own} was written first, ${named} is what was paid`).toBe(true)
  })
)
