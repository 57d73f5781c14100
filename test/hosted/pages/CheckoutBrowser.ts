/** A browser with a shop to return to, for tests of the hosted checkout. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import { chromiumNeeded, chromiumPath, inBothSizes, launchChromium, overflowOf, phone } from "../../support/Chromium.ts"
import { TestServer } from "../../support/TestServer.ts"

/** Text whose contrast with what is behind it is below WCAG AA. */
export const lowContrast = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number)
  const luminance = (color) => {
    const [r, g, b] = channels(color).slice(0, 3).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor
      if ((channels(color)[3] ?? 1) > 0) return color
    }
  }
  return [...document.querySelectorAll("body *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""))
    .map((element) => {
      const [a, b] = [luminance(getComputedStyle(element).color), luminance(background(element))].sort((x, y) => y - x)
      return [(a + 0.05) / (b + 0.05), element.textContent.trim().slice(0, 30)]
    })
    .filter(([ratio]) => ratio < 4.5)
    .map((pair) => pair.join(" "))
})()`

const screenshots = process.env["CHECKOUT_SCREENSHOTS"]

export const photograph = (page: Page, name: string): Promise<void> =>
  inBothSizes(page, async (width) => {
    expect(await overflowOf(page), `${name}`).toBe(0)
    if (screenshots === undefined) return
    await page.screenshot({ path: join(screenshots, `${name}-${width}.png`), fullPage: true })
  })

interface PageOptions {
  readonly colorScheme?: "light" | "dark"
  readonly locale?: string
}

interface InBrowser {
  readonly browser: () => Browser
  readonly shopUrl: () => string
  readonly visiting: <A>(
    path: string,
    use: (page: Page) => Promise<A>,
    options?: PageOptions
  ) => Effect.Effect<A, never, TestServer>
  readonly backAtShop: (page: Page, status: string, reference: string) => Promise<void>
}

export const inBrowser = (tests: (tools: InBrowser) => void) =>
  describe.skipIf(chromiumPath === undefined)(`in a browser (${chromiumNeeded})`, () => {
    let browser: Browser
    let shopUrl: string
    const shop = createServer((_, response) => {
      const thanks = '<!doctype html><title>Shop</title><link rel="icon" href="data:,"><p>Back at the shop</p>'
      response.writeHead(200, { "content-type": "text/html" }).end(thanks)
    })

    beforeAll(async () => {
      await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve))
      shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/thanks?basket=7`
      browser = await launchChromium()
    })

    afterAll(async () => {
      await browser.close()
      await new Promise((resolve) => shop.close(resolve))
    })

    /** Visits a page; fails on console messages, and on requests to other hosts than the checkout and the shop. */
    const visiting = <A>(path: string, use: (page: Page) => Promise<A>, options: PageOptions = {}) =>
      Effect.flatMap(TestServer, ({ baseUrl }) =>
        Effect.promise(async () => {
          const page = await browser.newPage({ viewport: phone, ...options })
          const complaints: Array<string> = []
          const asked = new Set<string>()
          page.on("console", (message) => complaints.push(message.text()))
          page.on("pageerror", (error) => complaints.push(error.message))
          page.on("request", (request) => {
            if (!request.url().startsWith("data:")) asked.add(request.url().split("?", 1)[0] ?? "")
          })
          try {
            await page.goto(`${baseUrl}${path}`)
            const result = await use(page)
            expect(complaints).toEqual([])
            const allowed = [`${baseUrl}${path}`, shopUrl].map((url) => url.split("?", 1)[0])
            expect([...asked].filter((url) => !allowed.includes(url))).toEqual([])
            return result
          } finally {
            await page.close()
          }
        })
      )

    const backAtShop = (page: Page, status: string, reference: string) =>
      page.waitForURL(`${shopUrl}&status=${status}&reference=${reference}`, { timeout: 60_000 })

    tests({ browser: () => browser, shopUrl: () => shopUrl, visiting, backAtShop })
  })
