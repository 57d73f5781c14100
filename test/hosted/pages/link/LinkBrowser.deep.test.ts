/** The page of a payment link in a real browser, from the address that the API answers to the end of the payment. */
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect, Runtime } from "effect"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { act, setThreshold } from "../../../payments/support/ActionCalls.ts"
import { eventually } from "../../../payments/support/PaymentCalls.ts"
import { leisurely, onPaymentServer } from "../../../payments/support/PaymentServer.ts"
import { breaches } from "../../../support/Axe.ts"
import { people } from "../../../support/TestCredentials.ts"
import {
  chromiumNeeded,
  chromiumPath,
  inBothSizes,
  launchChromium,
  overflowOf,
  phone
} from "../../../support/Chromium.ts"
import { languages } from "../../../../src/hosted/pages/PageText.ts"
import { TestServer } from "../../../support/TestServer.ts"
import { acmeLink, pngOf } from "./LinkPageFixtures.ts"

/** The pages lead to the public address, which has to be that of this server. */
const PORT = String(await freePort())

const RENEWS = /<noscript><meta http-equiv="refresh"[^>]*><\/noscript>\s*<script/

/** A hundred and twenty by forty points of one colour. */
const logo = `data:image/png;base64,${pngOf(120, 40, [11, 110, 79]).toString("base64")}`

const screenshots = process.env["LINK_SCREENSHOTS"]

/** Left edge of the first match of a pattern in an element's text. */
const placeOf = (page: Page, selector: string, pattern: string): Promise<number> =>
  page.evaluate<number>(`(() => {
    const pattern = new RegExp(${JSON.stringify(pattern)})
    const texts = [...document.querySelectorAll(${JSON.stringify(selector)})].map(({ firstChild }) => firstChild)
    const text = texts.findLast(({ data }) => pattern.test(data))
    const { 0: found, index } = pattern.exec(text.data)
    const range = document.createRange()
    range.setStart(text, index)
    range.setEnd(text, index + found.length)
    return range.getClientRects()[0].left
  })()`)

/** Words of the methods that are on two lines. */
const cutWords = `[...document.querySelectorAll(".methods a")].flatMap((link) => {
  const text = link.firstChild
  return [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange()
    range.setStart(text, index)
    range.setEnd(text, index + word.length)
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1
  }).map(([word]) => word)
})`

