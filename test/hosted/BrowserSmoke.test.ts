/** A payment on its hosted page and in the console, in Chromium, on the built server. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../bench/FreePort.ts"
import { discard, newDataDir, pay, type RealServer, startServer } from "../payments/support/RealServer.ts"
import { byCard } from "../payments/support/Requests.ts"
import { chromiumNeeded, chromiumPath, desktop, launchChromium } from "../support/Chromium.ts"
import { redirecting } from "./pages/PageVisits.ts"

describe.skipIf(chromiumPath === undefined)(`in a browser (${chromiumNeeded})`, () => {
  const dataDir = newDataDir()
  const shop = createServer((_, response) => {
    const page = '<!doctype html><title>Shop</title><link rel="icon" href="data:,"><p>Back at the shop</p>'
    response.writeHead(200, { "content-type": "text/html" }).end(page)
  })
  let shopUrl: string
  let server: RealServer
  let browser: Browser

  beforeAll(async () => {
    await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve))
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/thanks`
    ;[server, browser] = await Promise.all([startServer(dataDir, await freePort()), launchChromium()])
  })

  afterAll(async () => {
    await browser.close()
    await server.stop()
    await new Promise((resolve) => shop.close(resolve))
    discard(dataDir)
  })

  /** Fails for any message in the browser's console. */
  const visiting = async (url: string, use: (page: Page) => Promise<void>) => {
    const page = await browser.newPage({ viewport: desktop })
    page.setDefaultTimeout(30_000)
    const complaints: Array<string> = []
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(error.message))
    await page.goto(url)
    await use(page)
    expect(complaints).toEqual([])
    await page.close()
  }

  it("takes a payment to completed, which the console lists after a sign-in", async () => {
    const request = { ...byCard(redirecting), return_url: shopUrl, client_reference: "order-77" }
    const { response } = (await (await pay(server, request)).json()) as { readonly response: Record<string, string> }
    await visiting(response["redirect_url"]!, async (page) => {
      await page.getByRole("button", { name: "Pay 1,500.00 KES" }).click()
      await page.waitForURL(`${shopUrl}?status=completed&reference=order-77`)
    })
    await visiting(`${server.url}/console#/payments`, async (page) => {
      await page.getByRole("heading", { level: 1, name: "Sign in to the console" }).waitFor()
      await page.getByLabel("API key").check()
      await page.getByRole("textbox", { name: "API key" }).fill(server.apiKey)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "Payments" }).waitFor()
      const rows = page.locator("main tbody tr")
      await rows.filter({ hasText: "order-77" }).getByText("Completed", { exact: true }).waitFor()
      expect(await rows.count()).toBe(1)
    })
  })
})
