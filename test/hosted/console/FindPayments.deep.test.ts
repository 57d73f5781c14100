/** Finding payments in the console: the search, shared views, and days of a person in Auckland. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../bench/FreePort.ts"
import { type CorridorPromises, createCorridor } from "../../../src/client/PromiseClient.ts"
import {
  discard,
  newDataDir,
  type RealServer,
  startServer,
  until,
  withSql,
  databaseOf
} from "../../payments/support/RealServer.ts"
import { breaches } from "../../support/Axe.ts"
import { byCard, byPhone } from "../../payments/support/Requests.ts"
import {
  chromiumNeeded,
  chromiumPath,
  desktop,
  inBothSizes,
  launchChromium,
  overflowOf
} from "../../support/Chromium.ts"

interface Sandbox {
  readonly orgs: ReadonlyArray<{
    readonly org_id: string
    readonly api_key: string
    readonly users: ReadonlyArray<{ readonly user_id: string; readonly role: string; readonly jwt: string }>
  }>
}

describe.skipIf(chromiumPath === undefined)(`Finding payments in a browser (${chromiumNeeded})`, () => {
  const dataDir = newDataDir()
  let server: RealServer
  let browser: Browser
  let corridor: CorridorPromises
  let acme: Sandbox["orgs"][number]

  beforeAll(async () => {
    const port = await freePort()
    ;[server, browser] = await Promise.all([
      startServer(dataDir, port, { WEBHOOK_RETRY_DELAYS: "100 millis" }),
      launchChromium()
    ])
    const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox
    acme = sandbox.orgs[0]!
    corridor = createCorridor({ url: server.url, apiKey: acme.api_key })
  }, 600_000)

  afterAll(async () => {
    await browser.close()
    await server.stop()
    discard(dataDir)
  })

  const userOf = (role: string) => acme.users.find((user) => user.role === role)!

  const initiate = async (client_reference: string, name: string, amount = 1500): Promise<string> => {
    const request = byPhone()
    const payer_details = { ...request.payer_details, name }
    const payload = { ...request, amount, target_amount: amount, client_reference, payer_details }
    const { response } = await corridor.paymentsInit.initiate({ payload: payload as never })
    return response.payment_id
  }

  const visiting = async (
    timezoneId: string,
    use: (page: Page, asked: ReadonlyArray<URL>) => Promise<void>,
    role = "staff"
  ) => {
    const context = await browser.newContext({ viewport: desktop, timezoneId })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const asked: Array<URL> = []
    const errors: Array<string> = []
    page.on("request", (request) => asked.push(new URL(request.url())))
    page.on("pageerror", (error) => errors.push(error.message))
    const { jwt } = userOf(role)
    await page.addInitScript(`sessionStorage.setItem("corridor.credential", "token ${jwt}")`)
    try {
      await use(page, asked)
      expect(errors).toEqual([])
    } finally {
      await context.close()
    }
  }

  const settled = (page: Page) => page.locator(".listing[aria-busy=false]").waitFor()

  const open = async (page: Page, hash: string): Promise<void> => {
    await page.goto(`${server.url}/console${hash}`)
    await page.locator("main h1").waitFor()
  }

  const rows = (page: Page) => page.locator("main tbody tr")

  it("finds by what a person knows, from any page by a key, and sends no card number", async () => {
    await initiate("invoice-77-blue", "Achieng Otieno", 1537.5)
    await initiate("invoice-78-red", "Bello Musa")
    await visiting("Africa/Nairobi", async (page, asked) => {
      await open(page, "#/webhooks")
      await page.keyboard.press("/")
      const box = page.getByRole("searchbox", { name: "Search" })
      await page.locator("input[name=search]:focus").waitFor()
      for (const typed of ["1,537.50", "achieng", "77-bl", "1537.5 KES"]) {
        await box.fill(typed)
        await box.press("Enter")
        await rows(page).filter({ hasText: "invoice-78-red" }).waitFor({ state: "detached" })
        await rows(page).filter({ hasText: "invoice-77-blue" }).getByText("+254712345678").waitFor()
        expect(await rows(page).count(), typed).toBe(1)
        await box.fill("")
        await box.press("Enter")
        await rows(page).filter({ hasText: "invoice-78-red" }).waitFor()
      }
      await box.fill("nobody knows it")
      await box.press("Enter")
      await page.getByText("No payments match these filters.").waitFor()
      await box.fill("4539 5787 6362 1486, 12/29")
      await box.press("Enter")
      await page.getByText("Card numbers are not sent").waitFor()
      expect(await box.inputValue()).toBe("1486")
      expect(page.url()).not.toContain("45395787")
      expect(asked.map(({ href }) => decodeURIComponent(href.replaceAll("+", " "))).join()).not.toMatch(/4539 ?5787/)
    })
  })

  it("saves a view for colleagues, renames and deletes it", async () => {
    await visiting("UTC", async (page) => {
      await open(page, "#/payments?status=failed&search=invoice")
      await settled(page)
      await page.getByRole("button", { name: "Save this view" }).click()
      await page.getByLabel("Name").fill("Failed invoices")
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
      await page.getByRole("link", { name: "Failed invoices" }).waitFor()
      await inBothSizes(page, async (width) => {
        expect(await overflowOf(page), `${width}`).toBe(0)
        expect(await breaches(page, width), `${width}`).toEqual([])
      })
    })
    const { data } = await corridor.savedViews.list({ urlParams: {} })
    expect(data).toMatchObject([{ name: "Failed invoices", filters: { status: "failed", search: "invoice" } }])
    await visiting("UTC", async (page) => {
      await open(page, "#/payments")
      await page.getByRole("link", { name: "Failed invoices" }).click()
      await page.waitForURL(/status=failed/)
      await page.getByRole("button", { name: "Rename the view Failed invoices" }).click()
      await page.getByRole("dialog").getByLabel("Name").fill("Invoices that failed")
      await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click()
      await page.getByRole("link", { name: "Invoices that failed" }).waitFor()
      await page.getByRole("button", { name: "Delete the view Invoices that failed" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
      await page.getByRole("link", { name: "Invoices that failed" }).waitFor({ state: "detached" })
    })
    expect((await corridor.savedViews.list({ urlParams: {} })).data).toEqual([])
  })

  it("takes an agent from a caller's words to a refund, and to the webhook that failed", async () => {
    const path = { org_id: acme.org_id, user_id: userOf("member").user_id }
    await corridor.members.change({ path, payload: { role: "staff" } })
    await corridor.members.grant({
      path: { ...path, user_id: userOf("staff").user_id },
      payload: { permission: "webhooks" }
    })
    const endpoint_url = "http://127.0.0.1:9/agent"
    const { webhook_id } = (await corridor.webhooks.create({ payload: { endpoint_url } })).data
    const payload = {
      ...byCard("4000056655665556"),
      amount: 2750.25,
      target_amount: 2750.25,
      client_reference: "seat-row-F-12"
    }
    const { payment_id } = (await corridor.paymentsInit.initiate({ payload: payload as never })).response
    const dead = () => corridor.webhookLog.deliveries({ urlParams: { status: "dead", webhook_id } })
    await until("the payment is complete, and a delivery died", async () => {
      const { status } = await corridor.payments.byId({ path: { payment_id } })
      return status === "completed" ? (await dead()).data[0] : undefined
    })
    await visiting("Africa/Nairobi", async (page) => {
      await open(page, "#/")
      const box = page.getByRole("searchbox", { name: "Search" })
      await page.keyboard.press("/")
      for (const typed of ["row-F", "2,750.25", "5556"]) {
        await box.fill(typed)
        await box.press("Enter")
        await page.waitForURL((url) => new URLSearchParams(url.hash.split("?")[1]).get("search") === typed)
        await settled(page)
        await page.getByRole("link", { name: "seat-row-F-12" }).waitFor()
        await expect.poll(() => rows(page).count(), { message: typed }).toBe(1)
      }
      await page.getByRole("button", { name: "Save this view" }).click()
      await page.getByLabel("Name").fill("Row F")
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
      await page.getByRole("link", { name: "Row F" }).waitFor()
    })
    await visiting(
      "UTC",
      async (page) => {
        await open(page, "#/payments")
        await page.getByRole("link", { name: "Row F" }).click()
        await page.getByRole("link", { name: "seat-row-F-12" }).click()
        await page.getByRole("button", { name: "Refund" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Amount in KES").fill("750.25")
        await dialog.getByLabel("Reason").fill("One seat fewer")
        await dialog.getByRole("button", { name: "Refund" }).click()
        await page.getByText("750.25 KES were refunded.").waitFor()
        await page.getByText(/^By member@/).waitFor()
        expect(await page.getByRole("link", { name: "Audit log" }).count()).toBe(0)
      },
      "member"
    )
    await visiting(
      "UTC",
      async (page) => {
        await open(page, `#/payments/${payment_id}`)
        await page.locator("main").getByRole("link", { name: "Audit log" }).click()
        await page.getByText("Payment refund requested").waitFor()
        await page.getByText("Only changes of seat-row-F-12").waitFor()
        expect(await rows(page).count()).toBe(1)
        await rows(page).getByRole("link", { name: "member@acme.example" }).waitFor()
        await page.getByRole("button", { name: "Show all changes" }).click()
        await rows(page).nth(1).waitFor()
        await rows(page)
          .filter({ hasText: "refund requested" })
          .first()
          .getByRole("link", { name: /^Payment / })
          .click()
        await page.getByText("750.25 KES were refunded.").waitFor()
      },
      "org-admin"
    )
    await visiting("America/New_York", async (page) => {
      await open(page, `#/payments/${payment_id}`)
      await page.locator(".lane-outcome", { hasText: "dead at 127.0.0.1:9/agent" }).waitFor()
      await page.locator("a[href*=deliveries]").last().click()
      await page.getByRole("link", { name: "All of its deliveries" }).click()
      await page.getByRole("heading", { level: 1, name: "Endpoint" }).waitFor()
      await page.getByRole("button", { name: "Send again since" }).click()
      const since = page.getByRole("dialog").getByLabel("Since")
      const inNewYork = (at: number) => new Date(at).toLocaleString("sv", { timeZone: "America/New_York" }).slice(0, 16)
      expect([3600, 3660].map((ago) => inNewYork(Date.now() - ago * 1000).replace(" ", "T"))).toContain(
        await since.inputValue()
      )
      // The chart's hours are those of the field.
      const hours = [0, 60].map((ago) => `${inNewYork(Date.now() - ago * 1000).slice(0, 13)}:00`)
      expect(hours).toContain(await page.locator(".u-legend .u-value").first().innerText())
      await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click()
      await page.getByText("Deliveries queued", { exact: true }).waitFor()
    })
    await corridor.webhooks.remove({ path: { webhook_id } })
    await corridor.members.change({ path, payload: { role: "member" } })
  })

  it("filters by the days of the person's own time zone, also where a day has 23 or 25 hours", async () => {
    const id = await initiate("early-in-auckland", "Aroha Ngata")
    const other = await initiate("next-day-in-auckland", "Aroha Ngata")
    // 07:34 of 3 March, and 00:10 of 4 March in Auckland: both are the day before in UTC.
    await withSql(databaseOf(dataDir), async (client) => {
      const move = "update payments set created_at = $2 where payment_id = $1"
      await client.query(move, [id, "2026-03-02T18:34:00Z"])
      await client.query(move, [other, "2026-03-03T11:10:00Z"])
    })
    await visiting("Pacific/Auckland", async (page) => {
      const boundsOf = async (day: string) => {
        const request = page.waitForRequest((one) => one.url().includes("/transactions?"))
        await open(page, `#/payments?from=${day}&to=${day}&search=aroha`)
        const { searchParams } = new URL((await request).url())
        return [searchParams.get("from"), searchParams.get("to")]
      }
      expect(await boundsOf("2026-03-03")).toEqual(["2026-03-02T11:00:00.000Z", "2026-03-03T11:00:00.000Z"])
      await page.getByText("early-in-auckland").waitFor()
      expect(await rows(page).count()).toBe(1)
      await page.getByText("Days in your time zone, Pacific/Auckland.").waitFor()
      const clocksGoBack = ["2026-04-04T11:00:00.000Z", "2026-04-05T12:00:00.000Z"]
      expect(await boundsOf("2026-04-05"), "25 hours").toEqual(clocksGoBack)
      const clocksGoForward = ["2026-09-26T12:00:00.000Z", "2026-09-27T11:00:00.000Z"]
      expect(await boundsOf("2026-09-27"), "23 hours").toEqual(clocksGoForward)
    })
  })
})
