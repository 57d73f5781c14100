import { createHmac } from "node:crypto"
import { Either, Option } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openCursor, page, sealCursor } from "../../../src/platform/pagination/Pagination.ts"

const macWith = (key: string) => (data: string) => createHmac("sha256", key).update(data).digest("hex")
const mac = macWith("secret")

const position = fc.array(
  fc.oneof(
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0))
  ),
  { maxLength: 4 }
)
const malformed = Either.left("the cursor is malformed or belongs to another list: start again without it")

describe("cursor", () => {
  it("opens what it sealed: base64 that a URL carries as it is", () => {
    fc.assert(
      fc.property(fc.string(), position, (scope, position) => {
        const text = sealCursor({ scope, position }, mac)
        expect(text).toMatch(/^(?:[A-Za-z0-9]{4})+(?:[A-Za-z0-9]{2}==|[A-Za-z0-9]{3}=)?$/)
        expect(openCursor(text, scope, mac)).toStrictEqual(Either.right(position))
      })
    )
  })

  it("refuses any changed, added or removed character", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=% \u0000é"
    fc.assert(
      fc.property(position, fc.nat(), fc.constantFrom(...alphabet), fc.nat({ max: 2 }), (position, at, other, kind) => {
        const text = sealCursor({ scope: "s", position }, mac)
        const index = at % text.length
        fc.pre(text[index] !== other)
        const changed = text.slice(0, index) + (kind === 2 ? "" : other) + text.slice(index + (kind === 1 ? 0 : 1))
        fc.pre(changed !== text)
        expect(openCursor(changed, "s", mac)).toStrictEqual(malformed)
      }),
      { numRuns: 2000 }
    )
  })

  it("refuses any changed bit of what it decodes to, unused bits of the last character included", () => {
    const text = sealCursor({ scope: "s", position: ["2026-01-01T00:00:00.000Z", "\ufffd"] }, mac)
    const bytes = Buffer.from(text, "base64")
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(openCursor(changed.toString("base64"), "s", mac)).toStrictEqual(malformed)
    }
    const last = text.replace(/=+$/, "").length - 1
    for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
      const changed = text.slice(0, last) + character + text.slice(last + 1)
      expect(Either.isRight(openCursor(changed, "s", mac))).toBe(changed === text)
    }
  })

  it("refuses a truncated replacement character, which would decode to the same text", () => {
    const hex = Buffer.from(sealCursor({ scope: "s", position: ["\ufffd"] }, mac), "base64").toString()
    const bytes = Buffer.from(hex, "hex")
    const at = bytes.indexOf(Buffer.from([0xef, 0xbf, 0xbd]), 16)
    const changed = Buffer.concat([bytes.subarray(0, at + 2), bytes.subarray(at + 3)])
    expect(changed.subarray(16).toString()).toBe(bytes.subarray(16).toString())
    const text = Buffer.from(changed.toString("hex")).toString("base64")
    expect(openCursor(text, "s", mac)).toStrictEqual(malformed)
  })

  it("refuses another scope and another key", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), position, (scope, other, position) => {
        fc.pre(scope !== other)
        const text = sealCursor({ scope, position }, mac)
        expect(openCursor(text, other, mac)).toStrictEqual(malformed)
        expect(openCursor(text, scope, macWith("another"))).toStrictEqual(malformed)
      })
    )
  })

  it("refuses random base64 and random text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.base64String(), fc.string(), fc.base64String({ minLength: 30 })), (text) => {
        expect(openCursor(text, "s", mac)).toStrictEqual(malformed)
      })
    )
    expect(openCursor("A".repeat(1_000_000), "s", mac)).toStrictEqual(malformed)
  })

  it("refuses a position of the wrong shape, even a sealed one", () => {
    expect(openCursor(sealCursor({ scope: "s", position: [Number.NaN] }, mac), "s", mac)).toStrictEqual(malformed)
  })
})

describe("page", () => {
  const positionOf = (row: number) => [`at-${row}`, row]

  it("cuts the extra row off and points at the last one shown", () => {
    expect(page([5, 4, 3], 2, positionOf)).toStrictEqual({
      items: [5, 4],
      hasMore: true,
      next: Option.some(["at-4", 4])
    })
  })

  it.each([[[5, 4]], [[5]], [[]]])("ends with the rows %j", (rows: ReadonlyArray<number>) => {
    expect(page(rows, 2, positionOf)).toStrictEqual({ items: rows, hasMore: false, next: Option.none() })
  })

  it("visits every row once when followed to the end", () => {
    fc.assert(
      fc.property(fc.nat(30), fc.integer({ min: 1, max: 7 }), (total, limit) => {
        const rows = Array.from({ length: total }, (_, index) => total - index)
        const seen: Array<number> = []
        let below = Infinity
        for (;;) {
          const { hasMore, items, next } = page(
            rows.filter((row) => row < below).slice(0, limit + 1),
            limit,
            positionOf
          )
          seen.push(...items)
          expect(hasMore).toBe(Option.isSome(next))
          if (Option.isNone(next)) break
          below = next.value[1] as number
        }
        expect(seen).toStrictEqual(rows)
      })
    )
  })
})
