/** Sign-in to the console at a real OpenID Connect provider, in Chromium, on a built server. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createCorridor } from "../../src/client/PromiseClient.ts"
import { freePort } from "../bench/FreePort.ts"
import {
  databaseOf,
  discard,
  newDataDir,
  type RealServer,
  startServer,
  withSql
} from "../payments/support/RealServer.ts"
import { breaches } from "../support/Axe.ts"
import { chromiumNeeded, chromiumPath, desktop, inBothSizes, launchChromium, overflowOf } from "../support/Chromium.ts"
import { audience, consoleClient, type IdentityProvider, startIdentityProvider } from "../support/IdentityProvider.ts"

interface Sandbox {
  readonly orgs: ReadonlyArray<{
    readonly org_id: string
    readonly name: string
    readonly api_key: string
    readonly users: ReadonlyArray<{ readonly user_id: string; readonly email: string; readonly role: string }>
  }>
}

describe.skipIf(chromiumPath === undefined)(`Sign-in at an identity provider (${chromiumNeeded})`, () => {
  const dataDir = newDataDir()
  let provider: IdentityProvider
  let server: RealServer
  let browser: Browser
  let acme: Sandbox["orgs"][number]
  let admin: Sandbox["orgs"][number]["users"][number]

  beforeAll(async () => {
    const port = await freePort()
    provider = await startIdentityProvider(`http://127.0.0.1:${port}/console`)
    const settings = {
      JWT_ISSUER: provider.issuer,
      JWT_AUDIENCE: audience,
      JWT_JWKS_URL: `${provider.issuer}/jwks`,
      CONSOLE_CLIENT_ID: consoleClient
    }
    ;[server, browser] = await Promise.all([startServer(dataDir, port, settings), launchChromium()])
    const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Sandbox
    acme = sandbox.orgs[0]!
    admin = acme.users.find(({ role }) => role === "org-admin")!
    for (const { email, user_id } of acme.users) {
      provider.people.set(user_id, { org_id: acme.org_id, email, email_verified: true })
    }
  }, 120_000)

  afterAll(async () => {
    await browser.close()
    await server.stop()
    await provider.stop()
    discard(dataDir)
  })

  /** Allows requests to this server and to the provider only, and no complaint but expected refusals. */
  const visiting = async (use: (page: Page) => Promise<void>, refusals: ReadonlyArray<number> = []): Promise<void> => {
    const context: BrowserContext = await browser.newContext({ viewport: desktop })
    const complaints: Array<string> = []
    const strangers: Array<string> = []
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url())
      if (protocol !== "data:" && origin !== server.url && origin !== provider.issuer) strangers.push(request.url())
    })
    try {
      await use(page)
      expect(complaints).toEqual(refusals.map((status) => expect.stringContaining(`status of ${status} `)))
      expect(strangers).toEqual([])
    } finally {
      await context.close()
    }
  }

  const headingOf = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true })

  const looksRight = (page: Page, name: string): Promise<void> =>
    inBothSizes(page, async (width) => {
      expect(await overflowOf(page), `${name} at ${width}`).toBe(0)
      expect(await breaches(page, width), `${name} at ${width}`).toEqual([])
    })

  const atProvider = async (page: Page, sub: string): Promise<void> => {
    await headingOf(page, "Identity provider").waitFor()
    await page.getByLabel("Name").fill(sub)
    await page.getByRole("button", { name: "Continue" }).click()
  }

  const signInAs = async (page: Page, sub: string, hash = ""): Promise<void> => {
    await page.goto(`${server.url}/console${hash}`)
    await page.getByRole("button", { name: "Sign in", exact: true }).first().click()
    await atProvider(page, sub)
  }

  const storage = (page: Page) => page.evaluate<Readonly<Record<string, string>>>("({ ...sessionStorage })")

  const changeTokens = (page: Page, change: object): Promise<void> =>
    page.evaluate(`{
      const tokens = JSON.parse(sessionStorage.getItem("corridor.tokens"))
      sessionStorage.setItem("corridor.tokens", JSON.stringify({ ...tokens, ...${JSON.stringify(change)} }))
    }`)

  /** Goes to a page without a reload, as a click in the menu does. */
  const walkTo = async (page: Page, path: string, title: string): Promise<void> => {
    await page.evaluate(`location.hash = "#/${path}"`)
    await headingOf(page, title).waitFor()
    await page.locator(".skeleton").first().waitFor({ state: "detached" })
  }

  it("allows requests to the provider in its policy, and registers nothing else", async () => {
    const policy = (await fetch(`${server.url}/console`)).headers.get("content-security-policy")
    expect(policy).toContain(`connect-src 'self' ${provider.issuer};`)
    expect(policy).toContain("script-src 'self';")
  })

  it("returns to the page where the person was, with tokens in the tab only", async () => {
    await visiting(async (page) => {
      await page.goto(`${server.url}/console#/members`)
      await headingOf(page, "Sign in to the console").waitFor()
      await looksRight(page, "sign-in")
      await page.getByRole("button", { name: "Sign in", exact: true }).first().click()
      await headingOf(page, "Identity provider").waitFor()
      expect(new URL(page.url()).origin).toBe(provider.issuer)
      await atProvider(page, admin.user_id)
      await headingOf(page, "Members").waitFor()
      expect(page.url()).toBe(`${server.url}/console#/members`)
      const kept = await storage(page)
      expect(Object.keys(kept).sort()).toEqual(["corridor.credential", "corridor.tokens"])
      const { token } = JSON.parse(kept["corridor.tokens"]!) as { readonly token: string }
      const elsewhere = await page.evaluate<string>("[document.cookie, JSON.stringify(localStorage)].join()")
      expect(elsewhere).toBe(",{}")
      const answer = await fetch(`${server.url}/v1/users/me`, {
        headers: { authorization: `Bearer ${token}`, "x-api-key": "NONE" }
      })
      expect(await answer.json()).toMatchObject({ data: { user_id: admin.user_id, role: "org-admin" } })
    })
    expect(provider.requests.at(-1)).toMatchObject({
      ...{ response_type: "code", code_challenge_method: "S256", resource: audience, scope: "openid email" }
    })
  })

  it("renews the token before it ends, and once more after a refusal", async () => {
    await visiting(
      async (page) => {
        await signInAs(page, admin.user_id)
        await headingOf(page, "Overview").waitFor()
        const first = (await storage(page))["corridor.credential"]
        const before = provider.grants.filter((type) => type === "refresh_token").length
        const renewals = () => provider.grants.filter((type) => type === "refresh_token").length - before
        await walkTo(page, "members", "Members")
        expect(renewals()).toBe(0)
        await changeTokens(page, { renewAt: 0 })
        // The requests of one page share the renewal.
        await walkTo(page, "", "Overview")
        expect(renewals()).toBe(1)
        expect((await storage(page))["corridor.credential"]).not.toBe(first)

        await page.evaluate('sessionStorage.setItem("corridor.credential", "token no.longer.valid")')
        await page.reload()
        await headingOf(page, "Overview").waitFor()
        expect(renewals()).toBe(2)

        // Without a refresh token the session ends, and a click signs in again: the provider knows the person.
        await walkTo(page, "members", "Members")
        await changeTokens(page, { refreshToken: "unknown" })
        await page.evaluate('sessionStorage.setItem("corridor.credential", "token no.longer.valid")')
        await page.reload()
        await page.getByText("Your session has ended. Sign in again.").waitFor()
        await page.getByRole("button", { name: "Sign in", exact: true }).first().click()
        await headingOf(page, "Members").waitFor()
      },
      [401, 401, 400]
    )
  })

  it("signs out at the provider too", async () => {
    await visiting(async (page) => {
      await signInAs(page, admin.user_id)
      await headingOf(page, "Overview").waitFor()
      await page.getByRole("button", { name: "Sign out" }).click()
      await headingOf(page, "Sign out?").waitFor()
      await page.getByRole("button", { name: "Sign out" }).click()
      await headingOf(page, "Sign in to the console").waitFor()
      expect(new URL(page.url()).origin).toBe(server.url)
      expect(await storage(page)).toEqual({})
      await page.getByRole("button", { name: "Sign in", exact: true }).first().click()
      await headingOf(page, "Identity provider").waitFor()
    })
  })

  it("refuses an answer that this tab did not ask for, and uses an answer once", async () => {
    await visiting(async (page) => {
      const wrong = "This sign-in was not started in this tab, or was used before. Sign in again."
      await page.goto(`${server.url}/console?code=stolen&state=guessed`)
      await page.getByText(wrong).waitFor()
      expect(page.url()).toBe(`${server.url}/console#/`)
      await page.goto(`${server.url}/console?error=access_denied&error_description=Call+%2B1555+now`)
      await page.getByText(wrong).waitFor()
      expect(await page.getByText("Call").count()).toBe(0)

      // A pending sign-in with another state, and an address to return to that leaves the console.
      await page.goto(`${server.url}/console`)
      const pending = { state: "a", nonce: "b", verifier: "c", returnTo: "https://evil.example/", accepts: false }
      await page.evaluate(`sessionStorage.setItem("corridor.sign-in", ${JSON.stringify(JSON.stringify(pending))})`)
      await page.goto(`${server.url}/console?code=stolen&state=other`)
      await page.getByText(wrong).waitFor()
      expect(page.url()).toBe(`${server.url}/console#/`)
      expect(await storage(page)).toEqual({})
      await looksRight(page, "a failed sign-in")
    })
  })

  it("says why the provider refused, and lets another person sign in", async () => {
    provider.people.set("stranger", { email: "stranger@example.com", email_verified: true })
    await visiting(
      async (page) => {
        await page.goto(`${server.url}/console`)
        await page.getByRole("button", { name: "Sign in", exact: true }).first().click()
        await page.getByRole("button", { name: "Refuse" }).click()
        await page.getByText("Sign-in was cancelled").waitFor()
        await page.getByRole("button", { name: "Sign in", exact: true }).first().click()
        await atProvider(page, "stranger")
        await page.getByText("You are signed in at the identity provider, but not here").waitFor()
        expect((await storage(page))["corridor.credential"]).toBeUndefined()
        await page.getByRole("button", { name: "Sign in", exact: true }).first().click()
        await atProvider(page, admin.user_id)
        await headingOf(page, "Overview").waitFor()
        expect(await page.getByText("You are signed in at the identity provider").count()).toBe(0)
      },
      [403]
    )
  })

  it("takes a pasted key as a key, in the field for tokens too", async () => {
    await visiting(
      async (page) => {
        await page.goto(`${server.url}/console`)
        await page.getByText("Use an API key or a token").click()
        await looksRight(page, "sign-in with a key")
        const field = page.getByRole("textbox", { name: "Token (JWT)" })
        await field.fill(`${acme.api_key}x`)
        await page.keyboard.press("Enter")
        await page.getByText("This is an API key. The API key is invalid").waitFor()
        await field.fill("ck_live_0123")
        await page.keyboard.press("Enter")
        await page.getByText("Keys that start with ck_live_ are for live mode.").waitFor()
        await field.fill(`X-Api-Key: ${acme.api_key}`)
        await page.keyboard.press("Enter")
        await headingOf(page, "Overview").waitFor()
        expect((await storage(page))["corridor.credential"]).toBe(`api_key ${acme.api_key}`)
        await page.getByRole("button", { name: "Sign out" }).click()
        await headingOf(page, "Sign in to the console").waitFor()
        expect(new URL(page.url()).origin).toBe(server.url)
      },
      [401, 401]
    )
  })

  it("offers no field for keys and tokens in live mode", async () => {
    await visiting(async (page) => {
      await page.route(`${server.url}/console`, async (route) => {
        const response = await route.fetch()
        const body = (await response.text()).replace("&quot;sandbox&quot;", "&quot;live&quot;")
        return route.fulfill({ response, body })
      })
      await page.goto(`${server.url}/console`)
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor()
      expect(await page.getByText("Use an API key or a token").count()).toBe(0)
      await page.getByRole("link", { name: "Accept an invitation" }).click()
      await page.getByRole("button", { name: "Sign in and accept" }).waitFor()
      expect(await page.getByText("Use a token").count()).toBe(0)
      expect(await page.getByLabel("Invitation").count()).toBe(1)
    })
  })

  it("accepts an invitation from its e-mail, and ends signed in to that organisation", async () => {
    const corridor = createCorridor({ url: server.url, apiKey: acme.api_key })
    const email = "new.colleague@example.com"
    const path = { org_id: acme.org_id }
    await corridor.invitations.invite({ path, payload: { email, role: "staff" } as never })
    const text = await withSql(databaseOf(dataDir), async (sql) => {
      const { rows } = await sql.query<{ text: string }>("select text from notifications where kind = 'invitation'")
      return rows[0]!.text
    })
    const link = /^http\S+\/console#\/invitation\/\S+$/m.exec(text)![0]
    expect(link.startsWith(`${server.url}/console#/invitation/`)).toBe(true)
    expect(text).toContain("sign in with this e-mail address")
    await visiting(
      async (page) => {
        await page.goto(link)
        await page.getByText("Sign in with the e-mail address that was invited.").waitFor()
        await looksRight(page, "an invitation")
        const accept = page.getByRole("button", { name: "Sign in and accept" })
        await accept.click()
        await atProvider(page, admin.user_id)
        await page.getByText("This invitation is for another e-mail address.").waitFor()
        expect(page.url()).toBe(link)
        // The provider names the organisation only once the token is renewed.
        provider.people.set("newcomer", { email, email_verified: true })
        provider.renewed.set("newcomer", { org_id: acme.org_id })
        await accept.click()
        await atProvider(page, "newcomer")
        await page.getByText("Invitation accepted", { exact: true }).waitFor()
        await page.locator(".user").getByText(acme.name).waitFor()
        expect(page.url()).toBe(`${server.url}/console#/`)

        await page.goto(`${server.url}/console`)
        await page.evaluate("sessionStorage.clear()")
        await page.goto(link)
        await page.reload()
        await accept.click()
        await page.getByText("This invitation has already been used.").waitFor()
      },
      [403, 403, 409]
    )
    const { data } = await corridor.members.list({ path })
    expect(data).toContainEqual(expect.objectContaining({ email, role: "staff" }))
  })
})
