/** The hosted checkout in a real browser, from the address that the API answers to the shop that sent the customer. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { recordOf } from "../../payments/support/PaymentCalls.ts"
import { leisurely, onPaymentServer } from "../../payments/support/PaymentServer.ts"
import { inBrowser, photograph } from "./CheckoutBrowser.ts"
import { atCheckout } from "./PageVisits.ts"

inBrowser(({ backAtShop, shopUrl, visiting }) => {
  onPaymentServer("Hosted checkout", "memory", { variables: leisurely }, (it) => {
    it.effect("pays, waits and returns to the shop", () =>
      Effect.gen(function* () {
        const about = { return_url: shopUrl(), client_reference: "order-77", description: "Two seats, row F" }
        const { path, payment_id } = yield* atCheckout(about)
        yield* visiting(path, async (page) => {
          expect(await page.getByText("1,500.00 KES", { exact: true }).isVisible()).toBe(true)
          await photograph(page, "confirm")
          await page.keyboard.press("Tab")
          expect(await page.evaluate("document.activeElement.textContent")).toBe("Pay 1,500.00\u00a0KES")
          expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid")
          await page.keyboard.press("Enter")
          await page.getByRole("status").waitFor()
          await photograph(page, "waiting")
          await backAtShop(page, "completed", "order-77")
        })
        expect((yield* recordOf(payment_id))["status"]).toBe("completed")
      })
    )
  })
})
