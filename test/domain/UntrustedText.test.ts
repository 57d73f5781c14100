/** Text from outside, whatever it is: nothing that reads it throws, and what it takes it writes back as the same. */
import * as fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Exit, Option, Schema } from "effect"
import { wantedFee } from "../../src/cli/database/LocalMoney.ts"
import { amountIn } from "../../src/cli/shared/CommandInput.ts"
import { changeFrom } from "../../src/cli/actions/OrgActions.ts"
import { bankAccountProblems } from "../../src/domain/AccountFormat.ts"
import { dateOf, daysBetween, isDate } from "../../src/domain/CalendarDate.ts"
import { canonicalJson, parseExactJson, stringifyWire, toPlainText } from "../../src/domain/Decimal.ts"
import { CountryCode } from "../../src/domain/Country.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import {
  EmailAddress,
  sameAddress,
  asName,
  asQuotation,
  asSentence,
  holdsLink,
  oneLine
} from "../../src/domain/MailSafeText.ts"
import { isEventPattern, wants } from "../../src/domain/EventTypes.ts"
import { cleanKey, cleanName, cleanText } from "../../src/domain/ProviderText.ts"
import { nilUuid, uuidOrNil, uuidv7 } from "../../src/domain/Ids.ts"
import { findNetwork } from "../../src/domain/MobileNetwork.ts"
import { checkReturnUrl } from "../../src/domain/Url.ts"
import { returnAddress } from "../../src/hosted/pages/CheckoutPage.ts"
import { languages, pageTextFor } from "../../src/hosted/pages/PageText.ts"
import { typedAmount } from "../../src/hosted/pages/link/LinkForm.ts"
import { isSignedBy, kybSignature } from "../../src/people/kyb/KybHttp.ts"
import { parseCorsOrigins } from "../../src/platform/config/Cors.ts"
import { parseMailbox } from "../../src/platform/config/Settings.ts"
import { checkContentType, decodeUtf8 } from "../../src/platform/http/RequestBody.ts"
import { requestId } from "../../src/platform/http/HttpExchange.ts"
import { checkWebhookUrl } from "../../src/providers/configs/ProviderConfigs.ts"
import { checkAddress, parseEndpointUrl } from "../../src/webhooks/ssrf/EndpointUrl.ts"
import { parseHosts } from "../../src/webhooks/ssrf/Dns.ts"
import { oddTexts, oddTimes } from "../fuzz/EdgeValues.ts"

const KE = CountryCode.make("KE")
const KES = CurrencyCode.make("KES")

const anyText = fc.oneof(
  fc.fullUnicodeString({ maxLength: 60 }),
  fc.string16bits({ maxLength: 60 }),
  fc.asciiString({ maxLength: 60 }),
  fc.stringMatching(/^[-+]?\d{0,20}[.,]?\d{0,20}$/),
  fc.constantFrom(...oddTexts, ...oddTimes)
)

const some = (text: string) => Option.some(text)

