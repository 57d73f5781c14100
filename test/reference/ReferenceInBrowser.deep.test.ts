/** The API reference in Chromium, at phone and desktop size. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, CDPSession, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import { breaches } from "../support/Axe.ts"
import { chromiumNeeded, chromiumPath, desktop, launchChromium, overflowOf } from "../support/Chromium.ts"
import { people } from "../support/TestCredentials.ts"
import { onServer, TestServer } from "../support/TestServer.ts"
import { fetchDocument, operationsOf } from "../contract/api/DocumentedOperations.ts"

const watchPolicy = `addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => {
  console.error("refused", violatedDirective, blockedURI)
})`

/** Label of the focused element right after the search key. */
const pressAndLook = `new Promise((tell) => {
  dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }))
  setTimeout(() => tell(document.activeElement?.getAttribute("aria-label")))
})`

/** Removes entries of which others of the same kind remain. axe-core reads all of a document, even excluded parts. */
const alike = [
  'section[id^="tag/"]:not([id^="tag/api-keys/"])',
  'section[id^="webhook/"]:not([id$="payment.completed"])',
  'section[id^="model/"]:not([id^="model/Escrow"])'
].join()

const takeOutAlike = `globalThis.takenOut = Array.from(document.querySelectorAll(${JSON.stringify(alike)}), (entry) => {
  const mark = document.createComment("")
  entry.replaceWith(mark)
  return () => mark.replaceWith(entry)
})
takenOut.length`

const putBackAlike = "takenOut.forEach((putBack) => putBack())"

const PATIENCE_MILLIS = 120_000

const soon = { timeout: 60_000 }

/** CPU time of the page's main thread. */
const MOST_CPU_SECONDS = 1

