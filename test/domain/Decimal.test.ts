import { BigDecimal, Either, JSONSchema, Option, ParseResult, Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  AmountInput,
  divideRounded,
  fractionDigits,
  fromJsonNumber,
  fromPlainText,
  inexact,
  PositiveNumberInput,
  RateInput,
  type Rounding,
  roundToScale,
  roundToSignificantDigits,
  significantDigits,
  stringifyWire,
  toPlainText,
  toWireText,
  WireDecimal,
  WireNumber
} from "../../src/domain/Decimal.ts"

const dec = (text: string) => BigDecimal.unsafeFromString(text)

const refusalOf = (schema: Schema.Schema<BigDecimal.BigDecimal, number>, input: unknown): string | undefined => {
  const result = Schema.decodeUnknownEither(schema)(input)
  return Either.isLeft(result) ? ParseResult.ArrayFormatter.formatErrorSync(result.left)[0]?.message : undefined
}

const decimals = (maxDigits: number) =>
  fc
    .tuple(fc.bigInt(-(10n ** BigInt(maxDigits)) + 1n, 10n ** BigInt(maxDigits) - 1n), fc.integer({ min: -6, max: 20 }))
    .map(([value, scale]) => BigDecimal.make(value, scale))

describe("reading JSON numbers", () => {
  it.each([
    [1500, "1500"],
    [0.1, "0.1"],
    [1e21, "1000000000000000000000"],
    [1.5e-7, "0.00000015"],
    [-2.5, "-2.5"],
    [-0, "0"]
  ])("reads %d as %s", (n, text) => {
    expect(toPlainText(Either.getOrThrow(fromJsonNumber(n)))).toBe(text)
  })

  it.each([NaN, Infinity, -Infinity])("refuses %d", (n) => {
    expect(fromJsonNumber(n)).toEqual(Either.left("is not a finite number"))
  })

  it("reads back every double exactly", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
        expect(Number(toPlainText(Either.getOrThrow(fromJsonNumber(n))))).toBe(n + 0)
      })
    )
  })
})

describe("digits", () => {
  it.each([
    ["1500", 2, 0],
    ["0.10", 1, 1],
    ["10.000", 1, 0],
    ["-12.345", 5, 3],
    ["123456789012345.6", 16, 1]
  ])("counts those of %s", (text, significant, fraction) => {
    expect(significantDigits(dec(text))).toBe(significant)
    expect(fractionDigits(dec(text))).toBe(fraction)
  })
})

describe("rounding", () => {
  const oracle = (value: bigint, divisor: bigint, rounding: Rounding): bigint => {
    let candidate = value / divisor - 2n
    while ((candidate + 1n) * divisor <= value) candidate += 1n
    const [down, up] = [value - candidate * divisor, (candidate + 1n) * divisor - value]
    if (down === 0n || rounding === "floor") return candidate
    if (rounding === "ceiling") return candidate + 1n
    if (down !== up) return down < up ? candidate : candidate + 1n
    return [candidate, candidate + 1n].find((n) => n % 2n === 0n) ?? candidate
  }
  const roundings = fc.constantFrom<Rounding>("half-even", "floor", "ceiling")

  it("agrees with a count upwards from below", () => {
    fc.assert(
      fc.property(
        fc.bigInt(-100_000n, 100_000n),
        fc.constantFrom(1n, 3n, 8n, 10n, 100n, 1000n),
        roundings,
        (v, d, r) => {
          expect(divideRounded(v, d, r)).toBe(oracle(v, d, r))
        }
      ),
      { numRuns: 2000 }
    )
  })

  it.each([
    ["0.125", "0.12", "0.12", "0.13"],
    ["0.135", "0.14", "0.13", "0.14"],
    ["-0.125", "-0.12", "-0.13", "-0.12"],
    ["1500", "1500.00", "1500.00", "1500.00"],
    ["0.001", "0.00", "0.00", "0.01"]
  ])("takes %s to two digits", (text, halfEven, floor, ceiling) => {
    expect(toPlainText(roundToScale(dec(text), 2, "half-even"))).toBe(halfEven)
    expect(toPlainText(roundToScale(dec(text), 2, "floor"))).toBe(floor)
    expect(toPlainText(roundToScale(dec(text), 2, "ceiling"))).toBe(ceiling)
  })

  it("keeps no more significant digits than asked, and never moves further than one of them", () => {
    fc.assert(
      fc.property(decimals(25), fc.integer({ min: 1, max: 15 }), roundings, (d, digits, rounding) => {
        const rounded = roundToSignificantDigits(d, digits, rounding)
        expect(significantDigits(rounded)).toBeLessThanOrEqual(digits)
        const distance = BigDecimal.abs(BigDecimal.subtract(d, rounded))
        const step = BigDecimal.make(1n, d.scale - Math.max(0, BigDecimal.abs(d).value.toString().length - digits))
        expect(BigDecimal.lessThan(distance, step)).toBe(true)
      })
    )
  })
})

