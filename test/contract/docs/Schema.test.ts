import { describe, expect, it } from "vitest"
import { sampleOf } from "../../../src/contract/docs/Example.ts"
import type { SchemaNode } from "../../../src/contract/docs/OpenApiDocument.ts"
import { outlineOf } from "../../../src/contract/docs/Outline.ts"
import { typeLabel } from "../../../src/contract/docs/SchemaShape.ts"
import { schemaTree } from "../../../src/contract/docs/SchemaView.ts"
import { handmade } from "./Documents.ts"
import { textOf } from "./Markup.ts"

const outline = outlineOf(handmade)
const tree = (node: SchemaNode, linkBelow = 4) =>
  schemaTree(outline, node, { linkBelow, foldBelow: 2, sentBy: "caller" }).markup
const named = (name: string): SchemaNode => ({ $ref: `#/components/schemas/${name}` })
const label = (node: SchemaNode) => typeLabel(handmade, node)

describe("typeLabel", () => {
  it.each<[string, SchemaNode]>([
    ["string (uuid)", { type: "string", format: "uuid" }],
    ["string or null", { type: ["string", "null"] }],
    ["string or null", { anyOf: [{ type: "string" }, { type: "null" }] }],
    ["string or null", { type: "string", enum: ["a", null] }],
    ["object or null", { anyOf: [named("Card"), { enum: [null] }] }],
    ["integer or null", { type: "integer", nullable: true }],
    ["array of object", { type: "array", items: named("Card") }],
    ["map of string", { type: "object", additionalProperties: { type: "string" } }],
    ["string or number", { oneOf: [{ type: "string" }, { type: "number" }] }],
    [
      "string",
      {
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "string", enum: ["b"] }
        ]
      }
    ],
    ["any", { $id: "/schemas/unknown" }],
    ["any", true],
    ["any", named("Loop")],
    ["any", { $ref: "#/components/schemas/Missing" }],
    ["null", { type: "null" }]
  ])("says %s", (expected, node) => {
    expect(label(node)).toBe(expected)
  })
})

describe("schemaTree", () => {
  it("shows nested fields with their marks, types, values and limits", () => {
    const text = textOf(tree(named("Initiation")))
    expect(text).toContain("amount number required Source amount, exact. above 0")
    expect(text).toContain("Pattern ^[A-Z]{3}$")
    expect(text).toContain("One of mobile_money bank_transfer card")
    expect(text).toContain("card_details object or null Required when payment_method is card . 2 fields card_number")
    expect(text).toContain("card_number string required 13 to 19 characters")
    expect(text).toContain("at most 255 characters")
    expect(text).not.toMatch(/payment_method string required/)
  })

  it("says of an answer what may be absent instead of what is required", () => {
    const text = textOf(schemaTree(outline, named("Card"), { linkBelow: 4, foldBelow: 2, sentBy: "service" }).markup)
    expect(text).toContain("card_number string 13 to 19 characters cvv string may be absent")
  })

  it("lists the alternatives of oneOf by name", () => {
    expect(textOf(tree(named("Initiation")))).toMatch(/destination object Alternatives Card object .* Wallet object/)
  })

  it("merges allOf and links what is recursive", () => {
    const markup = tree(named("Payment"))
    expect(textOf(markup)).toContain("payment_id string (uuid) required refunds array of object See Payment")
    expect(markup).toContain('<a href="#schema-Payment">Payment</a>')
  })

  it("ends on schemas that contain themselves as arrays or point at themselves", () => {
    expect(textOf(tree(named("Forest")))).toContain("array of array of")
    expect(textOf(tree(named("Loop")))).toContain("any")
  })

  it("links named schemas below the depth it is given", () => {
    expect(textOf(tree(named("Initiation"), 0))).toContain("Required when payment_method is card . See Card")
    expect(textOf(tree(named("Error"), -1))).toBe(" object See Error ")
  })
})

describe("sampleOf", () => {
  it("makes a value of every kind and stops at recursion", () => {
    expect(sampleOf(handmade, named("Card"))).toEqual({ card_number: "string", cvv: "string" })
    expect(sampleOf(handmade, named("Payment"))).toMatchObject({ refunds: [{}], parent: null })
    expect(sampleOf(handmade, named("Forest"))).toEqual([[]])
    expect(sampleOf(handmade, { type: "integer", minimum: 5 })).toBe(5)
    expect(sampleOf(handmade, { type: "string", examples: ["x"] })).toBe("x")
  })
})