describe.skipIf(chromiumPath === undefined)(`in a browser (${chromiumNeeded})`, () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchChromium()
  })

  afterAll(() => browser.close())

  const cpuSecondsOf = async (session: CDPSession): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics")
    return metrics.find(({ name }) => name === "TaskDuration")!.value
  }

  /** Opens the reference. Allows no console message and no request to another origin. */
  const reading = (width: number, use: (page: Page) => Promise<void>) =>
    Effect.flatMap(TestServer, ({ baseUrl }) =>
      Effect.promise(async () => {
        const page = await browser.newPage({ viewport: { width, height: 800 } })
        const complaints: Array<string> = []
        const asked: Array<string> = []
        page.on("console", (message) => complaints.push(message.text()))
        page.on("pageerror", (error) => complaints.push(error.message))
        page.on("request", (request) => asked.push(request.url().slice(0, 200)))
        page.setDefaultTimeout(30_000)
        await page.addInitScript(watchPolicy)
        const session = await page.context().newCDPSession(page)
        await session.send("Performance.enable", { timeDomain: "threadTicks" })
        try {
          await page.goto(`${baseUrl}/docs`)
          // Finds by selectors: a search by role reads the whole page, which would dominate the measurement.
          await page.locator("main h1", { hasText: /^Corridor$/ }).waitFor()
          await page.locator("header h2", { hasText: /^Models$/ }).waitFor()
          const seconds = await cpuSecondsOf(session)
          expect(seconds).toBeGreaterThan(0)
          expect(seconds).toBeLessThan(MOST_CPU_SECONDS)
          await use(page)
          expect(complaints).toEqual([])
          expect(asked.filter((url) => !url.startsWith(`${baseUrl}/`) && !/^(data|blob):/.test(url))).toEqual([])
          expect(asked).toContain(`${baseUrl}/openapi.json`)
        } finally {
          await page.close()
        }
      })
    )

  const openMenu = (page: Page, width: number) =>
    width < 1000 ? page.locator("header button.menu").click() : Promise.resolve()

  onServer("The API reference", "memory", {}, (it) => {
    const isOnTop = (part: Locator): Promise<unknown> =>
      expect
        .poll(async () => {
          const box = await part.boundingBox()
          return box !== null && box.y >= 0 && box.y < 200
        }, soon)
        .toBe(true)

    const findsByName = async (page: Page, width: number) => {
      expect(await overflowOf(page)).toBe(0)
      await openMenu(page, width)
      await page.locator("aside button.search").click()
      await page.keyboard.type("Rotate an API key")
      const found = page.locator("dialog[open]").getByRole("option", { name: "Rotate an API key" }).first()
      await found.click()
      await page.waitForURL(/#tag\/api-keys\/post\/public\/api-keys\/.*\/rotate$/)
      const heading = page.locator("h3", { hasText: "Rotate an API key" }).first()
      await heading.waitFor()
      await isOnTop(heading)
      expect(await overflowOf(page)).toBe(0)
      const sample = page.locator('section[aria-label="Rotate an API key"] .code:visible').first()
      const [copy, text] = [await sample.locator(".copy").boundingBox(), await sample.locator("pre code").boundingBox()]
      expect(copy!.y + copy!.height, "the button covers nothing").toBeLessThanOrEqual(text!.y)
      expect(await page.evaluate(takeOutAlike)).toBeGreaterThan(100)
      expect(await breaches(page, width)).toEqual([])
      await page.emulateMedia({ colorScheme: "dark" })
      expect(await breaches(page, desktop.width), "in the dark").toEqual([])
      await page.emulateMedia({ colorScheme: "light" })
      await page.evaluate(putBackAlike)
    }

    /** The reader's key stands in the samples: its prefix, or all of it where the field shows it too. */
    const writesOwnKey = async (page: Page, apiKey: string) => {
      const field = page.locator(".introduction").getByLabel("X-Api-Key", { exact: true })
      const part = await partAt(page, "tag/payment-initiation/post/payments-init/initiate")
      const sample = part.locator(".sample:visible code")
      await sample.filter({ hasText: `${apiKey.slice(0, 12)}…` }).waitFor()
      const reveal = page.locator(".introduction").getByRole("button", { name: "Show X-Api-Key" })
      await reveal.click()
      await sample.filter({ hasText: apiKey }).waitFor()
      await page.locator(".introduction").getByRole("button", { name: "Hide X-Api-Key" }).click()
      expect(await sample.textContent()).not.toContain(apiKey)
      await field.fill('ck_test_"; rm -rf')
      await sample.filter({ hasText: "CORRIDOR_API_KEY" }).waitFor()
      await field.fill(apiKey)
    }

    const sends = async (page: Page, apiKey: string) => {
      await page.locator(".introduction").getByLabel("X-Api-Key", { exact: true }).fill(apiKey)
      await writesOwnKey(page, apiKey)
      const part = await partAt(page, "tag/api-keys/get/public/api-keys")
      await part.getByRole("button", { name: "Test Request" }).click()
      const answered = page.waitForResponse((response) => response.url().includes("/v1/public/api-keys"))
      await page.locator("dialog[open]").getByRole("button", { name: "Send" }).click()
      const answer = await answered
      expect(answer.status()).toBe(200)
      expect(answer.request().headers()).toMatchObject({ authorization: "NONE", "x-api-key": apiKey })
      await page.locator("dialog[open]").getByText("200 OK").first().waitFor()
    }

    /** Values that cannot be sent show a problem at their field, and no request is made. */
    const refuses = async (page: Page) => {
      const part = await partAt(page, "tag/payments/get/payments/{payment_id}")
      await part.getByRole("button", { name: "Test Request" }).click()
      const dialog = page.locator("dialog[open]")
      const asked: Array<string> = []
      page.on("request", (request) => asked.push(request.url()))
      const id = dialog.getByLabel(/^payment_id/)
      const shows = async (name: RegExp, words: RegExp) => {
        await dialog.getByRole("button", { name: "Send" }).click()
        const field = dialog.getByRole("textbox", { name })
        await expect.poll(() => field.getAttribute("aria-invalid"), soon).toBe("true")
        await expect.poll(() => field.evaluate((one) => one.matches(":focus")), soon).toBe(true)
        const message = dialog.locator(`[id="${await field.getAttribute("aria-describedby")}"]`)
        expect(await message.innerText()).toMatch(words)
      }
      await shows(/^payment_id/, /needs a value/)
      for (const value of [".", ".."]) {
        await id.fill(value)
        await shows(/^payment_id/, /leads to another address/)
      }
      await id.fill("p")
      await expect.poll(() => id.getAttribute("aria-invalid"), soon).toBe("false")
      const key = dialog.getByLabel("X-Api-Key", { exact: true })
      const before = await key.inputValue()
      await key.fill("ck_test_ключ")
      await shows(/^X-Api-Key$/, /no header can carry/)
      await key.fill(before)
      expect(asked).toEqual([])
      await page.keyboard.press("Escape")
    }

    /** Escape closes the search over a test request; a choice closes both and goes to the entry. */
    const searchesFromRequest = async (page: Page) => {
      const part = await partAt(page, "tag/payment-initiation/post/payments-init/initiate")
      await part.getByRole("button", { name: "Test Request" }).click()
      const body = page.locator('dialog[open][aria-label^="Test request"]').getByLabel("Body", { exact: true })
      await body.fill("{}")
      const search = page.locator('dialog[open][aria-label="Search the reference"]')
      await page.keyboard.press("Control+Shift+K")
      await page.keyboard.press("Control+k")
      await search.waitFor()
      await page.keyboard.press("Escape")
      await search.waitFor({ state: "detached" })
      expect(await body.inputValue()).toBe("{}")
      expect(await page.evaluate(pressAndLook), "the search has the focus").toBe("Search the reference")
      await page.keyboard.type("Rotate an API key")
      await page.keyboard.press("Enter")
      await isOnTop(page.locator("h3", { hasText: "Rotate an API key" }).first())
      await expect.poll(() => page.locator("dialog[open]").count(), soon).toBe(0)
    }

    const closesMenu = async (page: Page) => {
      const button = page.locator("header").getByRole("button", { name: /the menu$/ })
      await button.click()
      await expect.poll(() => button.getAttribute("aria-expanded"), soon).toBe("true")
      await page.locator("aside button.search").click()
      await page.keyboard.press("Escape")
      await page.locator("dialog[open]").waitFor({ state: "detached" })
      expect(await button.getAttribute("aria-expanded"), "the search was closed first").toBe("true")
      await page.locator("aside nav summary").first().focus()
      await page.keyboard.press("Escape")
      await expect.poll(() => button.getAttribute("aria-expanded"), soon).toBe("false")
      expect(await button.evaluate((one) => one.matches(":focus"))).toBe(true)
    }

    const lists = async (page: Page, summaries: ReadonlyArray<string>) => {
      const contents = page.locator("aside").first()
      await contents
        .locator("details:not([open]) > summary")
        .evaluateAll((groups) => groups.forEach((group) => (group as unknown as { click(): void }).click()))
      await contents.getByText(summaries.at(-1)!, { exact: true }).waitFor()
      const entries = (await contents.getByRole("link").allInnerTexts()).map((text) => text.split("\n", 1)[0])
      for (const summary of summaries) expect(entries).toContain(summary)
    }

    const partAt = async (page: Page, id: string): Promise<Locator> => {
      await page.evaluate(`location.hash = ${JSON.stringify(id)}`)
      const part = page.locator(`section[id="${id}"]`)
      await isOnTop(part.getByRole("heading").first())
      return part
    }

    /** Samples in each language, examples by name, and amounts as they are written. */
    const exemplifies = async (page: Page) => {
      const part = await partAt(page, "tag/payment-initiation/post/payments-init/initiate")
      for (const [language, word] of [
        ["curl", "curl -X POST"],
        ["JavaScript", "await corridor."],
        ["Python", "from corridor import"]
      ] as const) {
        await part.getByRole("button", { name: language, exact: true }).click()
        expect(await part.locator("pre:visible").first().innerText()).toContain(word)
      }
      const body = part.locator('pre[aria-label^="Body: "]:visible')
      expect(await body.innerText()).toContain('"amount": 1500.00,')
      const examples = part.getByLabel("Example of the request")
      const titles = await examples.locator("option").allInnerTexts()
      expect(titles.length).toBeGreaterThan(2)
      const before = await body.innerText()
      await examples.selectOption({ label: titles[1]! })
      expect(await body.innerText()).not.toBe(before)
      await part.getByRole("button", { name: "Test Request" }).click()
      const typed = page.locator("dialog[open]").getByLabel("Body", { exact: true })
      expect(JSON.parse(await typed.inputValue())).toEqual(JSON.parse(await body.innerText()))
      await page.keyboard.press("Escape")
      await part.getByLabel("Example of the answer").selectOption({ label: "401" })
      await expect
        .poll(() => part.locator('pre[aria-label^="Answer 401: "]:visible').innerText(), soon)
        .toContain("UNAUTHORIZED")
    }

    const reports = async (page: Page, events: ReadonlyArray<string>) => {
      const values = await partAt(page, "description/test-values")
      expect(await values.getByRole("row").count()).toBeGreaterThan(10)
      expect(events.length).toBeGreaterThan(10)
      for (const event of [events[0]!, events.at(-1)!]) {
        const part = await partAt(page, `webhook/post/${event}`)
        expect(await part.getByLabel(/^Body: /).innerText()).toContain(`"event_type": "${event}"`)
      }
    }

    it.effect(
      "sends a request with a credential and shows the answer, and finds an operation by its name, on a phone",
      () =>
        Effect.gen(function* () {
          const { acme } = yield* people
          yield* reading(375, async (page) => {
            await sends(page, acme.api_key)
            await page.keyboard.press("Escape")
            await closesMenu(page)
            await findsByName(page, 375)
          })
        }),
      PATIENCE_MILLIS
    )

    it.effect(
      "does so on a desk too, and has every operation in its contents, with samples, examples and events",
      () =>
        Effect.gen(function* () {
          const { acme } = yield* people
          const document = yield* fetchDocument
          const summaries = operationsOf(document).map(({ about }) => about.summary ?? "")
          expect(summaries.length).toBeGreaterThan(4)
          yield* reading(1280, async (page) => {
            await sends(page, acme.api_key)
            await page.keyboard.press("Escape")
            await findsByName(page, 1280)
            await lists(page, summaries)
            await exemplifies(page)
            await refuses(page)
            await searchesFromRequest(page)
            await reports(page, Object.keys(document.webhooks))
          })
        }),
      PATIENCE_MILLIS
    )
  })
})
