/** The API reference reads the OpenAPI document: exact decimals, contents, search, schemas in words. */
import { stringify } from "lossless-json"
import { describe, expect, it } from "vitest"
import { openApiDocument } from "../../src/contract/openapi/OpenApiDocument.ts"
import type { Document } from "../../src/client/generate/OpenApiTypes.ts"
import {
  examplesOf,
  readExact,
  valueText,
  writeExact,
  alternatives,
  boundsOf,
  insideOf,
  resolved,
  typeOf
} from "../../src/reference/OpenApiModel.ts"
import { contentsOf, indexOf, isSearchKey, searchEntries } from "../../src/reference/ReferenceContents.ts"
import { renderReference } from "../../src/reference/ReferencePage.ts"

const openApi = stringify(openApiDocument("http://127.0.0.1:3000", "sandbox"))!
const document = readExact(openApi) as Document
const groups = contentsOf(document)
const entries = groups.flatMap((group) => group.entries)

describe("JSON as it is written", () => {
  it.each([
    '{"amount": 1500.00}',
    '{"amount": 0.00000001, "many": [1.50, -2.0, 3]}',
    '{"text": "1.50, \\"2.0\\" and \\\\", "after": 1.0}',
    '{"large": 12345678901234567890, "power": 1.5e-8, "none": null, "empty": ""}'
  ])("keeps %s", (text) => {
    const compact = (json: string) => json.replaceAll(/\s/g, "")
    expect(compact(writeExact(readExact(text)))).toBe(compact(text))
  })

  it("shows a single value without quotes", () => {
    const values = readExact('["KES", 1500.50, 3, null]') as ReadonlyArray<unknown>
    expect(values.map(valueText)).toEqual(["KES", "1500.50", "3", "null"])
  })

  it("refuses invalid JSON", () => expect(() => readExact('{"a": 1.5')).toThrow(SyntaxError))
})

describe("the contents", () => {
  it("have every operation, event and model, each at an address of its own", () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length
    expect(count("operation")).toBe(operations.length)
    expect(count("event")).toBe(Object.keys(document.webhooks).length)
    expect(count("schema")).toBe(Object.keys(document.components.schemas).length)
    const ids = [...groups, ...entries].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => /\s/.test(id))).toEqual([])
  })

  it("keep the introduction whole", () => {
    const [introduction] = groups
    const shown = introduction!.entries.map((entry) => (entry.kind === "text" ? entry.markdown : ""))
    const titles = introduction!.entries.map(({ title }) => `## ${title}\n`)
    const together = introduction!.description + titles.map((title, at) => title + shown[at]).join("")
    expect(together).toBe(document.info.description)
    expect(introduction!.entries.map(({ title }) => title)).toContain("Test values")
  })

  it("have examples of every body, by name where there are several", () => {
    for (const entry of entries) {
      if (entry.kind !== "operation" && entry.kind !== "event") continue
      const { requestBody, responses } = entry.about
      for (const body of [requestBody, ...Object.values(responses)]) {
        const media = Object.values(body?.content ?? {})
        const some = media.filter(({ example, examples }) => example !== undefined || examples !== undefined)
        const shown = examplesOf(body)
        expect(shown.length, entry.title).toBeGreaterThanOrEqual(some.length)
        expect(new Set(shown.map(({ title }) => title)).size, entry.title).toBe(shown.length)
      }
    }
  })
})

describe("the search", () => {
  const index = indexOf(groups)
  const titles = (query: string) => searchEntries(index, query).map(({ entry }) => entry.title)

  it("finds every operation by its name, first", () => {
    const operations = entries.filter(({ kind }) => kind === "operation")
    const lost = operations.filter(({ title }) => titles(title)[0] !== title)
    expect(lost.map(({ title }) => title)).toEqual([])
  })

  it("finds by words in any order, by path, by event and by field", () => {
    expect(titles("key rotate")).toContain("Rotate an API key")
    expect(titles("/payments-init/initiate")).toContain("Initiate a payment")
    expect(titles("payment.completed")[0]).toBe("payment.completed")
    expect(titles("client_reference").length).toBeGreaterThan(0)
  })

  it("finds an operation by what can be done with it, before the models of the same name", () => {
    const [first, ...others] = searchEntries(index, "refund")
    expect(first).toMatchObject({ entry: { kind: "operation", title: "Act on a payment" }, action: "refund" })
    expect(others.map(({ entry }) => entry.title)).toContain("Refund")
    expect(titles("otp")[0]).toBe("Act on a payment")
    expect(titles("refund payment")[0]).toBe("Act on a payment")
    expect(titles("payout")[0]).not.toBe("Act on a payment")
  })

  it.each(["refund", "balance", "webhook", "escrow", "api key"])("has operations before models: %s", (query) => {
    const named = searchEntries(index, query).filter(({ entry }) => entry.title.toLowerCase().includes(query))
    const kinds = named.map(({ entry }) => entry.kind)
    expect(kinds.slice(0, kinds.lastIndexOf("operation") + 1)).not.toContain("schema")
  })

  it("finds every model by its name, too", () => {
    const models = entries.filter(({ kind }) => kind === "schema")
    expect(models.filter(({ title }) => !titles(title).includes(title)).map(({ title }) => title)).toEqual([])
  })

  it("finds nothing for words that are nowhere", () => expect(titles("zebra crossing")).toEqual([]))

  it("shows operations before anything is typed", () => expect(titles("  ").length).toBeGreaterThan(10))
})

