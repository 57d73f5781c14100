import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { redactText } from "../../../src/platform/observability/Redaction.ts"
import { ownTime } from "../../support/OwnTime.ts"

const withCheckDigit = (payload: string): string => {
  const sum = [...payload].reverse().reduce((total, character, index) => {
    const doubled = Number(character) * (index % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return payload + String((10 - (sum % 10)) % 10)
}

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((each) => each.join(""))

const card = fc
  .tuple(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 11, max: 17 }))
  .chain(([first, rest]) => digits(rest).map((payload) => withCheckDigit(`${first}${payload}`)))

const groupsOfFour = (number: string, separator: string) => (number.match(/\d{1,4}/g) ?? []).join(separator)

const anyText = fc.oneof(fc.string(), fc.fullUnicodeString(), fc.lorem())

describe("cards", () => {
  it("never survive inside any text", () => {
    fc.assert(
      fc.property(anyText, card, anyText, (before, number, after) => {
        expect(redactText(before + number + after)).not.toContain(number)
      }),
      { numRuns: 1000 }
    )
  })

  it("never survive when grouped, even with an expiry date and a code behind them", () => {
    const separator = fc.constantFrom(" ", "-", "\u00a0")
    const edge = (text: string) => !/\d[ \u00a0-]?$/.test(text)
    fc.assert(
      fc.property(
        anyText.filter(edge),
        card,
        separator,
        fc.constantFrom("", " 12 2031 123", "-11-15", " x"),
        (...all) => {
          const [before, number, between, after] = all
          const grouped = groupsOfFour(number, between)
          const redacted = redactText(`${before} paid with ${grouped}${after}`)
          expect(redacted).not.toContain(grouped)
          expect(redacted).toContain("[card]")
        }
      ),
      { numRuns: 1000 }
    )
  })

  it.each([
    ["a number that fails the checksum", "4222222222223"],
    ["a phone number", "+254712345678"],
    ["zeros that pad an amount", "1.500000000000000000"]
  ])("leaves %s alone", (_, text) => {
    expect(redactText(text)).toBe(text)
  })

  it("is found behind an ISO date and glued to other digits", () => {
    expect(redactText("2026-11-15 4242 4242 4242 4242")).toBe("2026-11-15 [card]")
    expect(redactText("order 99994242424242424242")).not.toContain("4242424242424242")
  })
})

describe("secrets", () => {
  const key = "ck_test_AbCdEfGhIjKlMnOpQrStUvWxYz012345678901"
  const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl-_"
  const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nAbc==\n-----END RSA PRIVATE KEY-----"

  it.each([
    [`key ${key} used`, "key ck_test_AbCd[redacted] used"],
    [key.replace("test", "live"), "ck_live_AbCd[redacted]"],
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=", "whsec_[redacted]"],
    ["sk_live_4eC39HqLyjWDarjtT1zdp7dc", "sk_live_[redacted]"],
    [`token ${jwt}.`, "token [jwt]."],
    ["authorization: Bearer opaque-token-1234", "authorization: Bearer [redacted]"],
    ["Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic [redacted]"],
    ["postgres://corridor:s3cr:et@p@127.0.0.1:5432/db", "postgres://corridor:[redacted]@127.0.0.1:5432/db"],
    ["redis://:hunter2@cache", "redis://:[redacted]@cache"],
    ['{"cvv":"123","amount":10.00}', '{"cvv":"[redacted]","amount":10.00}'],
    ['{"CVC" : 9876}', '{"CVC" : "[redacted]"}'],
    ['{"password":"a\\"b","x":1}', '{"password":"[redacted]","x":1}'],
    ['{"body":"{\\"cvv\\":\\"123\\"}"}', '{"body":"{\\"cvv\\":\\"[redacted]\\"}"}'],
    ["cvv=123 cvc: '4567'", "cvv=[redacted] cvc: [redacted]"],
    [`before ${pem} after`, "before [private key] after"],
    ["-----BEGIN PRIVATE KEY-----\nMIIEow\ncut off", "[private key]"]
  ])("%j", (text, expected) => {
    expect(redactText(text)).toBe(expected)
    expect(redactText(expected)).toBe(expected)
  })

  it("does not take long on a hostile text", () => {
    const hostile = ["eyJ", "://a:", "-----BEGIN PRIVATE KEY", "4 ", "4", '"cvv":"\\', "Bearer "]
    const took = ownTime()
    for (const part of hostile) redactText(part.repeat(16_384 / part.length))
    expect(took()).toBeLessThan(2_000)
  })
})

describe("ordinary text", () => {
  const unchanged = (text: string): void => {
    expect(redactText(text)).toBe(text)
  }

  it("stays as it is", () => {
    fc.assert(fc.property(fc.lorem({ mode: "sentences", maxCount: 5 }), unchanged))
    unchanged(
      "GET /v1/payments-init/payin 200 in 12ms, see https://corridor.test:3000/docs?x=1#a or mail ops@corridor.test"
    )
    unchanged("prefix ck_test_AbCd, retry 3 of 8 after 30 seconds, +254 712 345 678")
  })

  it("keeps UUIDs, also those made of digits only", () => {
    fc.assert(fc.property(fc.uuid(), fc.uuid(), (a, b) => unchanged(`payment ${a} attempt=${b} ${a} ${b}`)))
    const digitsOnly = fc.tuple(digits(8), digits(4), digits(4), digits(4), digits(12)).map((parts) => parts.join("-"))
    fc.assert(fc.property(digitsOnly, unchanged))
  })

  it("keeps amounts", () => {
    const amount = fc.tuple(fc.integer({ min: 0, max: 999_999_999_999 }), digits(8), fc.integer({ min: 1, max: 8 }))
    fc.assert(fc.property(amount, ([whole, part, places]) => unchanged(`amount ${whole}.${part.slice(0, places)} KES`)))
  })

  it("keeps timestamps", () => {
    const date = fc.date({ min: new Date("2001-09-10T00:00:00Z"), max: new Date("2033-05-01T00:00:00Z") })
    fc.assert(
      fc.property(date, date, (from, to) => {
        unchanged(`${from.toISOString()} to ${to.toISOString()}`)
        unchanged(`${from.toISOString().slice(0, 10)} ${to.toISOString().slice(0, 10)}`)
        unchanged(`at=${from.getTime()} until ${to.getTime()}.`)
      })
    )
  })
})
