import { Option } from "effect"
import * as fc from "fast-check"
import { crc32 } from "node:zlib"
import { describe, expect, it } from "vitest"
import { API_KEY_RANDOM_BYTES, formatApiKey, parseApiKey, prefixOf } from "../../src/domain/ApiKeyFormat.ts"

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const mode = fc.constantFrom("test" as const, "live" as const)
const usableBytes = fc.uint8Array({ minLength: 32, maxLength: 64, max: 247 })
const apiKey = fc.tuple(mode, usableBytes).map(([mode, bytes]) => formatApiKey(mode, bytes))

const base62Number = (text: string) => [...text].reduce((n, character) => n * 62 + BASE62.indexOf(character), 0)

describe("formatApiKey", () => {
  it("writes prefix, 32 characters and the CRC-32 of both", () => {
    const key = formatApiKey(
      "test",
      Uint8Array.from({ length: 32 }, (_, i) => i)
    )
    expect(key.slice(0, 40)).toBe("ck_test_0123456789ABCDEFGHIJKLMNOPQRSTUV")
    expect(key).toHaveLength(46)
    expect(base62Number(key.slice(40))).toBe(crc32(key.slice(0, 40)))
  })

  it("agrees with zlib's CRC-32 for every key", () => {
    fc.assert(fc.property(apiKey, (key) => base62Number(key.slice(40)) === crc32(key.slice(0, 40))))
  })

  it("pads a small checksum with zeros", () => {
    const keys = Array.from({ length: 248 }, (_, byte) => formatApiKey("test", new Uint8Array(32).fill(byte)))
    const small = keys.filter((key) => crc32(key.slice(0, 40)) < 62 ** 5)
    expect(small.length).toBeGreaterThan(0)
    for (const key of small) expect(key).toMatch(/^.{40}0[0-9A-Za-z]{5}$/)
  })

  it("maps exactly four of the accepted byte values to each character", () => {
    const counts = new Map<string, number>()
    for (let byte = 0; byte < 248; byte++) {
      const character = formatApiKey("live", new Uint8Array(32).fill(byte)).charAt(8)
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    expect([...counts.keys()].sort().join("")).toBe(BASE62)
    expect(new Set(counts.values())).toEqual(new Set([4]))
  })

  it("skips the bytes that would make it biased", () => {
    const bytes = Uint8Array.from({ length: API_KEY_RANDOM_BYTES }, (_, i) => (i % 2 === 0 ? 248 + (i % 8) : 10))
    expect(formatApiKey("live", bytes).slice(8, 40)).toBe("A".repeat(32))
  })

  it("throws rather than writing a shorter key when the bytes run out", () => {
    expect(() => formatApiKey("live", new Uint8Array(31))).toThrow(RangeError)
    expect(() => formatApiKey("live", new Uint8Array(API_KEY_RANDOM_BYTES).fill(255))).toThrow("got 0")
  })
})

describe("parseApiKey", () => {
  it("reads back the mode and the prefix of every key", () => {
    fc.assert(
      fc.property(mode, usableBytes, (mode, bytes) => {
        const key = formatApiKey(mode, bytes)
        expect(parseApiKey(key)).toEqual(Option.some({ mode, prefix: key.slice(0, 12) }))
        expect(prefixOf(key)).toBe(key.slice(0, 12))
      })
    )
  })

  it("refuses every change of a single character", () => {
    fc.assert(
      fc.property(apiKey, fc.nat(45), fc.fullUnicode(), (key, at, other) => {
        fc.pre(key.charAt(at) !== other)
        expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toEqual(Option.none())
      })
    )
  })

  it("refuses every other base62 character at every place of one key", () => {
    const key = formatApiKey(
      "live",
      Uint8Array.from({ length: 32 }, (_, i) => i * 7)
    )
    for (let at = 0; at < key.length; at++) {
      for (const other of BASE62) {
        if (other === key.charAt(at)) continue
        expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toEqual(Option.none())
      }
    }
  })

  it("refuses a key moved to the other mode, cut short, made longer or surrounded by white space", () => {
    fc.assert(
      fc.property(apiKey, fc.nat(45), (key, length) => {
        const moved = key.startsWith("ck_test_") ? key.replace("test", "live") : key.replace("live", "test")
        for (const wrong of [moved, key.slice(0, length), `${key}0`, `${key}\n`, ` ${key}`]) {
          expect(parseApiKey(wrong)).toEqual(Option.none())
        }
      })
    )
  })

  it("refuses what only looks like a key", () => {
    fc.assert(fc.property(fc.fullUnicodeString(), (text) => Option.isNone(parseApiKey(text))))
    expect(parseApiKey(`ck_live_${"a".repeat(38)}`)).toEqual(Option.none())
    expect(parseApiKey("NONE")).toEqual(Option.none())
  })
})
