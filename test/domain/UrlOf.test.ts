import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { givenUrl, urlOf } from "../../src/domain/Url.ts"

describe("a URL", () => {
  it("stays one however often it is read, in any alphabet", () => {
    for (const text of ["https://é", "https://müller.example/größe", "https://магазин.example"]) {
      let refused = 0
      for (let time = 0; time < 50_000; time += 1) {
        if (Either.isLeft(givenUrl(text, "https://shop.example"))) refused += 1
      }
      expect(refused, text).toBe(0)
    }
  })

  it("is nothing where it is none", () => {
    expect(urlOf("https://é")?.hostname).toBe("xn--9ca")
    for (const text of ["", "shop.example", "https://", "https://a b", "http://[::1"])
      expect(urlOf(text)).toBeUndefined()
  })
})