/** Each gives something back for any text: an answer or a refusal, as a value. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "a date": isDate,
  "an e-mail address": (text) => Schema.decodeUnknownEither(EmailAddress)(text),
  "a return URL": (text) => checkReturnUrl(text, "sandbox"),
  "an address for callbacks": (text) => checkWebhookUrl(text, "sandbox"),
  "an endpoint URL": (text) => parseEndpointUrl(text, "live"),
  "an address": (text) => [checkAddress(text, "live", "https:"), checkAddress(text, "sandbox", "http:")],
  "a hosts file": parseHosts,
  "an id": uuidOrNil,
  "foreign words": (text) => [cleanText(text), cleanKey(text), cleanName(text)],
  "words of others": (text) => [asName(text), asQuotation(text), asSentence(text), holdsLink(text)],
  "a bank account": (text) =>
    (["NG", "GB", "DE", "KE"] as const).map((country) =>
      bankAccountProblems({ account_number: text, bank_code: text, country: CountryCode.make(country) })
    ),
  "a network": (text) => findNetwork(KE, text),
  "an event": (text) => [isEventPattern(text), wants([text], text)],
  "a typed amount": (text) => languages.map((words) => typedAmount(text, KES, words)),
  "a language": pageTextFor,
  "an amount of an operator": (text) => amountIn(text, "an amount"),
  "a fee of an operator": (text) =>
    Effect.runSyncExit(
      wantedFee({ method: text, direction: text, bps: some(text), fixed: some(text), currency: some(text) })
    ),
  "a change of an operator": (text) =>
    Effect.runSyncExit(
      changeFrom({
        ...{ name: some(text), email: some(text), country: some(text), feature: [text], noFeatures: false },
        ...{ reviewThreshold: some(text), spreadBps: some(text), kybStatus: some(text) }
      })
    ),
  "origins of browsers": parseCorsOrigins,
  "a mailbox": parseMailbox,
  "a content type": (text) => checkContentType({ "content-type": text, "content-length": "1" }),
  "a request id": (text) => requestId(text, () => "fresh"),
  "a signature": (text) => isSignedBy("secret", Buffer.from("body"), text)
}

describe("text from outside", () => {
  it.each(Object.entries(readers))("as %s is read or refused, and nothing throws", (_, reader) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const answer = reader(text)
        // An operator's mistake is a sentence, never a defect.
        if (Exit.isExit(answer) && Exit.isFailure(answer)) expect(answer.cause._tag).toBe("Fail")
      }),
      { numRuns: 200 }
    )
  })
})

describe("what is taken", () => {
  it("as a date is that day, and no other", () => {
    const days = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }).map((seconds) => dateOf(seconds * 1000))
    fc.assert(
      fc.property(days, (day) => {
        expect(isDate(day)).toBe(true)
        expect(daysBetween(day, day)).toBe(1)
        expect(isDate(`${day} `) || isDate(day.replace("-", "/"))).toBe(false)
      })
    )
  })

  it("as an e-mail address has no character that is not seen, and no other form of a letter", () => {
    const isAddress = (text: string) => Either.isRight(Schema.decodeUnknownEither(EmailAddress)(text))
    expect(isAddress("josé@bücher.example")).toBe(true)
    for (const one of ["\u200b", "\u00ad", "\u2060", "\u202e", "ｙ"]) {
      expect(isAddress(`mallor${one}@example.com`)).toBe(false)
      expect(isAddress(`mallory@exam${one}ple.com`)).toBe(false)
    }
  })

  it("as an e-mail address has no blank, no control character and one @, and is the same in any case", () => {
    const local = fc.stringMatching(/^[A-Za-z0-9.+_-]{1,20}$/)
    const addresses = fc.tuple(local, fc.domain()).map(([name, domain]) => `${name}@${domain}`)
    const decode = Schema.decodeUnknownEither(EmailAddress)
    fc.assert(
      fc.property(fc.oneof(addresses, anyText), (text) => {
        const address = decode(text)
        if (Either.isLeft(address)) return
        expect(address.right).not.toMatch(/[\s\p{Cc}]/u)
        expect(address.right.split("@")).toHaveLength(2)
        expect(Either.getOrThrow(decode(address.right))).toBe(address.right)
        expect(
          sameAddress(
            address.right,
            address.right.replaceAll(/[a-z]/g, (one) => one.toUpperCase())
          )
        ).toBe(true)
      })
    )
    fc.assert(fc.property(addresses, (text) => void expect(Either.isRight(decode(text)), text).toBe(true)))
  })

  it("as a return URL leads where it says, and nowhere else", () => {
    const payment = { client_reference: "a b&c", payment_id: uuidv7(0, new Uint8Array(10)), status: "completed" }
    const parts = fc.constantFrom(
      "https://",
      "http://",
      "https:",
      "//",
      "\\\\",
      "shop.example",
      "user@",
      ":8443",
      "localhost"
    )
    const more = fc.constantFrom(
      "/",
      "/a",
      "?b=c",
      "&status=d",
      "%73tatus",
      "#d",
      "\t",
      "\n",
      " ",
      "\0",
      "[::1]",
      "127.0.0.1",
      "@",
      "%00",
      "é"
    )
    const urls = fc.array(fc.oneof(parts, more), { maxLength: 7 }).map((all) => all.join(""))
    fc.assert(
      fc.property(fc.oneof(urls, fc.webUrl(), anyText), (text) => {
        const taken = checkReturnUrl(text, "live")
        expect(Either.isRight(checkWebhookUrl(text, "live")), "callbacks are read in the same way").toBe(
          Either.isRight(taken)
        )
        if (Either.isLeft(taken)) return
        expect(taken.right).toBe(text)
        expect(text).toMatch(/^https:\/\/[^/\\?#@\s\p{Cc}]+(?:[/?#][^\s\p{Cc}\\]*)?$/iu)
        const [given, led] = [new URL(text), new URL(returnAddress({ ...payment, return_url: text } as never)!)]
        expect([led.origin, led.pathname, led.hash]).toEqual([given.origin, given.pathname, given.hash])
        expect(led.searchParams.getAll("status")).toHaveLength(1)
      }),
      { numRuns: 2000 }
    )
  })

  it("as an id is a UUID in small letters, or unknown", () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(uuidOrNil(id)).toBe(id)
        expect(uuidOrNil(id.toUpperCase())).toBe(id)
        expect(uuidOrNil(` ${id}`)).toBe(nilUuid)
        expect(uuidOrNil(`${id}\n`)).toBe(nilUuid)
      })
    )
    const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 48 - 1 }), bytes, (millis, random) => {
        const id = uuidv7(millis, random)
        expect(uuidOrNil(id)).toBe(id)
        expect(parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(millis)
      })
    )
  })

  it("as words of a third party can be stored, and is clean the second time", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const clean = cleanText(text)
        expect(clean.includes("\0") || !clean.isWellFormed()).toBe(false)
        expect(cleanText(clean)).toBe(clean)
        expect(cleanKey(text).length).toBeLessThanOrEqual(500)
        expect((cleanName(text) ?? "").length).toBeLessThanOrEqual(500)
        expect(oneLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(holdsLink(asName(text)), text).toBe(false)
      })
    )
  })

  it("as JSON comes back with the digits that it was written with", () => {
    const numbers = fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,25})?$/)
    fc.assert(
      fc.property(
        numbers,
        (text) => void expect(stringifyWire({ n: parseExactJson(`[${text}]`) })).toBe(`{"n":[${text}]}`)
      )
    )
  })

  it("as a body is one text in whatever order its members stand", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"),
          fc.jsonValue()
        ),
        (body) => {
          const reversed = Object.fromEntries(Object.entries(body).toReversed())
          expect(canonicalJson(reversed)).toBe(canonicalJson(body))
          expect(canonicalJson(JSON.parse(canonicalJson(body)))).toBe(canonicalJson(body))
        }
      )
    )
  })

  it("as an operator's amount is written as it was, but for needless zeros", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,10}(\.\d{1,4})?$/), (text) => {
        const amount = amountIn(text, "an amount")
        expect(Either.isRight(amount), text).toBe(true)
        expect(Number(toPlainText(Either.getOrThrow(amount)))).toBe(Number(text))
      })
    )
  })

  it("as bytes of a body is the text that they spell", () => {
    fc.assert(
      fc.property(
        fc.fullUnicodeString(),
        (text) => void expect(decodeUtf8(Buffer.from(text))).toEqual(Either.right(text))
      )
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
        const text = decodeUtf8(Buffer.from(bytes))
        if (Either.isRight(text)) expect(Buffer.from(text.right)).toEqual(Buffer.from(bytes))
      })
    )
  })

  it("as a signature is that of the body under the secret alone", () => {
    const bytes = fc.uint8Array({ maxLength: 50 })
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), bytes, bytes, (secret, body, other) => {
        const signature = kybSignature(secret, body)
        expect(isSignedBy(secret, body, signature)).toBe(true)
        expect(isSignedBy(`${secret}x`, body, signature)).toBe(false)
        expect(isSignedBy(secret, other, signature)).toBe(Buffer.from(other).equals(Buffer.from(body)))
        expect(isSignedBy(secret, body, signature.slice(1))).toBe(false)
      })
    )
  })
})
