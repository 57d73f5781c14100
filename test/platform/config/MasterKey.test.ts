import { Either, Redacted } from "effect"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { deriveMasterKey, type MasterKey, parseMasterKey, subkeyOf } from "../../../src/platform/config/MasterKey.ts"

const parse = (text: string): MasterKey => Either.getOrThrow(parseMasterKey(text))
const bytesOf = (key: MasterKey) => Buffer.from(Redacted.value(key.key)).toString("hex")
const keyBytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))

describe("parseMasterKey", () => {
  it("takes 32 bytes as they are, in hex of either case, base64 or base64url, padded or not", () => {
    fc.assert(
      fc.property(keyBytes, (bytes) => {
        const hex = bytes.toString("hex")
        const base64 = bytes.toString("base64")
        const base64url = bytes.toString("base64url")
        const texts = [hex, hex.toUpperCase(), base64, base64.slice(0, -1), base64url, `${base64url}=`, `${hex}\n`]
        for (const text of texts) expect(bytesOf(parse(text))).toBe(hex)
      })
    )
  })

  it("names a key by eight hex digits of a hash that is not the key's own", () => {
    const bytes = Buffer.alloc(32, 7)
    const digest = createHash("sha256").update("corridor key id").update(bytes).digest("hex")
    expect(parse(bytes.toString("hex")).id).toBe(digest.slice(0, 8))
  })

  it("stretches a passphrase, the same way every time", () => {
    const stretched = parse("sixteen letters!")
    expect(bytesOf(stretched)).toBe("506d3acc4b3f940be98fac4261a2fee81d64f3741e198a0e14a45804a767b973")
    expect(bytesOf(parse("  sixteen letters!\n"))).toBe(bytesOf(stretched))
    expect(bytesOf(parse("sixteen letters?"))).not.toBe(bytesOf(stretched))
  })

  it("takes the base64 of another number of bytes for a passphrase, not for a short key", () => {
    const text = Buffer.alloc(24, 9).toString("base64")
    expect(bytesOf(parse(text))).not.toContain("0909")
    expect(Redacted.value(parse(text).key)).toHaveLength(32)
  })

  it("reads a composed and a decomposed accent as the same passphrase", () => {
    expect(bytesOf(parse("caf\u00e9 caf\u00e9 caf\u00e9 caf\u00e9"))).toBe(
      bytesOf(parse("cafe\u0301 cafe\u0301 cafe\u0301 cafe\u0301"))
    )
  })

  it("refuses anything shorter than 16 characters and says how to make a key, without repeating it", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 15 }), (text) => {
        const message = Either.getOrThrow(Either.flip(parseMasterKey(text)))
        expect(message).toContain("openssl rand -hex 32")
        expect(message).toContain("16 characters")
      })
    )
    expect(Either.isLeft(parseMasterKey("fifteen letters"))).toBe(true)
    expect(Either.isLeft(parseMasterKey(" ".repeat(64)))).toBe(true)
    expect(Either.getLeft(parseMasterKey("hunter2hunter2!"))).not.toMatchObject({
      value: expect.stringContaining("hunter2")
    })
  })

  it("does not show the key when it is printed", () => {
    const key = parse("ab".repeat(32))
    expect(`${JSON.stringify(key)} ${String(key.key)}`).not.toContain("171")
    expect(String(key.key)).toBe("<redacted>")
  })
})

describe("deriveMasterKey", () => {
  it("gives each seed a key of its own that stays the same", () => {
    expect(deriveMasterKey("sandbox").id).toBe(deriveMasterKey("sandbox").id)
    expect(bytesOf(deriveMasterKey("sandbox"))).toBe("deb91c000c4c8c5f6eb2d417e2c3e709f21f4393d85b1dac13d534448937709f")
    expect(bytesOf(deriveMasterKey("sandbox"))).not.toBe(bytesOf(deriveMasterKey("sandbox2")))
  })
})

describe("subkeyOf", () => {
  it("differs by purpose and by master key, and from the master key", () => {
    const [one, two] = [deriveMasterKey("one"), deriveMasterKey("two")]
    const hex = [subkeyOf(one, "a"), subkeyOf(one, "b"), subkeyOf(two, "a")].map((k) => Buffer.from(k).toString("hex"))
    expect(new Set([...hex, bytesOf(one), bytesOf(two)]).size).toBe(5)
  })
})
