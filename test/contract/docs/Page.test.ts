import { createHash } from "node:crypto"
import { OpenApi } from "@effect/platform"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { OpenApiDocument } from "../../../src/contract/docs/OpenApiDocument.ts"
import { renderReference } from "../../../src/contract/docs/Page.ts"
import { api, handmade } from "./Documents.ts"
import { tagsOf, textOf } from "./Markup.ts"

const sectionOf = (page: string, anchor: string): string =>
  new RegExp(`<section class="operation" id="${anchor}".*?</section>`, "s").exec(page)?.[0] ?? ""

describe("renderReference", () => {
  it("allows exactly its own style and nothing else to load", () => {
    const { contentSecurityPolicy, html } = renderReference(handmade)
    const style = /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? ""
    const hash = createHash("sha256").update(style).digest("base64")
    expect(style.length).toBeGreaterThan(1000)
    expect(contentSecurityPolicy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
    )
    expect(html).not.toMatch(/<script|<iframe|<img|style="|\son[a-z]+=|@import|url\(/)
  })

  it("renders what OpenApi.fromApi produces", () => {
    const { html } = renderReference(OpenApi.fromApi(api))
    const create = textOf(sectionOf(html, "op-payments.create"))
    expect(create).toContain("Create a payment POST /payments")
    expect(create).toContain("Who may call it staff and above.")
    expect(create).toContain("amount number required Source amount")
    expect(create).toMatch(/reference string at most 40 characters/)
    expect(create).toMatch(/201 .*status string One of pending completed failed/)
    expect(create).toMatch(/note string or null /)
    expect(create).toContain("payment_id string (uuid) status")
    expect(create).toContain("-H 'Authorization: NONE'")
    expect(textOf(sectionOf(html, "op-payments.read"))).toContain("'https://api.example.com/payments/'\"$PAYMENT_ID\"")
    expect(textOf(sectionOf(html, "op-health.ready"))).toContain("GET /readyz no credential")
    expect(textOf(html)).toMatch(/ Health About Health GET Readiness/)
  })

  it("opens with title, version, base URLs and the description", () => {
    const text = textOf(renderReference(handmade).html.split('class="operation"')[0] ?? "")
    for (const part of [
      "Corridor 1.0",
      "Production https://api.example.com/v1",
      "Development http://127.0.0.1:3000/v1",
      "X-Api-Key",
      "Bearer <JWT>",
      '{ "status": "error", "message": "amount: must be above zero" }',
      "last_evaluated_key"
    ])
      expect(text).toContain(part)
  })

  it("shows parameters, headers and an example for the request and every response", () => {
    const text = textOf(sectionOf(renderReference(handmade).html, "op-payments.initiate"))
    expect(text).toContain("Idempotency-Key header string optional Makes a repeated call safe. 1 to 255 characters")
    expect(text).toContain("mode query string required How to choose among providers . One of fast cheap Default fast")
    expect(text).toContain("X-Request-Id header, string Yours, if you sent one")
    expect(text).toContain('A card that isn\'t declined { "amount": 1500.00')
    expect(text).toContain("Mobile money {")
    expect(text).toContain('Response 200 { "status": "success"')
    expect(text).toContain('Response 401 { "status": "error", "message": "Credentials are missing or not valid" }')
    expect(text).toContain('Response 502 { "status": "error", "message": "Every provider declined" }')
  })

  it("marks deprecated operations and keeps operations without a tag", () => {
    const { html } = renderReference(handmade)
    expect(textOf(sectionOf(html, "op-organizations.revoke"))).toContain("Revoke a permission deprecated")
    expect(textOf(html)).toMatch(/Other About Other GET \/readyz/)
    expect(textOf(html)).not.toContain("Unused")
  })

  it.each([
    ["an HttpApi", OpenApi.fromApi(api) as OpenApiDocument],
    ["a hand-made document", handmade]
  ])("gives %s unique ids, links that lead somewhere and headings in order", (_, document) => {
    const { html } = renderReference(document)
    const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const targets = [...html.matchAll(/href="#([^"]*)"/g)].map(([, target]) => target)
    expect(targets.length).toBeGreaterThan(10)
    for (const target of targets) expect(ids).toContain(target)
    const levels = tagsOf(html)
      .filter((tag) => /^h[1-6]$/.test(tag))
      .map((tag) => Number(tag[1]))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    levels.forEach((level, index) => expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1))
  })

  it("closes every element that it opens", () => {
    const open: Array<string> = []
    for (const tag of tagsOf(renderReference(handmade).html)) {
      if (["meta", "link", "wbr"].includes(tag)) continue
      if (tag.startsWith("/")) expect(open.pop()).toBe(tag.slice(1))
      else open.push(tag)
    }
    expect(open).toEqual([])
  })

  it("keeps two operations with the same id apart", () => {
    const operation = { operationId: "same", responses: {} }
    const { html } = renderReference({ ...handmade, paths: { "/a": { get: operation }, "/b": { get: operation } } })
    expect(html).toContain('id="op-same"')
    expect(html).toContain('id="op-same-2"')
  })

  it("shows hostile text as text wherever the document holds it", () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</style><script>",
        "' onclick='x",
        "</code></pre>"
      ),
      fc.fullUnicodeString(),
      fc.tuple(fc.constantFrom("<", '"', "&", "'", "`", "]("), fc.string()).map((parts) => parts.join(""))
    )
    fc.assert(
      fc.property(hostile, (text) => {
        const schema = {
          type: text,
          format: text,
          title: text,
          description: text,
          pattern: text,
          default: text,
          enum: [text, 1]
        }
        const { html } = renderReference({
          openapi: "3.1.0",
          info: { title: text, version: text, summary: text, description: text, license: { name: text } },
          servers: [{ url: text, description: text }],
          tags: [{ name: text, description: text }],
          paths: {
            [text]: {
              post: {
                operationId: text,
                tags: [text],
                summary: text,
                description: text,
                parameters: [{ name: text, in: text, description: text, schema, example: text }],
                requestBody: {
                  description: text,
                  content: {
                    [text]: {
                      schema: { properties: { [text]: schema } },
                      examples: { [text]: { summary: text, value: text } }
                    }
                  }
                },
                responses: {
                  [text]: {
                    description: text,
                    headers: { [text]: { description: text } },
                    content: {
                      [text]: {
                        schema: { anyOf: [schema, { $ref: `#/components/schemas/${text}` }] },
                        example: { [text]: text }
                      }
                    }
                  }
                }
              }
            }
          },
          components: { schemas: { [text]: schema } }
        })
        tagsOf(html)
        expect(html).not.toMatch(/<(script|img)/i)
      }),
      { numRuns: 200 }
    )
  })
})
