/** The API reference in a real browser that can reach nobody but the service. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import { chromiumNeeded, chromiumPath, launchChromium, overflowOf } from "../../support/Chromium.ts"
import { people } from "../../support/Credentials.ts"
import { onServer, TestServer } from "../../support/TestServer.ts"
import { fetchDocument, operationsOf } from "../api/Operations.ts"

/** Scalar tells how long it took; whatever else it or the browser has to say is a complaint. */
const isTiming = (text: string): boolean => /^(@scalar\/|\[CLIENT\]: |[a-zA-Z]+: \d+ ms$)/.test(text)

/** A library of Scalar asks whether it may compile text, and goes without when the policy says no. */
const watchPolicy = `addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => {
  if (blockedURI !== "eval") console.error("refused", violatedDirective, blockedURI)
})`

describe.skipIf(chromiumPath === undefined)(`in a browser (${chromiumNeeded})`, () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchChromium()
  })

  afterAll(() => browser.close())

  /** Opens the reference, and wants nothing complained of and nothing asked of another origin meanwhile. */
  const reading = (width: number, use: (page: Page) => Promise<void>) =>
    Effect.flatMap(TestServer, ({ baseUrl }) =>
      Effect.promise(async () => {
        const page = await browser.newPage({ viewport: { width, height: 800 } })
        const complaints: Array<string> = []
        const asked: Array<string> = []
        page.on("console", (message) => complaints.push(message.text()))
        page.on("pageerror", (error) => complaints.push(error.message))
        page.on("request", (request) => asked.push(request.url().slice(0, 200)))
        await page.addInitScript(watchPolicy)
        try {
          await page.goto(`${baseUrl}/docs`)
          await page.getByRole("heading", { name: "Corridor", exact: true }).waitFor()
          await use(page)
          expect(complaints.filter((text) => !isTiming(text))).toEqual([])
          expect(asked.filter((url) => !url.startsWith(`${baseUrl}/`) && !/^(data|blob):/.test(url))).toEqual([])
          expect(asked).toContain(`${baseUrl}/openapi.json`)
        } finally {
          await page.close()
        }
      })
    )

  const openMenu = (page: Page, width: number) =>
    width < 1000 ? page.getByRole("button", { name: /menu/i }).first().click() : Promise.resolve()

  onServer("The API reference", "memory", {}, (it) => {
    const findsByName = async (page: Page, width: number) => {
      expect(await overflowOf(page)).toBe(0)
      await openMenu(page, width)
      await page.getByText("Search", { exact: true }).first().click()
      await page.keyboard.type("Rotate an API key")
      const found = page.getByRole("option", { name: "Rotate an API key" }).first()
      await found.click()
      await page.waitForURL(/#tag\/api-keys\/post\/public\/api-keys\/.*\/rotate$/)
      await page.getByRole("heading", { name: "Rotate an API key" }).first().waitFor()
      expect(await overflowOf(page)).toBe(0)
    }

    const sends = async (page: Page, apiKey: string) => {
      await page.getByPlaceholder("QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT").nth(1).fill(apiKey)
      await page
        .getByRole("button", { name: /test request/i })
        .first()
        .click()
      const answered = page.waitForResponse((response) => response.url().includes("/v1/public/api-keys"))
      await page.getByRole("button", { name: /send/i }).first().click()
      const answer = await answered
      expect(answer.status()).toBe(200)
      expect(answer.request().headers()).toMatchObject({ authorization: "NONE", "x-api-key": apiKey })
      await page.getByText("200 OK").first().waitFor()
    }

    const lists = async (page: Page, summaries: ReadonlyArray<string>) => {
      const contents = page.locator("aside").first()
      await contents
        .locator("button[aria-expanded=false]")
        .evaluateAll((buttons) => buttons.forEach((button) => (button as unknown as { click(): void }).click()))
      await contents.getByText(summaries.at(-1)!, { exact: true }).waitFor()
      const entries = (await contents.getByRole("button").allInnerTexts()).map((text) => text.split("\n", 1)[0])
      for (const summary of summaries) expect(entries).toContain(summary)
    }

    it.effect(
      "sends a request with a credential and shows the answer, and finds an operation by its name, on a phone",
      () =>
        Effect.gen(function* () {
          const { acme } = yield* people
          yield* reading(375, async (page) => {
            await sends(page, acme.api_key)
            await page.keyboard.press("Escape")
            await findsByName(page, 375)
          })
        })
    )

    it.effect("does so on a desk too, and has every operation in its contents", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const summaries = operationsOf(yield* fetchDocument).map(({ about }) => about.summary ?? "")
        expect(summaries.length).toBeGreaterThan(4)
        yield* reading(1280, async (page) => {
          await sends(page, acme.api_key)
          await page.keyboard.press("Escape")
          await findsByName(page, 1280)
          await lists(page, summaries)
        })
      })
    )
  })
})