describe("a schema in words", () => {
  const schemas = {
    Code: { type: "string", pattern: "^[A-Z]{3}$", description: "A code" },
    Person: { type: "object", properties: { code: { $ref: "#/components/schemas/Code" } }, required: ["code"] },
    Maybe: { anyOf: [{ $ref: "#/components/schemas/Person" }, { type: "null" }] }
  }
  const person = { $ref: "#/components/schemas/Person" }

  it("has a type that a reader knows", () => {
    expect(typeOf(schemas, { type: "array", items: person })).toBe("array of Person")
    expect(typeOf(schemas, { $ref: "#/components/schemas/Maybe" })).toBe("Person or null")
    expect(typeOf(schemas, { type: "string", format: "uuid" })).toBe("string (uuid)")
    expect(typeOf(schemas, {})).toBe("anything")
  })

  it("is followed through references, and described by who refers", () => {
    const own = { allOf: [{ $ref: "#/components/schemas/Code" }], description: "Where to" }
    expect(resolved(schemas, own)).toEqual({
      name: "Code",
      schema: { type: "string", pattern: "^[A-Z]{3}$", description: "Where to" }
    })
  })

  it("shows the object inside of a list and beside a null", () => {
    expect(insideOf(schemas, { type: "array", items: { $ref: "#/components/schemas/Maybe" } }).name).toBe("Person")
    expect(alternatives(schemas, { anyOf: [person, { type: "string" }, { type: "null" }] }).length).toBe(2)
  })

  it("shows its bounds", () => {
    expect(boundsOf({ minLength: 1, maxLength: 40 })).toEqual(["at least 1 long", "at most 40 long"])
    expect(boundsOf({ exclusiveMinimum: 0, pattern: "^$&" })).toEqual(["more than 0", "matches ^$&"])
  })
})

describe("the key of the search", () => {
  const pressed = (key: string, held: object = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...held
  })

  it("is Ctrl K, or Cmd K, with the caps lock too", () => {
    for (const key of ["k", "K"]) {
      expect(isSearchKey(pressed(key, { ctrlKey: true }))).toBe(true)
      expect(isSearchKey(pressed(key, { metaKey: true }))).toBe(true)
    }
  })

  it("is nothing that a browser has for itself", () => {
    for (const key of ["k", "K"]) {
      expect(isSearchKey(pressed(key))).toBe(false)
      expect(isSearchKey(pressed(key, { ctrlKey: true, shiftKey: true }))).toBe(false)
      expect(isSearchKey(pressed(key, { metaKey: true, shiftKey: true }))).toBe(false)
      expect(isSearchKey(pressed(key, { ctrlKey: true, altKey: true }))).toBe(false)
    }
    expect(isSearchKey(pressed("j", { ctrlKey: true }))).toBe(false)
  })
})

describe("the page", () => {
  const page = renderReference(openApi)

  it("has every entry at its address, and links only to what is there", () => {
    const ids = new Set(Array.from(page.matchAll(/ id="([^"]*)"/g), ([, id]) => id))
    expect(entries.filter(({ id }) => !ids.has(id)).map(({ id }) => id)).toEqual([])
    const links = Array.from(page.matchAll(/href="#([^"]*)"/g), ([, id]) => id)
    expect(links.length).toBeGreaterThan(entries.length)
    expect(links.filter((id) => !ids.has(id))).toEqual([])
  })

  it("has its text, fields and examples without a script", () => {
    expect(page).toContain("Rotate an API key")
    expect(page).toContain("&quot;amount&quot;: 1500.00,")
    expect(page).toContain('<code class="name">client_reference</code>')
  })

  it("shows a title as text", () => {
    const titled = { ...document, info: { ...document.info, title: "</title><script>alert(1)</script>" } }
    expect(renderReference(JSON.stringify(titled))).not.toContain("<script>")
  })
})
