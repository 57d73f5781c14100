import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { OpenApi } from "@effect/platform"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OpenApiDocument } from "../../../src/contract/docs/OpenApiDocument.ts"
import { renderReference } from "../../../src/contract/docs/Page.ts"
import { chromiumNeeded, chromiumPath, launchChromium } from "../../support/Chromium.ts"
import { api, handmade } from "./Documents.ts"

const documents: Readonly<Record<string, OpenApiDocument>> = { "/docs": handmade, "/small": OpenApi.fromApi(api) }

/** Text whose contrast with what is behind it is below WCAG AA, as "ratio text". */
const lowContrast = `(() => {
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

describe.skipIf(chromiumPath === undefined)(`the reference in a browser (${chromiumNeeded})`, () => {
  let server: Server
  let browser: Browser
  let base: string

  beforeAll(async () => {
    server = createServer((request, response) => {
      const document = documents[request.url ?? ""]
      if (document === undefined) return response.writeHead(404).end()
      const { contentSecurityPolicy, html } = renderReference(document)
      return response
        .writeHead(200, {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": contentSecurityPolicy
        })
        .end(html)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await launchChromium()
  })

  afterAll(async () => {
    await browser.close()
    await new Promise((resolve) => server.close(resolve))
  })

  /** Opens a page and hands back everything that went wrong or was asked of the network meanwhile. */
  const visit = async (
    width: number,
    use: (page: Page) => Promise<void>,
    path = "/docs",
    colorScheme: "light" | "dark" = "light"
  ): Promise<void> => {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
    const complaints: Array<string> = []
    const requests: Array<string> = []
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("request", (request) => requests.push(request.url().slice(0, 200)))
    try {
      await page.goto(`${base}${path}`)
      await use(page)
      expect(complaints).toEqual([])
      expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([`${base}${path}`])
    } finally {
      await page.close()
    }
  }

  const overflow = (page: Page) =>
    page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")

  const openEverything = (page: Page) =>
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true })")

  const distanceFromTop = (page: Page, selector: string) =>
    page.evaluate<number>(`document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top`)

  it.each([
    [375, "/docs"],
    [1280, "/docs"],
    [375, "/small"],
    [768, "/docs"]
  ])("fits %i px without horizontal scrolling, folded and unfolded (%s)", async (width, path) => {
    await visit(
      width,
      async (page) => {
        expect(await overflow(page)).toBe(0)
        await openEverything(page)
        expect(await overflow(page)).toBe(0)
      },
      path
    )
  })

  it("applies its style under its own policy", () =>
    visit(1280, async (page) => {
      expect(await page.evaluate("getComputedStyle(document.querySelector('nav')).position")).toBe("sticky")
    }))

  it("leads from the side navigation to every operation on a desktop", () =>
    visit(1280, async (page) => {
      const links = page.locator("nav a[href^='#op-']")
      const count = await links.count()
      expect(count).toBe(3)
      for (let index = 0; index < count; index++) {
        const link = links.nth(index)
        await link.click()
        const anchor = (await link.getAttribute("href")) ?? ""
        expect(await page.evaluate("location.hash")).toBe(anchor)
        expect(await page.locator(anchor.replaceAll(".", "\\.")).isVisible()).toBe(true)
      }
      await links.first().click()
      const top = await distanceFromTop(page, "#op-payments\\.initiate-title")
      expect(top).toBeGreaterThanOrEqual(await page.evaluate<number>("document.querySelector('header').offsetHeight"))
      expect(top).toBeLessThan(200)
    }))

  it("keeps the navigation folded away on a phone until it is asked for", () =>
    visit(375, async (page) => {
      const navigation = page.locator("nav")
      expect(await navigation.isVisible()).toBe(false)
      await page.getByRole("link", { name: "Contents" }).click()
      expect(await navigation.isVisible()).toBe(true)
      await page.locator("nav a[href='#op-organizations.revoke']").click()
      expect(await navigation.isVisible()).toBe(false)
      expect(await distanceFromTop(page, "#op-organizations\\.revoke")).toBeLessThan(200)
    }))

  it("unfolds a response by keyboard alone", () =>
    visit(1280, async (page) => {
      const response = page.locator("details.response:not([open])").first()
      await response.locator("summary").focus()
      await page.keyboard.press("Enter")
      expect(await page.locator("details.response").nth(1).getAttribute("open")).not.toBeNull()
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid")
    }))

  it.each(["light", "dark"] as const)("has AA contrast in %s", (scheme) =>
    visit(
      1280,
      async (page) => {
        await openEverything(page)
        const background = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor")
        expect(background).toBe(scheme === "light" ? "rgb(255, 255, 255)" : "rgb(15, 20, 27)")
        expect(await page.evaluate(lowContrast)).toEqual([])
      },
      "/docs",
      scheme
    )
  )
})
