/** The OpenAPI document that a server sends, whose text the build has made: the one of its own address and mode. */
import { stringify } from "lossless-json"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, inject, it } from "vitest"
import { openApiDocument, openApiTemplate, openApiText } from "../../../src/contract/openapi/OpenApiDocument.ts"

describe("the text of the document", () => {
  const template = openApiTemplate()

  it.each([
    ["http://127.0.0.1:3000", "sandbox"],
    ["https://pay.example.com/corridor", "live"],
    ["https://pay.example.com/$&/$1/%22", "live"]
  ] as const)("is that of %s in %s mode", (publicUrl, mode) => {
    expect(openApiText(template, publicUrl, mode)).toBe(stringify(openApiDocument(publicUrl, mode)))
  })

  it("lies beside a server that was built", () => {
    expect(readFileSync(join(inject("bundle"), "reference", "openapi.json"), "utf8")).toBe(template)
  })
})
