/** Values that often break parsers, columns or pages. */
import type { Draw } from "./Draw.ts"
import { Fields, Literal } from "./JsonText.ts"

const nested = (levels: number): Literal => new Literal("[".repeat(levels) + "]".repeat(levels))

const nestedObjects = (levels: number): Literal => new Literal('{"a":'.repeat(levels) + "1" + "}".repeat(levels))

export const oddTexts: ReadonlyArray<string> = [
  "",
  " ",
  "\t\n",
  "null",
  "undefined",
  "NONE",
  "a\u0000b",
  "\u0000",
  "\ufeff",
  "\u202egnirts",
  "e\u0301\u0301\u0301",
  "İstanbul ıI ß ŉ ǰ",
  "\u{1d54f}\u{10ffff}",
  "👩‍👩‍👧‍👦",
  "ﷺ".repeat(80),
  "\uffff\ufffe",
  "' or '1'='1",
  "1; drop",
  "\\",
  "\\u0000",
  "%00",
  "%",
  "%s%n%x",
  "../../../../../etc/passwd",
  "..\\..\\boot.ini",
  "<script>alert(1)</script>",
  "{{7*7}}${7*7}#{7*7}",
  "a\r\nX-Injected: yes",
  "=cmd|' /c calc'!A1",
  "__proto__",
  "constructor",
  "toString",
  "x".repeat(256),
  "x".repeat(1001),
  "x".repeat(70_000),
  "é".repeat(2000),
  "a@b",
  "a@b.c\u0000",
  '"quoted local"@example.com',
  `${"a".repeat(65)}@example.com`,
  "javascript:alert(1)",
  "http://user:pass@127.0.0.1/",
  "https://[::1]/",
  "http://0x7f.1/",
  "file:///etc/passwd",
  "https://",
  "0",
  "-1",
  "1e3",
  "0x10",
  "１２３",
  "٣",
  "NaN",
  "Infinity",
  "9".repeat(40),
  "0.00000000000000000000000000001",
  "+254712345678;ext=1",
  "+" + "9".repeat(30),
  "KES ",
  "kes",
  "ΚES",
  "XXX",
  "00000000-0000-0000-0000-000000000000",
  "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  "0199c2a47b107d018a5e1c2d3e4f5a6b",
  "{0199c2a4-7b10-7d01-8a5e-1c2d3e4f5a6b}"
]

export const oddTimes: ReadonlyArray<string> = [
  "2026-02-30",
  "2026-02-30T00:00:00Z",
  "0000-00-00",
  "0000-01-01",
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31",
  "9999-12-31T23:59:59.999999999Z",
  "9999-12-31T23:59:59-23:59",
  "0000-01-01T00:00:00+23:59",
  "+275760-09-13T00:00:00.001Z",
  "-000001-01-01T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-12-31T23:59:60Z",
  "2026-01-01T00:00:00+99:99",
  "2026-01-01T00:00:00",
  "2026-01-01 00:00:00Z",
  "20260101",
  "1767225600",
  "infinity",
  "-infinity",
  "now",
  "epoch",
  "today"
]

export const oddNumbers: ReadonlyArray<unknown> = [
  0,
  -1,
  1,
  0.5,
  0.001,
  1e-7,
  1e15,
  1e21,
  -1e21,
  999999999999999,
  2147483648,
  ...["1e309", "1e400", "-0", "-0.0", "1E-400", "1e-30", "1.0", "1.10", "100e-2", "0.1e1"].map(
    (text) => new Literal(text)
  ),
  ...[
    "9007199254740993",
    "9223372036854775807",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257827",
    "1".padEnd(400, "0")
  ].map((text) => new Literal(text))
]

const oddThings: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  [],
  {},
  [null],
  [[]],
  [{}],
  { length: 1e9 },
  { then: 1 },
  { toString: 1, valueOf: 1 },
  { $ref: "#" },
  { _tag: "None" },
  { value: 1, type: "LosslessNumber" },
  { constructor: { prototype: { admin: true } } },
  new Fields([["__proto__", { admin: true }]]),
  nested(20),
  nested(40),
  nested(20_000),
  nestedObjects(25),
  nestedObjects(5000),
  Array.from({ length: 1000 }, () => "x"),
  Array.from({ length: 20_000 }, (_, index) => index % 7),
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index]))
]

/** Invalid JSON in the place of a value. */
const brokenLiterals: ReadonlyArray<unknown> = [
  ...["NaN", "Infinity", "01", "+1", ".5", "1.", "0x1", "1_000", "undefined", "'x'", '"\\ud800"', '"\\udc00\\ud800"'],
  ...['"\\x41"', '"a\tb"', "/*c*/1", "tru", "[1,]", "{,}", '{"a"}', "--1", '"\\u00"', '"'],
  ...['{"a":1,"a":2}', '{"a":1,"\\u0061":2}']
].map((text) => new Literal(text))

export const oddValue = (draw: Draw): unknown =>
  draw.pick<() => unknown>([
    () => draw.pick(oddTexts),
    () => draw.pick(oddTexts),
    () => draw.pick(oddTimes),
    () => draw.pick(oddNumbers),
    () => draw.pick(oddNumbers),
    () => draw.pick(oddThings),
    () => draw.pick(brokenLiterals)
  ])()
