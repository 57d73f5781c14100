import { describe, expect, it } from "@effect/vitest"
import { asName, asQuotation, asSentence, holdsLink } from "../../src/domain/MailSafeText.ts"

describe("Words of others", () => {
  it.each([
    ["https://evil.example/x", "https[:]//evil[.]example/x"],
    ["HTTPS://10.0.0.1/", "HTTPS[:]//10.0.0.1/"],
    ["ftp: //evil", "ftp[:] //evil"],
    ["go to evil.com now", "go to evil[.]com now"],
    ["www.evil.co.uk", "www[.]evil[.]co[.]uk"],
    ["write to ada@evil.com", "write to ada@evil[.]com"],
    ["evil\u200b.com", "evil[.]com"],
    ["evil.\u200bcom", "evil[.]com"],
    ["evil\uff0ecom", "evil[.]com"],
    ["пример.рф", "пример[.]рф"],
    ["xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd[.]xn--p1ai"],
    ["a-b.com", "a-b[.]com"]
  ])("%s is a link, and is broken up", (text, broken) => {
    expect(holdsLink(text)).toBe(true)
    expect(asName(text)).toBe(broken)
    expect(holdsLink(asName(text))).toBe(false)
  })

  it.each([
    "Habari, tafadhali.",
    "Acme Inc.",
    "e.g. 1.50 or 3.5kg",
    "at 10:30",
    "and/or",
    "No 1. Then 2.",
    "Jean-Luc's"
  ])("%s stays as it is", (text) => {
    expect(holdsLink(text)).toBe(false)
    expect(asName(text)).toBe(text)
  })

  it("are one line where they are a name, and cannot turn round what stands beside them", () => {
    expect(asName(" Acme\r\nBcc: eve@x \u202egnp\u2028Ltd\u0000 ")).toBe("Acme Bcc: eve@x gnp Ltd")
  })

  it.each([
    ["card declined", "card declined."],
    ["It did not take the key.", "It did not take the key."],
    ["Really? ", "Really?"],
    ["(expired_card)", "(expired_card)."]
  ])("%s ends a sentence with one dot", (text, expected) => {
    expect(asSentence(text)).toBe(expected)
  })

  it("are marked line by line where they are quoted", () => {
    expect(asQuotation("Dear,\r\n\nTransaction: 1\u2028Request: 2\vx\u0007")).toBe(
      "> Dear,\n>\n> Transaction: 1\n> Request: 2\n> x"
    )
  })
})
