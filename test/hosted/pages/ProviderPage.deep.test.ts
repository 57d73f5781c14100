/** Cards on the providers' own pages: the real server beside the fakes, and payers who go where they are sent. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { databaseOf, pay, type RealServer, until, withSql } from "../../payments/support/RealServer.ts"
import { besideFakes, booksAgree, requestTo, sandboxIn } from "../../providers/support/ServerWithFakes.ts"

/** Card number that may reach no one. */
const CANARY = "4539578763621486"
const groups = CANARY.match(/.{4}/g)!

const payer_details = { name: "Ada Lovelace", email: "ada@example.com", phone: "+4915112345678" }

const lanes = [
  { provider: "stripe", country: "DE", currency: "EUR" },
  { provider: "adyen", country: "FR", currency: "EUR" },
  { provider: "paypal", country: "NL", currency: "EUR" },
  { provider: "paystack", country: "NG", currency: "NGN" },
  { provider: "flutterwave", country: "TZ", currency: "TZS" }
]

const order = (country: string, currency: string, amount: number, about: object) => ({
  ...{ amount, target_amount: amount, currency, target_currency: currency, country },
  ...{ payment_method: "card", direction: "payin", payer_details, return_url: "https://shop.example/thanks" },
  ...about
})

const hosted = { card_entry: "hosted" }
const numbered = {
  card_details: { card_number: CANARY, expiry_month: "12", expiry_year: "2035", cvv: "123", card_holder_name: "A" }
}

/** Follows redirects like a browser, until another site or a page; `form`: what it submits first. */
const walk = async (start: string, form?: Record<string, string>) => {
  let [at, cookie, text] = [start, "", ""]
  let init: RequestInit = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }
  for (let steps = 0; steps < 12 && at.startsWith("http://127.0.0.1"); steps += 1) {
    const response = await fetch(at, { ...init, redirect: "manual", headers: cookie === "" ? {} : { cookie } })
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie
    init = {}
    text = await response.text()
    const onwards = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&")
    const next = response.headers.get("location") ?? onwards
    if (next === null || next === undefined) break
    at = new URL(next, at).href
  }
  return { at, text }
}

interface Initiated {
  readonly response: {
    readonly payment_id: string
    readonly status: string
    readonly next_action?: string
    readonly redirect_url: string
    readonly provider: string
  }
}

/** PostgreSQL removes files of its own at any time. */
const contents = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0)
    throw error
  }
}

const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? filesUnder(path) : [path]
  })

