import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { largestLogo, logoType, readLogo } from "../../src/contract/api/PaymentLinksApi.ts"

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
const jpeg = Buffer.from("ffd8ffe000104a46494600010100", "hex")
const webp = Buffer.concat([Buffer.from("RIFF"), Buffer.from([1, 2, 3, 4]), Buffer.from("WEBPVP8 ")])

const dataUrl = (bytes: Uint8Array, type = "image/png") =>
  `data:${type};base64,${Buffer.from(bytes).toString("base64")}`

describe("a logo", () => {
  it.each([
    ["image/png", png],
    ["image/jpeg", jpeg],
    ["image/webp", webp]
  ])("may be %s, and is known by how it begins", (type, bytes) => {
    expect(Either.getOrThrow(readLogo(dataUrl(bytes, "image/png")))).toEqual(new Uint8Array(bytes))
    expect(logoType(bytes)).toBe(type)
  })

  it.each([
    ["a picture that can hold scripts", dataUrl(Buffer.from("<svg xmlns='…'><script/></svg>"), "image/svg+xml")],
    ["one that is called another", dataUrl(Buffer.from("<svg xmlns='…'><script/></svg>"))],
    ["a page", dataUrl(Buffer.from("<script>"), "text/html")],
    ["an address", "https://shop.example/logo.png"],
    ["no base64", "data:image/png;base64,<>"],
    ["nothing", "data:image/png;base64,"],
    ["more behind it", `${dataUrl(png)}" onerror="x`],
    ["too much", dataUrl(Buffer.concat([png, Buffer.alloc(largestLogo)]))]
  ])("is not %s", (_, text) => {
    expect(Either.isLeft(readLogo(text))).toBe(true)
  })

  it("may be as large as it may be", () => {
    const bytes = Buffer.concat([png, Buffer.alloc(largestLogo - png.length)])
    expect(Either.getOrThrow(readLogo(dataUrl(bytes)))).toHaveLength(largestLogo)
  })
})