const looksRight = (page: Page, name: string): Promise<void> =>
  inBothSizes(page, async (width) => {
    const look = `${name}-${width}`
    expect(await overflowOf(page), look).toBe(0)
    if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${look}.png`), fullPage: true })
    expect(await breaches(page, width), look).toEqual([])
  })

describe.skipIf(chromiumPath === undefined)(`in a browser (${chromiumNeeded})`, () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchChromium()
  })

  afterAll(() => browser.close())

  interface Look {
    readonly locale?: string
    readonly colorScheme?: "light" | "dark"
  }

  /** Visits a page; fails on console messages, and on requests to other hosts. */
  const visiting = (path: string, look: Look, use: (page: Page) => Promise<void>) =>
    Effect.flatMap(TestServer, ({ baseUrl }) =>
      Effect.promise(async () => {
        const page = await browser.newPage({ viewport: phone, ...look })
        const complaints: Array<string> = []
        const strangers = new Set<string>()
        page.on("console", (message) => complaints.push(message.text()))
        page.on("pageerror", (error) => complaints.push(error.message))
        page.on("request", (request) => {
          const { origin, protocol } = new URL(request.url())
          if (protocol !== "data:" && origin !== baseUrl) strangers.add(origin)
        })
        try {
          await page.goto(`${baseUrl}${path}`)
          await use(page)
          expect(complaints.filter((text) => !text.includes("status of 400"))).toEqual([])
          expect([...strangers]).toEqual([])
        } finally {
          await page.close()
        }
      })
    )

  /** A page that waits shows what comes next by itself, while it is looked at too: so a copy is looked at that does not. */
  const looksRightWaiting = async (page: Page, name: string) => {
    const markup = await page.content()
    expect(markup).toMatch(RENEWS)
    const copy = await browser.newPage()
    await copy.setContent(markup)
    await looksRight(copy, name)
    await copy.close()
  }

  const atEnd = (page: Page, heading: string) =>
    page.getByRole("heading", { name: heading }).waitFor({ timeout: 60_000 })

  onPaymentServer("Payment link page", "memory", { variables: { ...leisurely, PORT } }, (it) => {
    it.effect("takes mobile money", () =>
      Effect.gen(function* () {
        const { look, path } = yield* acmeLink()
        yield* visiting(path, {}, async (page) => {
          await looksRight(page, "mobile")
          await page.getByLabel("Network").selectOption("M-Pesa")
          await page.getByLabel("Mobile money number").fill("0712 340 002")
          await page.getByLabel("Your name").fill("Wanjiru Kamau")
          await page.getByLabel("E-mail").fill("wanjiru@example.com")
          await page.getByRole("button", { name: "Pay 1,500.00 KES" }).click()
          await atEnd(page, "Enter the code")
          await looksRight(page, "otp")
          await page.getByLabel("One-time code").fill("111111")
          await page.keyboard.press("Enter")
          await page.getByText("Wrong code.").waitFor()
          await looksRight(page, "otp-wrong")
          await page.getByLabel("One-time code").fill("123456")
          await page.keyboard.press("Enter")
          await page.getByRole("status").waitFor()
          await looksRightWaiting(page, "waiting")
          await atEnd(page, "Payment complete")
          await looksRight(page, "complete")
          await page.goto(new URL(path, page.url()).href)
          await atEnd(page, "Payment complete")
        })
        expect((yield* look).status).toBe("paid")
      })
    )

    it.effect("waits without being loaded anew until there is something else to show", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { path, payments } = yield* acmeLink()
        const run = Runtime.runPromise(yield* Effect.runtime<TestServer>())
        yield* setThreshold(acme.org_id, "1000")
        const page = visiting(path, {}, async (page) => {
          await page.getByLabel("Network").selectOption("M-Pesa")
          await page.getByLabel("Mobile money number").fill("0712 340 009")
          await page.getByLabel("Your name").fill("Wanjiru Kamau")
          await page.getByRole("button", { name: "Pay 1,500.00 KES" }).click()
          await atEnd(page, "Your payment is being processed")
          await page.evaluate("globalThis.isTheSame = true")
          for (const _time of [1, 2])
            await page.waitForResponse((response) => response.headers()["x-page-version"] !== undefined)
          expect(await page.evaluate("globalThis.isTheSame")).toBe(true)
          const [held] = await run(payments)
          await run(act(String(held!["payment_id"]), { action: "reject" }, acme.token("staff")))
          await page.getByRole("heading", { name: "Your payment is being processed" }).waitFor({ state: "detached" })
          expect(await page.evaluate("globalThis.isTheSame")).toBe(undefined)
        })
        yield* Effect.ensuring(page, setThreshold(acme.org_id, null))
      })
    )

    it.effect("shows others that it is being paid, and lets the payer go on or cancel", () =>
      Effect.gen(function* () {
        const { look, path, payments } = yield* acmeLink()
        yield* visiting(path, {}, async (first) => {
          await first.getByLabel("Network").selectOption("M-Pesa")
          await first.getByLabel("Mobile money number").fill("0712 340 002")
          await first.getByLabel("Your name").fill("Wanjiru Kamau")
          await first.getByLabel("E-mail").fill("wanjiru@example.com")
          await first.getByRole("button", { name: "Pay 1,500.00 KES" }).click()
          await atEnd(first, "Enter the code")
          const own = first.url()
          // Another context has none of the cookies.
          const second = await (await browser.newContext({ viewport: phone })).newPage()
          for (const address of [new URL(path, own).href, own]) {
            await second.goto(address)
            await atEnd(second, "Payment in progress")
            await second.getByText("the link can be used again from").waitFor()
            expect(await second.getByRole("button").count()).toBe(0)
            expect(await second.content()).not.toContain("Wanjiru")
            await looksRightWaiting(second, "taken")
          }
          const [cookie] = await first.context().cookies(own)
          expect(cookie).toMatchObject({ path, httpOnly: true, sameSite: "Lax" })
          expect(await first.context().cookies(new URL("/pay/other", own).href)).toEqual([])
          await first.goto(new URL(path, own).href)
          await atEnd(first, "Enter the code")
          await first.getByRole("button", { name: "Cancel" }).click()
          await atEnd(first, "Payment cancelled")
          await second.goto(new URL(path, own).href)
          await second.getByLabel("Network").waitFor()
          await second.context().close()
        })
        expect(yield* payments).toMatchObject([{ status: "canceled" }])
        expect((yield* look).status).toBe("active")
      })
    )

    it.effect("takes a card, by way of an error and the hosted checkout", () =>
      Effect.gen(function* () {
        const about = { amount: 10, currency: "USD", payer_currency: "KES", amount_type: "fixed" }
        const { look, path } = yield* acmeLink({ ...about, description: "Invoice 1042, two seats in row F" })
        yield* visiting(path, {}, async (page) => {
          await page.getByRole("link", { name: "Card" }).click()
          await looksRight(page, "card")
          const fill = async (number: string) => {
            await page.getByLabel("Card number").fill(number)
            await page.getByLabel("Expiry date").fill("12/30")
            await page.getByLabel("Security code").fill("123")
          }
          await fill("4000 0000 0000 3221")
          await page.getByLabel("Name on card").fill("Wanjiru Kamau")
          await page.getByLabel("E-mail").fill("wanjiru@example.com")
          await page.getByLabel("Phone number").fill("0712345678")
          await page.keyboard.press("Enter")
          await page.getByText("Check the card number").waitFor()
          await looksRight(page, "card-wrong")
          expect(await page.getByLabel("Name on card").inputValue()).toBe("Wanjiru Kamau")
          expect(await page.getByLabel("Card number").inputValue()).toBe("")
          await fill("4000 0000 0000 3220")
          await page.getByRole("button", { name: "Pay 1,291.99 KES" }).click()
          await atEnd(page, "Confirm your payment")
          await page.getByRole("button", { name: "Pay 1,291.99 KES" }).click()
          await atEnd(page, "Payment complete")
        })
        expect((yield* eventually(look, ({ status }) => status === "paid")).paid_at).not.toBeNull()
      })
    )

    it.effect("look like their brand, in any colour, and switch languages", () =>
      Effect.gen(function* () {
        for (const [at, color] of ["#ffee00", "#101010", "#0b6e4f", "#ffffff"].entries()) {
          const { path } = yield* acmeLink({
            ...{
              amount: 10,
              currency: "USD",
              payer_currency: "KES",
              amount_type: "fixed",
              description: "Invoice 1042"
            },
            ...{ client_reference: "order-1042", return_url: "https://shop.example/thanks" },
            brand: { name: "Acme Shop", color, logo }
          })
          const look = { colorScheme: at % 2 === 0 ? "light" : "dark" } as const
          yield* visiting(path, look, async (page) => {
            const width = await page.evaluate<number>("document.querySelector('img.logo').naturalWidth")
            expect(width).toBe(120)
            await looksRight(page, `brand-${color.slice(1)}`)
            // Another colour changes nothing of what follows.
            if (at > 0) return
            await page.getByRole("link", { name: "Français" }).click()
            await page.getByRole("heading", { name: "Comment souhaitez-vous payer ?" }).waitFor()
            await page.getByRole("link", { name: "Carte" }).click()
            await page.getByLabel("Numéro de carte").waitFor()
            await page.getByRole("link", { name: "Mobile money" }).click()
            await page.getByLabel("Opérateur").selectOption("M-Pesa")
            await page.getByLabel("Numéro mobile money").fill("0712 345 678")
            await page.getByLabel("Votre nom").fill("Wanjiru Kamau")
            await page.getByLabel("E-mail").fill("wanjiru@example.com")
            await page.getByRole("button", { name: /^Payer/ }).click()
            await atEnd(page, "Paiement effectué")
            await page.goto(`${page.url()}?receipt=shown`)
            await looksRight(page, "receipt")
            await page.getByRole("button", { name: "Recevoir ce reçu par e-mail" }).click()
            await page.getByText("w…@example.com").waitFor()
            await looksRight(page, "receipt-sent")
          })
        }
      })
    )

    it.effect("holds what is long and foreign, in French and in the dark", () =>
      Effect.gen(function* () {
        const { path } = yield* acmeLink({
          ...{ amount: 9999999999999.99, currency: "KES", amount_type: "fixed" },
          description: `${"x".repeat(300)} <script>document.title = "no"</script> \u202e${"mot ".repeat(30)}`
        })
        const look = { locale: "fr-FR", colorScheme: "dark" } as const
        yield* visiting(path, look, async (page) => {
          await looksRight(page, "long")
          expect(await page.title()).toMatch(/^Payer 9.*KES · Acme Pay$/)
          await page.getByRole("link", { name: "Virement" }).click()
          await page.evaluate("document.querySelector('form').noValidate = true")
          await page.getByRole("button", { name: "Payer" }).click()
          await page.getByText("Indiquez un nom.").waitFor()
          await looksRight(page, "bank-wrong-fr")
        })
      })
    )

    it.effect("speaks six languages, light and dark, in words that are not cut and in their own order", () =>
      Effect.gen(function* () {
        const about = { amount: 100, currency: "USD", payer_currency: "KES", amount_type: "fixed" }
        for (const { direction, language, link } of languages) {
          for (const colorScheme of ["light", "dark"] as const) {
            const { path } = yield* acmeLink(about)
            yield* visiting(path, { locale: language, colorScheme }, async (page) => {
              await atEnd(page, link.title)
              await looksRight(page, `form-${language}-${colorScheme}`)
              expect(await page.evaluate(cutWords), language).toEqual([])
              const [rate, minutes] = [await placeOf(page, "dd bdi", "USD = "), await placeOf(page, "dd bdi", "1[45]")]
              if (direction === "rtl") expect(minutes, "the rate is read first").toBeLessThan(rate)
            })
          }
        }
      })
    )

    it.effect("takes the amount that the payer chooses, and offers another try", () =>
      Effect.gen(function* () {
        const { path } = yield* acmeLink({ currency: "KES", amount_type: "open", description: "A donation" })
        yield* visiting(path, {}, async (page) => {
          await page.getByRole("link", { name: "Bank transfer" }).click()
          await looksRight(page, "open")
          await page.getByLabel("Amount").fill("250")
          await page.getByLabel("Your bank").fill("Equity Bank")
          await page.getByLabel("Your account number").fill("1100220004")
          await page.getByLabel("Name on the account").fill("Wanjiru Kamau")
          await page.getByLabel("E-mail").fill("wanjiru@example.com")
          await page.getByLabel("Phone number").fill("+254712345678")
          await page.getByRole("button", { name: "Pay" }).click()
          await atEnd(page, "Make the transfer")
          await looksRightWaiting(page, "transfer")
          await atEnd(page, "Payment not completed")
          await looksRight(page, "failed")
          await page.getByRole("link", { name: "Try again" }).click()
          await atEnd(page, "How would you like to pay?")
        })
      })
    )
  })
})
