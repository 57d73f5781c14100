import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { checkReturnUrl } from "../../src/domain/Url.ts"

const allowed = (text: string, mode: "sandbox" | "live") => Either.isRight(checkReturnUrl(text, mode))

describe("checkReturnUrl", () => {
  it.each(["https://shop.example/thanks", "https://shop.example:8443/a?b=c#d", "https://127.0.0.1/back"])(
    "takes %s in both modes, as it is",
    (text) => {
      expect(checkReturnUrl(text, "live")).toEqual(Either.right(text))
      expect(checkReturnUrl(text, "sandbox")).toEqual(Either.right(text))
    }
  )

  it.each(["http://localhost:3000/x", "http://127.0.0.1/x", "http://[::1]:8080/x"])(
    "takes %s in the sandbox only",
    (text) => {
      expect(allowed(text, "sandbox")).toBe(true)
      expect(allowed(text, "live")).toBe(false)
    }
  )

  it.each([
    "http://shop.example/x",
    "http://localhost.evil.example/x",
    "http://127.0.0.1.evil.example/x",
    "ftp://localhost/x",
    "javascript:alert(1)",
    "data:text/html,x",
    "/thanks",
    "shop.example/thanks",
    "//shop.example/thanks",
    "",
    "https://",
    "https://user@shop.example/x",
    "https://user:secret@shop.example/x",
    "https://:secret@shop.example/x",
    "http://user@localhost/x",
    "https://@shop.example/x",
    "https:shop.example/x",
    "https:/shop.example/x",
    "https:///shop.example/x",
    "https:\\\\shop.example\\x",
    "https://shop.example\\@evil.example/x",
    " https://shop.example/x",
    "https://shop.example/x\n",
    "https://shop.example/\r\nX-Injected: yes",
    "https://shop\t.example/x",
    "https://shop.example/\u0000"
  ])("refuses %j in both modes", (text) => {
    expect(allowed(text, "sandbox")).toBe(false)
    expect(allowed(text, "live")).toBe(false)
  })

  it("says what to change, and never repeats a password", () => {
    const reasons = ["thanks", "http://shop.example", "https://user:hunter2@shop.example"].map((text) =>
      Either.merge(checkReturnUrl(text, "live"))
    )
    expect(reasons).toEqual([
      "is not an absolute URL such as https://shop.example/thanks",
      "must start with https://",
      "must not hold a user name or password"
    ])
  })
})
