/** The hosted checkout in a real browser, from the address that the API answers to the shop that sent the customer. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { act } from "../../payments/support/ActionCalls.ts"
import { initiate, recordOf } from "../../payments/support/PaymentCalls.ts"
import { leisurely, onPaymentServer } from "../../payments/support/PaymentServer.ts"
import { byPhone } from "../../payments/support/Requests.ts"
import { phone } from "../../support/Chromium.ts"
import { TestServer } from "../../support/TestServer.ts"
import { inBrowser, lowContrast, photograph } from "./CheckoutBrowser.ts"
import { atCheckout, pathOf, typedCard, withoutCard } from "./PageVisits.ts"

inBrowser(({ backAtShop, browser, shopUrl, visiting }) => {
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

    it.effect("cancels and returns to the shop", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* atCheckout({ return_url: shopUrl() })
        yield* visiting(path, async (page) => {
          await page.getByRole("button", { name: "Cancel" }).click()
          await backAtShop(page, "failed", payment_id.slice(0, 23))
        })
      })
    )

    it.effect("pays by link, and shows the end where there is no shop", () =>
      Effect.gen(function* () {
        const { response } = yield* initiate(byPhone("+254712340005"))
        yield* visiting(pathOf(response["payment_link"]), async (page) => {
          await page.getByRole("button", { name: "Pay" }).click()
          await page.getByRole("heading", { name: "Payment complete" }).waitFor({ timeout: 60_000 })
          await photograph(page, "completed")
        })
        const left = yield* initiate({ ...byPhone("+254712340005"), return_url: shopUrl() })
        yield* visiting(pathOf(left.response["payment_link"]), async (page) => {
          await page.getByRole("button", { name: "Cancel" }).click()
          await backAtShop(page, "failed", left.payment_id.slice(0, 23))
        })
      })
    )

    it.effect("takes a card", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* withoutCard({ return_url: shopUrl() })
        yield* visiting(path, async (page) => {
          const { expiry, holder, number } = typedCard()
          await photograph(page, "card")
          await page.getByLabel("Card number").fill(number)
          await page.getByLabel("Expiry date").fill(expiry)
          await page.getByLabel("Security code").fill("123")
          await page.getByLabel("Name on card").fill(holder)
          await page.getByRole("button", { name: "Pay" }).click()
          await backAtShop(page, "completed", payment_id.slice(0, 23))
        })
      })
    )

    it.effect("holds what is long and foreign", () =>
      Effect.gen(function* () {
        const long = `${"x".repeat(300)} <script>document.title = "no"</script> \u202e${"word ".repeat(30)}`
        const amount = 9999999999999.99
        const about = { amount, target_amount: amount, description: long, client_reference: "r".repeat(100) }
        const { path } = yield* atCheckout(about)
        yield* visiting(path, async (page) => {
          await photograph(page, "long")
          expect(await page.title()).toBe("Confirm your payment · Acme Pay")
        })
      })
    )

    it.effect("shows what is wrong with a card beside its field", () =>
      Effect.gen(function* () {
        const { path } = yield* withoutCard()
        const { baseUrl } = yield* TestServer
        yield* Effect.promise(async () => {
          const page = await browser().newPage({ viewport: phone })
          await page.goto(`${baseUrl}${path}`)
          await page.getByLabel("Card number").fill("4242 4242 4242 4241")
          await page.getByLabel("Expiry date").fill("12/30")
          await page.getByLabel("Security code").fill("123")
          await page.getByLabel("Name on card").fill("Wanjiru Kamau")
          await page.keyboard.press("Enter")
          await page.getByText("Check the card number").waitFor()
          expect(await page.getByLabel("Card number").getAttribute("aria-invalid")).toBe("true")
          expect(await page.getByLabel("Expiry date").getAttribute("aria-invalid")).toBeNull()
          expect(await page.evaluate(lowContrast)).toEqual([])
          await photograph(page, "card-wrong")
          await page.close()
        })
      })
    )

    it.effect("leads a customer who clicks too late out of the form, to the shop", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* atCheckout({ return_url: shopUrl() })
        const cancel = yield* Effect.map(
          Effect.runtime<TestServer>(),
          (runtime) => () => Effect.runPromise(Effect.provide(act(payment_id, { action: "cancel" }), runtime))
        )
        yield* visiting(path, async (page) => {
          expect((await cancel()).status).toBe(200)
          await page.getByRole("button", { name: "Pay" }).click()
          await backAtShop(page, "failed", payment_id.slice(0, 23))
        })
      })
    )

    for (const colorScheme of ["light", "dark"] as const) {
      it.effect(`is legible in ${colorScheme}`, () =>
        Effect.gen(function* () {
          const confirm = yield* atCheckout({ description: "Two seats" })
          const card = yield* withoutCard()
          const backgrounds = { light: "rgb(238, 241, 245)", dark: "rgb(13, 18, 24)" }
          const legible = async (page: Page) => {
            expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
              backgrounds[colorScheme]
            )
            expect(await page.evaluate(lowContrast)).toEqual([])
          }
          yield* visiting(
            confirm.path,
            async (page) => {
              await legible(page)
              await photograph(page, `confirm-fr-${colorScheme}`)
              await page.getByRole("button", { name: "Annuler" }).click()
              await legible(page)
              await page.getByRole("heading", { name: "Paiement annulé" }).waitFor({ timeout: 60_000 })
              await legible(page)
              await photograph(page, `failed-fr-${colorScheme}`)
            },
            { colorScheme, locale: "fr-FR" }
          )
          yield* visiting(
            card.path,
            async (page) => {
              await page.evaluate("document.querySelector('form').noValidate = true")
              await legible(page)
            },
            { colorScheme }
          )
        })
      )
    }

    it.effect("is the same for everybody without the token", () =>
      Effect.gen(function* () {
        const { path } = yield* atCheckout()
        const { baseUrl } = yield* TestServer
        yield* Effect.promise(async () => {
          const page = await browser().newPage({ viewport: phone })
          await page.goto(`${baseUrl}${path.slice(0, -1)}`)
          expect(await page.getByRole("heading", { name: "Page not found" }).isVisible()).toBe(true)
          await photograph(page, "not-found")
          await page.close()
        })
      })
    )
  })
})