describe("decimal text", () => {
  it.each([
    [150000n, 2, "1500.00"],
    [10n, 2, "0.10"],
    [1500n, 0, "1500.0"],
    [15n, -2, "1500.0"],
    [-5n, 2, "-0.05"],
    [-1500n, 0, "-1500.0"],
    [0n, 2, "0.00"],
    [0n, 0, "0.0"],
    [1n, 18, "0.000000000000000001"]
  ])("writes %d at scale %d as %s", (value, scale, text) => {
    expect(toWireText(BigDecimal.make(value, scale))).toBe(text)
  })

  it("round trips through JSON.parse and keeps its fraction", () => {
    fc.assert(
      fc.property(decimals(15), (d) => {
        const text = toWireText(d)
        expect(text).toMatch(/^-?(0|[1-9]\d*)\.\d+$/)
        expect((text.split(".")[1] ?? "").length).toBe(Math.max(1, d.scale))
        const read = Either.getOrThrow(fromJsonNumber(JSON.parse(text) as number))
        expect(BigDecimal.equals(read, d)).toBe(true)
      })
    )
  })

  it("reads plain text only", () => {
    expect(Option.map(fromPlainText("-12.50"), toPlainText)).toEqual(Option.some("-12.50"))
    for (const text of ["", "1e5", "NaN", "Infinity", "1.", ".5", " 1", "+1", "0x1"]) {
      expect(fromPlainText(text), text).toEqual(Option.none())
    }
  })
})

describe("AmountInput", () => {
  it.each([
    [Number("1e309"), "is not a finite number"],
    [NaN, "is not a finite number"],
    [-0, "is not above zero"],
    [0, "is not above zero"],
    [-5, "is not above zero"],
    ["100", "is not a JSON number"],
    [null, "is not a JSON number"],
    [true, "is not a JSON number"],
    [10n, "is not a JSON number"],
    [[5], "is not a JSON number"],
    [inexact("1"), "has more than 15 significant digits"],
    [1234567890123456, "has more than 15 significant digits"],
    [1e15, "has more than 15 significant digits"],
    [1e300, "has more than 15 significant digits"],
    [0.1 + 0.2, "has more than 15 significant digits"]
  ])("refuses %s", (input, reason) => {
    expect(refusalOf(AmountInput, input)).toContain(reason)
  })

  it("refuses an encoded response value", () => {
    expect(refusalOf(AmountInput, new WireNumber("1.00"))).toContain("is not a JSON number")
  })

  it("accepts every other number, exactly, and encodes it as a plain number again", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 15n - 1n), fc.integer({ min: 0, max: 20 }), (value, scale) => {
        const n = Number(`${value}e${-scale}`)
        const read = Schema.decodeUnknownSync(AmountInput)(n)
        expect(BigDecimal.equals(read, BigDecimal.make(value, scale))).toBe(true)
        expect(Schema.encodeSync(AmountInput)(read)).toBe(n)
      })
    )
  })
})