describe("a card on the provider's page", () => {
  const { begin, dataDir } = besideFakes(
    lanes.map(({ provider }) => provider),
    { LOG_LEVEL: "debug", LOG_FORMAT: "json" }
  )

  it("is paid there, however it was asked for, and no card number leaves the page", async () => {
    const { fakes, start } = await begin()
    const server: RealServer = await start()
    const { admin, org_id } = sandboxIn(dataDir)
    const key = { "x-api-key": server.apiKey }
    const configure = async (provider: string, country: string, priority: number) => {
      const config = { provider, country, payment_method: "card", direction: "inbound", priority }
      expect((await requestTo(server)("/payments/provider-configs", config, admin)).status).toBe(201)
    }
    for (const { country, provider } of lanes) await configure(provider, country, 1)
    await configure("adyen", "DE", 2)

    const initiated = async (body: object) => {
      const answer = await pay(server, body)
      expect(answer.status, await answer.clone().text()).toBe(200)
      return ((await answer.json()) as Initiated).response
    }
    const recordOf = async (id: string) => {
      const headers = { authorization: "NONE", ...key }
      return (await (await fetch(`${server.url}/v1/payments/${id}`, { headers })).json()) as Record<string, unknown>
    }
    const untilStatus = (id: string, status: string) =>
      until(`${id} is ${status}`, async () => {
        const record = await recordOf(id)
        return record["status"] === status ? record : undefined
      })

    // Each provider, without a card and with a number that is dropped.
    const paid = []
    for (const { country, currency, provider } of lanes) {
      for (const about of [hosted, numbered]) {
        const sent = await initiated(order(country, currency, 100, about))
        expect([provider, sent]).toMatchObject([provider, { provider, status: "pending", next_action: "redirect" }])
        expect((await recordOf(sent.payment_id))["card_details"]).toEqual({})
        const { at } = await walk(sent.redirect_url)
        expect([provider, at]).toMatchObject([provider, expect.stringMatching(/shop\.example|127\.0\.0\.1/)])
        await untilStatus(sent.payment_id, "completed")
        paid.push(sent.payment_id)
      }
    }

    // A refund of a payment that was made on Stripe's page.
    const refund = await requestTo(server)(`/payments-init/${paid[0]}/action`, { action: "refund", amount: 40 }, key)
    expect(refund.status, await refund.text()).toBe(200)

    // Fails a provider that opens no page, and the next one opens its own.
    const passed = await initiated(order("DE", "EUR", 100.21, numbered))
    expect(passed).toMatchObject({ provider: "adyen", next_action: "redirect" })
    await walk(passed.redirect_url)
    await untilStatus(passed.payment_id, "completed")

    // A payer who leaves the page comes back to ours, which leads there again.
    const left = await initiated(order("DE", "EUR", 70, hosted))
    const back = await walk(`${left.redirect_url}?leave`)
    expect(back.at).toContain(`${server.url}/checkout/${left.payment_id}`)
    expect(back.text).toContain("Your payment is not complete yet")
    expect(back.text).toContain(`href="${left.redirect_url}"`)
    expect(await recordOf(left.payment_id)).toMatchObject({ status: "pending" })
    await walk(left.redirect_url)
    await untilStatus(left.payment_id, "completed")

    // A payment link asks for no number, and leads to the page.
    const link = await requestTo(server)(
      `/orgs/${org_id}/payment-links`,
      { amount: 55, currency: "EUR", amount_type: "fixed", country: "DE" },
      key
    )
    const { data } = (await link.json()) as { readonly data: { readonly url: string; readonly link_id: string } }
    const form = await (await fetch(data.url)).text()
    expect(form).toContain("You enter your card on the next page")
    expect(form).not.toMatch(/name="(number|expiry|cvv)"/)
    const hidden = Object.fromEntries(
      [...form.matchAll(/name="(submission|token|rate)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
    ) as Record<string, string>
    const { email, name, phone } = payer_details
    const receipt = await walk(data.url, { method: "card", ...hidden, name, email, phone })
    expect(receipt.text).toMatch(/Payment complete|being processed/)
    await until("the link is paid", async () => {
      const found = await fetch(`${server.url}/v1/orgs/${org_id}/payment-links/${data.link_id}`, {
        headers: { authorization: "NONE", ...key }
      })
      const { status } = ((await found.json()) as { readonly data: { readonly status: string } }).data
      return status === "paid" ? status : undefined
    })

    // A payment that a reviewer approved goes on from our page, which asks for no number either.
    const limit = await requestTo(server)(`/organizations/${org_id}`, { review_threshold: 1000 }, admin, "PATCH")
    expect(limit.status, await limit.text()).toBe(200)
    const held = await initiated(order("DE", "EUR", 5_000, numbered))
    expect(held).toMatchObject({ status: "initiated", next_action: "wait" })
    const reviewed = await requestTo(server)(`/payments-init/${held.payment_id}/action`, { action: "review" }, admin)
    const approved = ((await reviewed.json()) as Initiated).response
    expect(approved).toMatchObject({ status: "pending", next_action: "redirect" })
    const page = await (await fetch(approved.redirect_url)).text()
    expect(page).not.toMatch(/name="(number|expiry|cvv)"/)
    await walk(approved.redirect_url, { action: "pay" })
    await untilStatus(held.payment_id, "completed")

    await Effect.runPromise(Effect.forEach(fakes, ({ running }) => running.settled))
    const url = databaseOf(dataDir)
    await booksAgree(url, fakes)

    // The number is with no provider, in no table, no file and no log.
    const spellings = [CANARY, groups.join(" "), groups.join("-")]
    const received = fakes.flatMap(({ running }) => running.received.map((one) => JSON.stringify(one)))
    expect(received.length).toBeGreaterThan(lanes.length)
    const found = await withSql(url, async (sql) => {
      const tables = await sql.query<{ name: string }>(
        "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'"
      )
      const rows: Array<string> = []
      for (const { name } of tables.rows) {
        const all = await sql.query<{ whole: string }>(`select row::text as whole from ${name} row`)
        rows.push(...all.rows.map(({ whole }) => whole))
      }
      await sql.query("checkpoint")
      return rows.join("\n")
    })
    expect(found).toContain("shop.example")
    const files = filesUnder(dataDir).map(contents)
    for (const text of spellings) {
      expect(
        received.some((one) => one.includes(text)),
        "providers"
      ).toBe(false)
      expect(found.includes(text), "tables").toBe(false)
      expect(server.output().includes(text), "logs").toBe(false)
      expect(
        files.some((one) => one.includes(text)),
        "files"
      ).toBe(false)
    }
    for (const text of ['"453957"', '"cvv"']) expect(found.includes(text), text).toBe(false)
  }, 180_000)
})
