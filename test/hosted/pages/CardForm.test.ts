import type { IncomingMessage } from "node:http"
import { parseTrustProxy } from "../../../src/platform/config/ClientAddress.ts"
import { Either, Redacted } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cardOf } from "../../../src/hosted/pages/CardForm.ts"
import { browserOf } from "../../../src/hosted/pages/FormBody.ts"

const now = new Date("2030-06-15T12:00:00Z")
const good = { number: "4242424242424242", expiry: "06/30", cvv: "123", holder: "Wanjiru Kamau" }

const read = (typed: Partial<Record<keyof typeof good, string>>, at = now) =>
  Either.map(cardOf(new URLSearchParams({ ...good, ...typed }), at), Redacted.value)

const problemsOf = (typed: Parameters<typeof read>[0], at = now) =>
  Either.getOrElse(Either.flip(read(typed, at)), () => [])

describe("a typed card", () => {
  it("is read in the spellings that people use", () => {
    const card = {
      number: "4242424242424242",
      expiryMonth: "06",
      expiryYear: "2030",
      cvv: "123",
      holder: "Wanjiru Kamau"
    }
    for (const number of ["4242 4242 4242 4242", "4242-4242-4242-4242", " 4242424242424242 "]) {
      expect(read({ number })).toEqual(Either.right(card))
    }
    for (const expiry of ["06/30", "6/30", "06 / 2030", "06-30", "06 30", " 06.2030 "]) {
      expect(read({ expiry })).toEqual(Either.right(card))
    }
    expect(read({ cvv: " 1234 ", holder: " W. K. " })).toEqual(Either.right({ ...card, cvv: "1234", holder: "W. K." }))
  })

  it.each([
    [
      "number",
      ["", "4242", "4242424242424241", "42424242424242424242", "4242x4242424242424", "４２４２４２４２４２４２４２４２"]
    ],
    ["expiry", ["", "13/30", "00/30", "0630", "05/30", "12/29", "06/1930", "06/30/30"]],
    ["cvv", ["", "12", "12345", "12a"]],
    [
      "holder",
      ["", "   ", "x".repeat(201), "a\0b", "4242424242424242", "W. K. 4242 4242 4242 4242", "5555555555554444"]
    ]
  ] as const)("is asked for again where the %s is wrong, and only there", (field, wrong) => {
    for (const typed of wrong) expect(problemsOf({ [field]: typed })).toEqual([field])
  })

  it("names every field of an empty form", () => {
    expect(Either.flip(cardOf(new URLSearchParams(), now))).toEqual(Either.right(["number", "expiry", "cvv", "holder"]))
  })

  it("is good until its month is over everywhere", () => {
    expect(problemsOf({ expiry: "06/30" }, new Date("2030-07-01T11:59:00Z"))).toEqual([])
    expect(problemsOf({ expiry: "06/30" }, new Date("2030-07-02T00:00:01Z"))).toEqual(["expiry"])
  })

  it("catches any one digit that is off", () => {
    fc.assert(
      fc.property(fc.nat({ max: 15 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
        const digit = (Number(good.number[at]) + by) % 10
        const number = `${good.number.slice(0, at)}${digit}${good.number.slice(at + 1)}`
        expect(problemsOf({ number })).toEqual(number.startsWith("62") ? [] : ["number"])
      })
    )
  })

  it("takes a UnionPay number, which need not have a check digit", () => {
    expect(problemsOf({ number: "6200000000000001" })).toEqual([])
  })
})

describe("the browser in which a card is entered", () => {
  const requestWith = (headers: Readonly<Record<string, string>>, remoteAddress?: string) => ({
    request: { headers, socket: { remoteAddress } } as unknown as IncomingMessage
  })

  it("is known by its headers and its address, behind a proxy that is trusted too", () => {
    const headers = {
      "user-agent": "Mozilla/5.0",
      accept: "text/html",
      "accept-language": "sw-KE,sw;q=0.9",
      "x-forwarded-for": "203.0.113.7"
    }
    const known = { userAgent: "Mozilla/5.0", acceptHeader: "text/html", language: "sw-KE", screen: null }
    const trusted = Either.getOrThrow(parseTrustProxy("1"))
    const none = Either.getOrThrow(parseTrustProxy("false"))
    expect(browserOf(requestWith(headers, "198.51.100.2"), trusted)).toEqual({ ip: "203.0.113.7", ...known })
    expect(browserOf(requestWith(headers, "198.51.100.2"), none)).toEqual({ ip: "198.51.100.2", ...known })
    expect(browserOf(requestWith({}), none)).toMatchObject({ ip: null, userAgent: "", acceptHeader: "", language: "" })
  })
})
