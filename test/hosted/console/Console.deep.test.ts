/** The console in Chromium, on a built server: every page at two sizes, and the main tasks. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../bench/FreePort.ts"
import { type CorridorPromises, createCorridor } from "../../../src/client/PromiseClient.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import {
  databaseOf,
  discard,
  newDataDir,
  type RealServer,
  startServer,
  until,
  withSql
} from "../../payments/support/RealServer.ts"
import { breaches } from "../../support/Axe.ts"
import { pngOf } from "../pages/link/LinkPageFixtures.ts"
import { byBank, byPhone, kenyanPhone } from "../../payments/support/Requests.ts"
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
    readonly name: string
    readonly api_key: string
    readonly users: ReadonlyArray<{
      readonly user_id: string
      readonly email: string
      readonly role: string
      readonly jwt: string
    }>
  }>
  readonly admin: { readonly user_id: string; readonly jwt: string }
}

describe.skipIf(chromiumPath === undefined)(`The console in a browser (${chromiumNeeded})`, () => {
  const dataDir = newDataDir()
  let server: RealServer
  let browser: Browser
  let sandbox: Sandbox
  let corridor: CorridorPromises
  let acme: Sandbox["orgs"][number]

  const jwtOf = (role: string): string => acme.users.find((user) => user.role === role)!.jwt

  const initiate = async (request: object): Promise<string> => {
    const { response } = await corridor.paymentsInit.initiate({ payload: request as never })
    return response.payment_id
  }

  const completed = (payment_id: string) =>
    until("the payment is complete", async () => {
      const { status } = await corridor.payments.byId({ path: { payment_id } })
      return status === "completed" ? true : undefined
    })

  beforeAll(async () => {
    const port = await freePort()
    ;[server, browser] = await Promise.all([
      startServer(dataDir, port, { SANDBOX_RAIL_PACE: "250 millis", WEBHOOK_RETRY_DELAYS: "100 millis" }),
      launchChromium()
    ])
    sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox
    acme = sandbox.orgs[0]!
    corridor = createCorridor({ url: server.url, apiKey: acme.api_key })
  }, 120_000)

  afterAll(async () => {
    await browser.close()
    await server.stop()
    discard(dataDir)
  })

  /** Allows no console message but expected refusals, and no request to another server. */
  const visiting = async (
    token: string | undefined,
    use: (page: Page) => Promise<void>,
    refusals: ReadonlyArray<number> = []
  ): Promise<void> => {
    const context: BrowserContext = await browser.newContext({ viewport: desktop })
    const complaints: Array<string> = []
    const strangers: Array<string> = []
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("request", (request) => {
      const url = request.url()
      if (!url.startsWith(server.url) && !url.startsWith("data:")) strangers.push(url)
    })
    if (token !== undefined) {
      await page.addInitScript(`sessionStorage.setItem("corridor.credential", "token ${token}")`)
    }
    try {
      await use(page)
      expect(complaints).toEqual(refusals.map((status) => expect.stringContaining(`status of ${status} `)))
      expect(strangers).toEqual([])
    } finally {
      await context.close()
    }
  }

  const open = async (page: Page, hash: string): Promise<void> => {
    await page.goto(`${server.url}/console${hash}`)
    await page.locator("main h1").waitFor()
    await page.locator(".skeleton").first().waitFor({ state: "detached" })
  }

  /** Goes to a page without a reload, as a click in the menu does. */
  const walkTo = async (page: Page, path: string, title: string | RegExp): Promise<void> => {
    await page.evaluate(`location.hash = "#/${path}"`)
    const name = typeof title === "string" ? new RegExp(`^${title}$`) : title
    await page.getByRole("heading", { level: 1, name }).waitFor()
    await page.locator(".skeleton").first().waitFor({ state: "detached" })
  }

  const looksRight = (page: Page, name: string): Promise<void> =>
    inBothSizes(page, async (width) => {
      expect(await overflowOf(page), `${name} at ${width}`).toBe(0)
      expect(await breaches(page, width), `${name} at ${width}`).toEqual([])
      const cut = "[...document.querySelectorAll('.tabs')].filter((one) => one.scrollWidth > one.clientWidth).length"
      expect(await page.evaluate(cut), `tabs of ${name} at ${width}`).toBe(0)
    })

  const populate = async () => {
    const org_id = acme.org_id
    const staff = acme.users.find(({ role }) => role === "staff")!
    const dead = await corridor.webhooks.create({ payload: { endpoint_url: "http://127.0.0.1:9/hooks" } })
    const paid = await initiate({ ...byPhone(), client_reference: "order-1" })
    await initiate(byPhone("+254712340004"))
    await completed(paid)
    const payload = { org_id, user_id: staff.user_id, currency: CurrencyCode.make("KES"), customer_id: "Rent" }
    const account = (await corridor.virtualAccounts.create({ payload })).data.account_id
    await corridor.virtualAccounts.simulateDeposit({ path: { account_id: account }, payload: { amount: 5000.5 } })
    const parties = [{ name: "Builder", split_type: "percentage" as const, split_value: 100 }]
    const escrow = await corridor.escrow.create({
      payload: {
        name: "Harbour",
        currency: CurrencyCode.make("KES"),
        account_id: account,
        parties: [{ name: "Builder" }],
        milestones: [{ label: "Design", sequence: 1, expected_disbursement: 3000, parties }]
      }
    })
    const link = { amount: 80, currency: CurrencyCode.make("KES"), amount_type: "fixed" as const, description: "Seat" }
    await corridor.paymentLinks.create({ path: { org_id }, payload: link })
    const beneficiary = (await corridor.beneficiaries.create({ payload: kenyanPhone() as never })).data.beneficiary_id
    const rule = { subject: "phone", max_count: 500, window_seconds: 86_400, action: "hold" } as const
    await corridor.rules.set({ path: { org_id, rule_name: "many-a-day" }, payload: rule })
    const entry = { list: "block", subject: "email", value: "mallory@example.com", note: "Charged back" } as const
    await corridor.rules.addEntry({ path: { org_id }, payload: entry })
    const wordy = { description: "Forty bags of maize flour ".repeat(8).trim(), client_reference: "0".repeat(90) }
    await corridor.paymentLinks.create({ path: { org_id }, payload: { ...link, ...wordy, amount: 12345678.9 } })
    const delivery = await until("a delivery died", async () => {
      const { data } = await corridor.webhookLog.deliveries({ urlParams: { status: "dead" } })
      return data[0]?.delivery_id
    })
    return { paid, account, beneficiary, escrow: escrow.data.escrow_id, webhook: dead.data.webhook_id, delivery }
  }

  it("is one small script and one style, cached for good and compressed", async () => {
    const page = await fetch(`${server.url}/console`)
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self';")
    expect(page.headers.get("content-security-policy")).not.toContain("unsafe")
    const html = await page.text()
    const names = Array.from(html.matchAll(/(?:href|src)="(console\/[^"]+)"/g), ([, name]) => name!)
    expect(names).toHaveLength(2)
    let size = 0
    for (const name of names) {
      const file = await fetch(`${server.url}/${name}`, { headers: { "accept-encoding": "gzip" } })
      expect(file.headers.get("cache-control")).toContain("immutable")
      expect(file.headers.get("content-encoding")).toBe("gzip")
      size += Number(file.headers.get("content-length"))
    }
    expect(size).toBeGreaterThan(10_000)
    expect(size).toBeLessThan(200_000)
    expect((await fetch(`${server.url}/console/console-OLD.js`)).status).toBe(404)
    // The server started from the code cache of the build.
    expect((await fetch(`${server.url}/docs/reference.js`)).status).toBe(200)
  })

  it("shows every page on a desk and on a phone", async () => {
    const made = await populate()
    const pages = {
      "": "Overview",
      payments: "Payments",
      [`payments/${made.paid}`]: "order-1",
      queue: "Operations",
      links: "Payment links",
      accounts: "Virtual accounts",
      [`accounts/${made.account}`]: "Rent",
      beneficiaries: "Beneficiaries",
      [`beneficiaries/${made.beneficiary}`]: "Ada Okafor",
      organization: "Organisation",
      rates: "Rates and fees",
      [`webhooks/endpoints/${made.webhook}`]: "Endpoint",
      escrow: "Escrow",
      [`escrow/${made.escrow}`]: "Harbour",
      webhooks: "Webhooks",
      "webhooks/deliveries": "Webhooks",
      [`webhooks/deliveries/${made.delivery}`]: /^[a-z_]+\.[a-z_]+$/,
      "webhooks/tail": "Webhooks",
      providers: "Providers",
      rules: "Rules",
      "rules/lists": "Rules",
      keys: "API keys",
      members: "Members",
      audit: "Audit log"
    }
    await visiting(jwtOf("org-admin"), async (page) => {
      await open(page, "#/")
      const now = /^Available at the end of each day in KES, now 1,500\.00$/
      await page.getByRole("img", { name: now }).locator("canvas").waitFor()
      for (const [path, title] of Object.entries(pages)) {
        await walkTo(page, path, title)
        await looksRight(page, path)
      }
      await walkTo(page, `webhooks/deliveries/${made.delivery}`, /^[a-z_]+\.[a-z_]+$/)
      await page.getByText("Headers of the request").first().click()
      const headers = page.getByRole("region", { name: "Headers of attempt 1" })
      expect(await headers.innerText()).toMatch(/^webhook-timestamp: \d{10}\nwebhook-signature: v1,\S{44}$/m)
      await looksRight(page, "a delivery's headers")
      await walkTo(page, "providers", "Providers")
      await page.getByLabel("Kind").selectOption("Payout")
      await page.getByLabel("Beneficiary").selectOption("Ada Okafor, mobile money in KES")
      await page.getByRole("button", { name: "Show the route" }).click()
      await page.getByText("Tried first").waitFor()
    })
    const adminPages = {
      "": "Overview",
      queue: "Operations",
      rules: "Rules",
      kyb: "KYB",
      rates: "Rates and fees",
      "providers/setup": "Providers",
      "providers/configs": "Providers"
    }
    await visiting(sandbox.admin.jwt, async (page) => {
      await open(page, "#/")
      const icons = await page.evaluate<ReadonlyArray<string>>(
        "[...document.querySelectorAll('nav[aria-label=Console] path')].map((one) => one.getAttribute('d'))"
      )
      expect(icons.length).toBeGreaterThan(10)
      expect(new Set(icons).size, "entries of the menu have icons of their own").toBe(icons.length)
      for (const [path, title] of Object.entries(adminPages)) {
        await walkTo(page, path, title)
        await looksRight(page, `admin's ${path}`)
      }
      await page.getByLabel("Organisation").selectOption(acme.name)
      await walkTo(page, "providers/configs", "Providers")
      await page.getByRole("cell", { name: "All organisations" }).first().waitFor()
      await page.getByLabel("Organisation").selectOption("All organisations")
      await walkTo(page, "keys", "API keys")
      for (const { name } of sandbox.orgs) await page.getByRole("cell", { name }).first().waitFor()
      await walkTo(page, "providers/health", "Providers")
      await page.locator(".health-card").first().waitFor()
      await looksRight(page, "admin's health")
    })
  })

  it("creates, changes and deletes a beneficiary, and changes the organisation, which its audit trail shows", async () => {
    await corridor.beneficiaries.create({ payload: { ...kenyanPhone(), fname: "محمد", lname: "12" } as never })
    await visiting(jwtOf("org-admin"), async (page) => {
      const dialog = page.getByRole("dialog")
      await open(page, "#/beneficiaries")
      await page.getByRole("button", { name: "Create beneficiary" }).click()
      await dialog.getByLabel("Paid by").selectOption("Bank")
      await dialog.getByLabel("First name").fill("Lena")
      await dialog.getByLabel("Last name").fill("Vogt")
      await dialog.getByLabel("Country").fill("de")
      await dialog.getByLabel("Currency").fill("eur")
      await dialog.getByLabel("Account number or IBAN").fill("DE89370400440532013000")
      await looksRight(page, "a new beneficiary")
      await dialog.getByRole("button", { name: "Create beneficiary" }).click()
      await page.getByRole("link", { name: "Lena Vogt" }).click()
      await page.getByText("DE89370400440532013000").waitFor()
      await page.getByRole("button", { name: "Change" }).click()
      await dialog.getByLabel("Last name").fill("Vogt-Ada")
      await dialog.getByRole("button", { name: "Save" }).click()
      await page.getByRole("heading", { name: "Lena Vogt-Ada" }).waitFor()
      await page.getByRole("button", { name: "Delete" }).click()
      await dialog.getByRole("button", { name: "Delete the beneficiary" }).click()
      await page.getByRole("heading", { name: "Beneficiaries" }).waitFor()

      await page.getByRole("link", { name: "محمد 12" }).click()
      await page.getByRole("button", { name: "Delete" }).click()
      expect(await dialog.getByRole("heading").innerText(), "a name of the other direction").toBe(
        "Delete \u2068محمد 12\u2069"
      )
      await page.keyboard.press("Escape")

      await walkTo(page, "organization", "Organisation")
      await page.getByRole("button", { name: "Change" }).click()
      expect(await dialog.getByLabel("Features").count()).toBe(0)
      await dialog.getByLabel("E-mail").fill("books@acme.example")
      await dialog.getByRole("button", { name: "Save" }).click()
      await page.getByText("books@acme.example").waitFor()

      await walkTo(page, "members", "Members")
      const boss = acme.users.find(({ role }) => role === "org-admin")!.email
      await page.getByRole("link", { name: `Audit trail of ${boss}` }).click()
      await page.getByRole("button", { name: `Only ${boss}` }).waitFor()
      const authors = page.locator("td[data-name=Who]")
      await authors.first().waitFor()
      expect(new Set(await authors.allInnerTexts())).toEqual(new Set([boss]))
      await page.getByLabel("Until").fill("2020-01-01")
      await page.keyboard.press("Tab")
      await page.getByText("No changes match these filters.").waitFor()
      await looksRight(page, "an audit trail")
      await page.getByRole("button", { name: `Only ${boss}` }).click()
      expect(await page.evaluate("document.activeElement.tagName")).toBe("H1")
      expect(await page.getByLabel("Until").inputValue()).toBe("2020-01-01")
    })
    expect((await corridor.organizations.get({ path: { org_id: acme.org_id } })).data.email).toBe("books@acme.example")
  })

  it("draws an endpoint's deliveries, and sends the failed ones since a time again", async () => {
    const { data } = await corridor.webhooks.create({ payload: { endpoint_url: "http://127.0.0.1:9/since" } })
    const path = { webhook_id: data.webhook_id }
    await completed(await initiate(byPhone()))
    await until("a delivery died", async () => {
      const dead = await corridor.webhookLog.deliveries({ urlParams: { status: "dead", ...path } })
      return dead.data[0]
    })
    await visiting(jwtOf("org-admin"), async (page) => {
      await open(page, `#/webhooks/endpoints/${data.webhook_id}`)
      await page.getByRole("img", { name: /^Deliveries by hour: 0 delivered, [1-9]\d* failed/ }).waitFor()
      await page.getByText("95th percentile").waitFor()
      expect(await page.locator(".u-legend .u-value").allInnerTexts()).not.toContain("--")
      await page.getByLabel("Period").selectOption("30 days")
      await page.getByRole("img", { name: /^Deliveries by day/ }).waitFor()
      await page.getByRole("button", { name: "Send again since" }).click()
      await page.getByRole("dialog").getByLabel("Since").fill("2026-01-01T00:00")
      await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click()
      await page.getByText("Deliveries queued", { exact: true }).waitFor()
    })
    await corridor.webhooks.remove({ path })
  })

  it("shows figures to a member with “reports”, with sums of twelve digits, and offers no action", async () => {
    const member = acme.users.find(({ role }) => role === "member")!
    const path = { org_id: acme.org_id, user_id: member.user_id }
    await corridor.members.grant({ path, payload: { permission: "reports" } })
    await initiate(byPhone())
    await visiting(member.jwt, async (page) => {
      await page.route(/\/organizations\/[^/]+\/trends/, async (route) => {
        const text = await (await route.fetch()).text()
        const body = text.replace(/("totals":.*?"volume":)\[.*?\]/, '$1[{"currency":"KES","amount":999999999999.99}]')
        return route.fulfill({ contentType: "application/json", body })
      })
      await page.route(/\/v1\/transactions\?/, async (route) => {
        const text = await (await route.fetch()).text()
        const body = text.replace(/("amount":)[\d.]+/g, "$1999999999999.99")
        return route.fulfill({ contentType: "application/json", body })
      })
      await open(page, "#/")
      await page.locator(".figure-value").getByText("999,999,999,999.99").waitFor()
      await page.locator("td .money").getByText("999,999,999,999.99").first().waitFor()
      await page.getByRole("heading", { name: "Balances" }).waitFor()
      await looksRight(page, "figures of twelve digits")
      await inBothSizes(page, async (width) => {
        const cut =
          "[...document.querySelectorAll('.figure, .table-frame')].filter((one) => one.scrollWidth > one.clientWidth).length"
        expect(await page.evaluate(cut), String(width)).toBe(0)
      })
      expect(await page.getByRole("link", { name: "Operations" }).count()).toBe(0)
      expect(await page.getByRole("link", { name: "Payment links" }).count()).toBe(0)
    })
    await corridor.members.revoke({ path: { ...path, permission: "reports" } })
  })

  it("offers all options of a long list, and filters them by typed words", async () => {
    await corridor.beneficiaries.create({ payload: kenyanPhone() as never })
    await visiting(jwtOf("org-admin"), async (page) => {
      // Two pages; the second has the searched item.
      await page.route(/\/v1\/beneficiaries\?/, async (route) => {
        const second = new URL(route.request().url()).searchParams.has("last_evaluated_key")
        const body = await (await route.fetch({ url: `${server.url}/v1/beneficiaries?limit=1` })).json()
        const named = (n: number) => ({ ...body.data[0], beneficiary_id: `b-${n}`, fname: `No ${n}`, lname: "Bello" })
        const data = second ? [named(101)] : Array.from({ length: 100 }, (_one, n) => named(n + 1))
        const key = second ? null : "more"
        const meta = { count: data.length, has_more: !second, last_evaluated_key: key }
        return route.fulfill({ json: { ...body, data, meta, last_evaluated_key: key } })
      })
      await open(page, "#/providers")
      await page.getByLabel("Kind").selectOption("Payout")
      await page.getByRole("status").filter({ hasText: "101 of 101" }).waitFor()
      await page.getByRole("searchbox", { name: "Filter: Beneficiary" }).fill("bello 101")
      await page.getByRole("status").filter({ hasText: "1 of 101" }).waitFor()
      await page.keyboard.press("Enter")
      expect(await page.evaluate("[document.activeElement.name, document.activeElement.value]")).toEqual([
        "beneficiary_id",
        "b-101"
      ])
      await looksRight(page, "a long list to choose from")
    })
  })

  it("follows a payment from the API to its refund", async () => {
    const payment_id = await initiate({ ...byPhone(), client_reference: "order-77" })
    await completed(payment_id)
    await visiting(
      undefined,
      async (page) => {
        await page.goto(`${server.url}/console`)
        await page.getByLabel("API key").check()
        await page.getByRole("textbox", { name: "API key" }).fill(`${acme.api_key}x`)
        await page.keyboard.press("Enter")
        await page.getByText("Sign-in failed").waitFor()
        await page.getByRole("textbox", { name: "API key" }).fill(acme.api_key)
        await page.keyboard.press("Enter")
        await page.getByRole("link", { name: "Payments", exact: true }).click()
        await page.getByLabel("Search").fill("order-77")
        await page.keyboard.press("Enter")
        await page.getByRole("link", { name: "order-77" }).click()
        await page.getByRole("heading", { name: "order-77" }).waitFor()
        const drawn = await page.locator(".track svg").getAttribute("aria-label")
        expect(drawn).toContain("Status: Initiated, Processing, Completed")
        expect(drawn).toContain("Built-in fiat rail: Accepted after")
        await page.getByText("1,500.00 KES are on your balance.").waitFor()

        await page.getByRole("button", { name: "Refund" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Amount in KES").fill("2000")
        await dialog.getByRole("button", { name: "Refund" }).click()
        await dialog.getByRole("alert").waitFor()
        await dialog.getByLabel("Amount in KES").fill("500.50")
        await dialog.getByLabel("Reason").fill("One cup was broken")
        await dialog.getByRole("button", { name: "Refund" }).click()
        const now = "1,500.00 KES were credited to your balance. Of these, 500.50 KES were refunded."
        await page.getByText(now).waitFor()
        await page.getByRole("cell", { name: "One cup was broken" }).waitFor()
        await looksRight(page, "a refund with its reason")

        const kept = await page.evaluate<string>(
          "[document.cookie, location.href, JSON.stringify(localStorage)].join()"
        )
        expect(kept).not.toContain(acme.api_key.slice(8))
      },
      [401, 409]
    )
    const { refunded_amount, refunds } = await corridor.payments.byId({ path: { payment_id } })
    expect(refunded_amount).toBe(500.5)
    expect(refunds.map(({ reason }) => reason)).toEqual(["One cup was broken"])
  })

  it("draws disputes at their time, and names the endpoint of the worst webhook", async () => {
    const { data } = await corridor.webhooks.create({ payload: { endpoint_url: "http://127.0.0.1:9/worst" } })
    // The wallet is not the phone of the payer's details.
    const payment_id = await initiate(byPhone("+254712340008"))
    await completed(payment_id)
    await visiting(jwtOf("staff"), async (page) => {
      await page.route(/\/v1\/payments\/[^/]+$/, async (route) => {
        const text = await (await route.fetch()).text()
        const body = text.replace('"status":"completed"', '"status":"refunded"')
        return route.fulfill({ contentType: "application/json", body })
      })
      await page.route(/\/timeline$/, async (route) => {
        const body = await (await route.fetch()).json()
        const [first] = body.data.items
        const after = (millis: number) => new Date(Date.parse(first.at) + millis).toISOString()
        const movement = { kind: "movement", provider: "stripe", amount: 1500.5, currency: "KES", state: "settled" }
        const delivery = { kind: "delivery", webhook_id: data.webhook_id, event_type: "payment.completed", attempts: 1 }
        const items = [
          first,
          { ...delivery, at: after(1000), delivery_id: "d-1", status: "dead", last_error: "refused" },
          { ...delivery, at: after(2000), delivery_id: "d-2", status: "delivered", last_error: null },
          { ...movement, at: after(86_400_000), movement: "reversal", movement_id: "dp_1" },
          { ...movement, at: after(172_800_000), movement: "reinstatement", movement_id: "dp_2" },
          { ...delivery, at: after(172_900_000), delivery_id: "d-3", status: "pending", last_error: null }
        ]
        return route.fulfill({ json: { ...body, data: { ...body.data, items } } })
      })
      await open(page, `#/payments/${payment_id}`)
      await page.locator(".lane-outcome", { hasText: "dead at 127.0.0.1:9/worst" }).waitFor()
      const drawn = await page.locator(".track svg").getAttribute("aria-label")
      expect(drawn).toContain("Disputes: Reversal of 1,500.5 KES, Reinstatement of 1,500.5 KES")
      await page.getByText("Taken back. The provider returned 1,500.00 KES to the payer.").waitFor()
      await page.getByText("+254712340008").waitFor()
      const lane = page.locator(".track svg > g").filter({ hasText: "Disputes" })
      const places = await lane.locator("circle").evaluateAll((all) => all.map((one) => Number(one.getAttribute("cx"))))
      const sent = page.locator(".track svg > g").filter({ hasText: "Webhooks sent" }).locator("circle")
      const [delivered, pending, dead] = await sent.evaluateAll((all) =>
        all.map((one) => Number(one.getAttribute("cx")))
      )
      expect([dead!, delivered!, ...places, pending!]).toEqual(
        [dead!, delivered!, ...places, pending!].toSorted((a, b) => a - b)
      )
      await looksRight(page, "a payment with disputes")
    })
    await corridor.webhooks.remove({ path: { webhook_id: data.webhook_id } })
  })

  it("creates a payment link with branding, and its page has it", async () => {
    const org_id = acme.org_id
    await visiting(jwtOf("staff"), async (page) => {
      await open(page, "#/links")
      await page.getByRole("button", { name: "Create link" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.waitFor()
      expect(await page.evaluate("document.activeElement.name")).toBe(
        await dialog.locator("form :is(input, select, textarea)").first().getAttribute("name")
      )
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Create link")
      for (let n = 0; n < 20; n++) {
        await page.keyboard.press("Enter")
        await dialog.waitFor()
        await page.keyboard.press("Escape")
        await dialog.waitFor({ state: "detached" })
      }
      await page.keyboard.press("Enter")
      await dialog.getByLabel("Description").fill("Row F, seat 12")
      await dialog.getByLabel("How much").fill("1500")
      await dialog.getByLabel("Your reference").fill("seat-12")
      await dialog.getByLabel("Return URL").fill("https://shop.example/thanks")
      await dialog.getByText("Branding").click()
      await dialog.getByLabel("Name").fill("Acme Shop")
      await dialog.getByLabel("Button colour").fill("green")
      const picture = (buffer: Buffer) => ({ name: "logo.png", mimeType: "image/png", buffer })
      await dialog.getByLabel("Logo").setInputFiles(picture(Buffer.alloc(70_000)))
      await dialog.getByText("the limit is 64 KB").waitFor()
      await dialog.getByLabel("Logo").setInputFiles(picture(pngOf(120, 40, [11, 110, 79])))
      await dialog.getByAltText("The logo that was chosen").waitFor()
      await dialog.getByText("Branding").click()
      await dialog.getByRole("button", { name: "Create link" }).click()
      // Invalid input opens the folded section.
      await dialog.getByLabel("Button colour").fill("#0B6E4F")
      await looksRight(page, "a new link")
      await dialog.getByRole("button", { name: "Create link" }).click()
      await page.getByText("Row F, seat 12").waitFor()
    })
    const { data } = await corridor.paymentLinks.list({ path: { org_id } })
    expect(data[0]).toMatchObject({
      ...{ client_reference: "seat-12", return_url: "https://shop.example/thanks", description: "Row F, seat 12" },
      brand: { name: "Acme Shop", color: "#0b6e4f", logo_url: `${data[0]!.url}/logo` }
    })
  })

  it("lets a platform admin settle a payment by hand, audited in their name", async () => {
    const platform = createCorridor({ url: server.url, token: sandbox.admin.jwt })
    const corridorOf = {
      country: CountryCode.make("KE"),
      payment_method: "bank_transfer",
      direction: "inbound"
    } as const
    await platform.providerConfigs.create({
      payload: { ...corridorOf, provider: "manual", priority: 1, org_id: acme.org_id }
    })
    const payment_id = await initiate(byBank())
    await visiting(sandbox.admin.jwt, async (page) => {
      await open(page, `#/payments/${payment_id}`)
      await page.getByRole("button", { name: "It went through" }).click()
      await page.getByLabel("Reason").fill("Seen on the statement")
      await page.getByRole("button", { name: "Settle as completed" }).click()
      await page.getByText("1,500.00 KES are on your balance.").waitFor()
    })
    const { data } = await platform.auditLog.list({ urlParams: { action: "payment.resolved" } })
    expect(data[0]).toMatchObject({ actor_type: "user", actor_id: sandbox.admin.user_id, subject_id: payment_id })
    await expect(
      corridor.resolutions.resolve({ path: { payment_id }, payload: { outcome: "failed", reason: "No" } })
    ).rejects.toMatchObject({ status: 403 })
    await expect(
      platform.resolutions.giveBack({ path: { payment_id }, payload: { reason: "No" } })
    ).rejects.toMatchObject({ status: 409 })
  })

  it("lets an org-admin create a rule, try it, switch it on, and block a phone number", async () => {
    const path = { org_id: acme.org_id }
    await initiate(byPhone("+254799000333"))
    await initiate(byPhone("+254799000333"))
    const rules = async () => (await corridor.rules.list({ path })).data.filter(({ name }) => name === "one-a-day")
    await visiting(jwtOf("org-admin"), async (page) => {
      const dialog = page.getByRole("dialog")
      await open(page, "#/rules")
      await page.getByRole("button", { name: "Create rule" }).click()
      await dialog.getByLabel("Name").fill("one-a-day")
      await dialog.getByLabel("Most payments").fill("1")
      await looksRight(page, "a new rule")
      await dialog.getByRole("button", { name: "Create rule" }).click()
      await page.getByRole("cell", { name: "one-a-day", exact: true }).waitFor()
      expect(await rules()).toMatchObject([
        { subject: "phone", max_count: 1, window_seconds: 86_400, is_active: false }
      ])
      await page.getByRole("button", { name: "Try one-a-day" }).click()
      await dialog.getByText(/^\d+ of \d+ payments would have been over the limit/).waitFor()
      expect(await dialog.getByRole("row").count()).toBeGreaterThan(1)
      await looksRight(page, "a rule that is tried")
      await dialog.getByRole("button", { name: "Close" }).click()
      await page.getByRole("button", { name: "Switch on one-a-day" }).click()
      await dialog.getByRole("button", { name: "Switch on" }).click()
      await page.getByRole("button", { name: "Switch off one-a-day" }).waitFor()
      expect(await rules()).toMatchObject([{ max_count: 1, is_active: true }])
      await page.getByRole("button", { name: "Remove one-a-day" }).click()
      await dialog.getByRole("button", { name: "Remove the rule" }).click()
      await page.getByRole("cell", { name: "one-a-day", exact: true }).waitFor({ state: "detached" })
      await walkTo(page, "rules/lists", "Rules")
      await page.getByRole("button", { name: "Add to a list" }).click()
      await dialog.getByLabel("Value", { exact: true }).fill("+254 799 000 444")
      await dialog.getByRole("button", { name: "Add to a list" }).click()
      await page.getByRole("cell", { name: "+254799000444", exact: true }).waitFor()
      await looksRight(page, "lists")
    })
    await expect(initiate(byPhone("+254799000444"))).rejects.toMatchObject({ status: 409 })
  })

  it("lets a platform admin approve a KYB application, with its documents in sight", async () => {
    const platform = createCorridor({ url: server.url, token: sandbox.admin.jwt })
    const { org_id } = sandbox.orgs[1]!
    const document = { type: "registration", name: "Certificate", url: "https://files.example/c.pdf" } as const
    const { data } = await platform.kyb.initiate({ path: { org_id }, payload: { documents: [document] } })
    await visiting(sandbox.admin.jwt, async (page) => {
      await open(page, "#/kyb")
      await page.getByRole("link", { name: sandbox.orgs[1]!.name }).click()
      const link = page.getByRole("link", { name: "Certificate" })
      expect(await link.getAttribute("href")).toBe(document.url)
      await looksRight(page, "a KYB application")
      await page.getByRole("button", { name: "Approve" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click()
      await page.getByText("Approval saved").waitFor()
    })
    const path = { kyb_customer_id: String(data.kyb_customer_id) }
    expect((await platform.kyb.get({ path })).data).toMatchObject({
      kyb_status: "approved",
      decided_by: sandbox.admin.user_id
    })
  })

  it("lets a second person reject a payment in review, with a reason", async () => {
    const platform = createCorridor({ url: server.url, token: sandbox.admin.jwt })
    const path = { org_id: acme.org_id }
    await platform.organizations.change({ path, payload: { review_threshold: 1000 } })
    const payment_id = await initiate(byPhone())
    await platform.organizations.change({ path, payload: { review_threshold: null } })
    await visiting(jwtOf("staff"), async (page) => {
      await open(page, `#/payments/${payment_id}`)
      await page.getByRole("button", { name: "Reject" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Reason").fill("Nobody knows this payer")
      await dialog.getByRole("button", { name: "Reject the payment" }).click()
      await page.getByText("Nobody knows this payer").first().waitFor()
    })
    expect(await corridor.payments.byId({ path: { payment_id } })).toMatchObject({ status: "rejected" })
  })

  it("resends a dead letter with its original id", async () => {
    const received: Array<string> = []
    let isThere = false
    const receiver = createServer((request, response) => {
      if (isThere) received.push(String(request.headers["x-service-event-id"]))
      response.writeHead(isThere ? 200 : 500).end()
    })
    const port = await freePort()
    await new Promise<void>((resolve) => receiver.listen(port, "127.0.0.1", resolve))
    try {
      const { data: endpoint } = await corridor.webhooks.create({
        payload: { endpoint_url: `http://127.0.0.1:${port}/hooks`, events: ["payment.completed"] }
      })
      const { webhook_id } = endpoint
      await completed(await initiate(byPhone()))
      const dead = await until("the delivery died", async () => {
        const { data } = await corridor.webhookLog.deliveries({ urlParams: { status: "dead", webhook_id } })
        return data[0]
      })
      isThere = true
      await visiting(jwtOf("org-admin"), async (page) => {
        await open(page, `#/webhooks/deliveries/${dead.delivery_id}`)
        await page.getByRole("button", { name: "Send again" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click()
        await page.locator("main").getByText("Delivered", { exact: true }).first().waitFor()
      })
      expect(received).toEqual([dead.event_id])
      await corridor.webhooks.remove({ path: { webhook_id } })
    } finally {
      receiver.close()
    }
  })

  it("accepts an invitation by pasted text of the e-mail", async () => {
    const other = createCorridor({ url: server.url, apiKey: sandbox.orgs[1]!.api_key })
    const invited = acme.users.find(({ role }) => role === "member")!
    const path = { org_id: sandbox.orgs[1]!.org_id }
    await other.invitations.invite({ path, payload: { email: invited.email, role: "staff" } as never })
    const [line] = await withSql(databaseOf(dataDir), async (sql) => {
      const { rows } = await sql.query<{ text: string }>("select text from notifications where kind = 'invitation'")
      return rows.flatMap(({ text }) => text.split("\n").filter((one) => one.startsWith("POST ")))
    })
    await visiting(
      undefined,
      async (page) => {
        await page.goto(`${server.url}/console`)
        await page.getByRole("link", { name: "Accept an invitation" }).click()
        await page.getByLabel("Invitation").fill("nothing-like-it")
        await page.getByLabel("Token").fill(invited.jwt)
        await page.keyboard.press("Enter")
        await page.getByText("Not found").waitFor()
        await looksRight(page, "an invitation")
        await page.getByLabel("Invitation").fill(line!)
        await page.keyboard.press("Enter")
        await page.getByText("Invitation accepted. Sign in with a token for the organisation.").waitFor()
      },
      [404]
    )
    const { data } = await other.members.list({ path })
    expect(data).toContainEqual(expect.objectContaining({ user_id: invited.user_id, role: "staff" }))
  })

  it("says that an organisation has no payments yet", async () => {
    const staff = sandbox.orgs[1]!.users.find(({ role }) => role === "staff")!
    await visiting(staff.jwt, async (page) => {
      await open(page, "#/")
      await page.getByText("No payments in the last 30 days").waitFor()
      await page.getByText("No payments yet").waitFor()
      await looksRight(page, "an overview without payments")
      const [above, below] = [page.locator("main .card").first(), page.locator("main .columns .card").first()]
      const [one, other] = [await above.boundingBox(), await below.boundingBox()]
      expect(other!.y - (one!.y + one!.height), "cards do not touch").toBeGreaterThan(8)
      await walkTo(page, "payments", "Payments")
      await page.getByText("No payments yet").waitFor()
    })
  })

  it("hides what the role does not allow, and says so on the page itself", async () => {
    const payment_id = await initiate(byPhone())
    await completed(payment_id)
    await visiting(
      jwtOf("member"),
      async (page) => {
        await open(page, `#/payments/${payment_id}`)
        await page.getByText("are on your balance").waitFor()
        expect(await page.getByRole("button", { name: "Refund" }).count()).toBe(0)
        expect(await page.getByRole("link", { name: "API keys" }).count()).toBe(0)
        await page.evaluate('location.hash = "#/keys"')
        await page.getByText("Your role does not allow this").waitFor()
        expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0)
        await walkTo(page, "providers/configs", "Providers")
        await page.getByText("Describe a payment").waitFor()
      },
      [403]
    )
  })
})
