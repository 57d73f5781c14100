/** Files of the API reference as the service sends them: page, script and style. */
import { createHash } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/Send.ts"
import { onServer, TestServer } from "../support/TestServer.ts"

const SCRIPT = "/docs/reference.js"
const STYLE = "/docs/reference.css"

onServer("The API reference", "memory", { variables: { PUBLIC_URL: "https://pay.example.com/corridor" } }, (it) => {
  it.effect("is a page at /docs that loads nothing from elsewhere", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* send("/docs")
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff"
      })
      expect(String(headers["content-security-policy"]).split("; ")).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'"
      ])
      expect(text.match(/<script[^>]*>[^<]*/g)).toEqual(['<script type="module" src="docs/reference.js">'])
      const loaded = Array.from(
        text.matchAll(/<(?:link(?! rel="alternate")|script|img|iframe)[^>]* (?:href|src)="([^"]*)"/g),
        ([, url]) => url
      )
      expect(loaded.filter((url) => !url!.startsWith("data:"))).toEqual(["docs/reference.css", "docs/reference.js"])
      expect(text).not.toMatch(/<style| style="| on[a-z]+="/)
    })
  )

  it.effect("shows the address of this server in its samples, and its files name no other", () =>
    Effect.gen(function* () {
      const { text } = yield* send("/docs")
      expect(text).toContain("https://pay.example.com/corridor/v1/payments-init/initiate")
      expect(text).not.toContain("address.invalid")
      const files = [yield* send(SCRIPT), yield* send(STYLE)]
      const elsewhere = files.flatMap((file) => file.text.match(/https?:\/\/[^"'`\s)|]+/g) ?? [])
      expect(elsewhere.filter((url) => !url.startsWith("http://www.w3.org/"))).toEqual([])
    })
  )

  it.effect("is Markdown at /docs.md, with every operation once and samples for this server", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* send("/docs.md")
      expect([status, headers["content-type"]]).toEqual([200, "text/markdown; charset=utf-8"])
      const { paths } = JSON.parse((yield* send("/openapi.json")).text) as {
        readonly paths: Readonly<Record<string, object>>
      }
      const declared = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} /v1${path}`)
      )
      const shown = Array.from(text.matchAll(/^`([A-Z]+ \/v1\S+)`$/gm), ([, operation]) => operation)
      expect(shown.toSorted()).toEqual(declared.toSorted())
      expect(text).toMatch(/^# \S/)
      expect(text).toContain("https://pay.example.com/corridor/v1/payments-init/initiate")
      expect(text).not.toContain("address.invalid")
      expect(text).toContain("(./docs/guides.md)")
      expect((yield* send("/docs")).text).toContain('<link rel="alternate" type="text/markdown" href="docs.md" />')
    })
  )

  it.effect("links to the OpenAPI document", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* TestServer
      const { text } = yield* send("/docs")
      const href = /<a href="([^"]*)" download="openapi.json">/.exec(text)?.[1] ?? ""
      expect(new URL(href, `${baseUrl}/docs`).href).toBe(`${baseUrl}/openapi.json`)
    })
  )

  it.effect("sends its script compressed to clients that accept it", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* TestServer
      const asked = (encoding: string) =>
        Effect.promise(() => fetch(`${baseUrl}${SCRIPT}`, { headers: { "accept-encoding": encoding } }))
      const plain = yield* asked("identity")
      const script = Buffer.from(yield* Effect.promise(() => plain.arrayBuffer()))
      expect(plain.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
      expect(plain.headers.get("content-encoding")).toBeNull()
      expect(plain.headers.get("vary")).toBe("Accept-Encoding, Origin")
      expect(plain.headers.get("etag")).toBe(`"${createHash("sha256").update(script).digest("base64url")}"`)
      expect(script.includes("Test request")).toBe(true)

      const packed = yield* asked("br, gzip;q=0.8")
      expect(packed.headers.get("content-encoding")).toBe("gzip")
      expect(Number(packed.headers.get("content-length"))).toBeLessThan(Math.min(script.length / 2, 10_000))
      expect(packed.headers.get("etag")).not.toBe(plain.headers.get("etag"))
      const unpacked = Buffer.from(yield* Effect.promise(() => packed.arrayBuffer()))
      expect(unpacked.equals(script)).toBe(true)

      const refused = yield* asked("gzip;q=0")
      expect(refused.headers.get("content-encoding")).toBeNull()
    })
  )

  it.effect("sends its style", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* send(STYLE)
      expect([status, headers["content-type"], headers["x-content-type-options"]]).toEqual([
        200,
        "text/css; charset=utf-8",
        "nosniff"
      ])
      expect(text).toContain("color-scheme:light dark")
    })
  )

  it.effect("sends its script once to a browser that caches it", () =>
    Effect.gen(function* () {
      const { headers } = yield* send(SCRIPT)
      expect(headers["cache-control"]).toBe("no-cache")
      const again = yield* send(SCRIPT, { headers: { "if-none-match": `W/"other", ${headers["etag"]}` } })
      expect([again.status, again.text, again.headers["etag"]]).toEqual([304, "", headers["etag"]])
      expect(again.headers).not.toHaveProperty("content-length")
      const changed = yield* send(SCRIPT, { headers: { "if-none-match": '"of another release"' } })
      expect(changed.status).toBe(200)
    })
  )
})