describe("RateInput and PositiveNumberInput", () => {
  it("takes rates of at most 12 significant digits", () => {
    expect(toPlainText(Schema.decodeUnknownSync(RateInput)(0.00773098569))).toBe("0.00773098569")
    expect(refusalOf(RateInput, 1.234567890123)).toBe("has more than 12 significant digits")
    expect(refusalOf(RateInput, inexact("1.5"))).toBe("has more than 12 significant digits")
    expect(refusalOf(RateInput, 0)).toBe("is not above zero")
  })

  it("takes any positive number where only closeness matters", () => {
    expect(toPlainText(Schema.decodeUnknownSync(PositiveNumberInput)(1 / 3))).toBe("0.3333333333333333")
    expect(toPlainText(Schema.decodeUnknownSync(PositiveNumberInput)(inexact("0.33333333333333333333")))).toBe(
      "0.3333333333333333"
    )
    expect(refusalOf(PositiveNumberInput, inexact("1e999"))).toBe("is not a finite number")
    expect(refusalOf(PositiveNumberInput, -1)).toBe("is not above zero")
    expect(refusalOf(PositiveNumberInput, "1")).toContain("is not a JSON number")
  })
})

describe("WireDecimal and stringifyWire", () => {
  const Body = Schema.Struct({ amount: WireDecimal, fee: Schema.NullOr(WireDecimal), items: Schema.Array(WireDecimal) })

  it("writes JSON numbers with their fraction", () => {
    const body = Schema.encodeSync(Body)({
      amount: BigDecimal.make(150000n, 2),
      fee: null,
      items: [dec("0.10"), dec("-1500"), dec("123456789012345678.00")]
    })
    expect(stringifyWire(body)).toBe('{"amount":1500.00,"fee":null,"items":[0.10,-1500.0,123456789012345678.00]}')
  })

  it("decodes what it encodes, before and after JSON", () => {
    fc.assert(
      fc.property(decimals(15), (d) => {
        const encoded = Schema.encodeSync(WireDecimal)(d)
        const viaJson: unknown = JSON.parse(stringifyWire(encoded))
        expect(typeof viaJson).toBe("number")
        expect(BigDecimal.equals(Schema.decodeUnknownSync(WireDecimal)(encoded), d)).toBe(true)
        expect(BigDecimal.equals(Schema.decodeUnknownSync(WireDecimal)(viaJson), d)).toBe(true)
      })
    )
  })

  it("refuses strings and numbers that are not finite", () => {
    expect(refusalOf(WireDecimal, "1.00")).toContain("is not a JSON number")
    expect(refusalOf(WireDecimal, NaN)).toBe("is not a finite number")
  })

  it("is JSON.stringify for everything else", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        fc.pre(!JSON.stringify(value).includes("\\u0000"))
        expect(stringifyWire(value)).toBe(JSON.stringify(value))
      })
    )
    expect(stringifyWire(undefined)).toBe("null")
    expect(stringifyWire({ a: undefined, b: 1 })).toBe('{"b":1}')
  })

  it("leaves text that only looks like a marker alone, beside real decimals", () => {
    const tricky = fc.stringOf(fc.constantFrom("\\", '"', "u0000", "\\u0000", "1.0", '"\\u00001.0"', ",", "x"))
    fc.assert(
      fc.property(fc.array(tricky), tricky, (texts, key) => {
        const written = stringifyWire({ texts, amount: new WireNumber("1.10"), [`k${key}`]: key })
        expect(written).toContain('"amount":1.10')
        expect(JSON.parse(written)).toEqual({ texts, amount: 1.1, [`k${key}`]: key })
      })
    )
  })
})

it("every schema is a number in JSON Schema, with an example", () => {
  for (const schema of [AmountInput, RateInput, PositiveNumberInput, WireDecimal]) {
    expect(JSONSchema.make(schema)).toMatchObject({ type: "number", examples: [expect.any(Number)] })
  }
})
