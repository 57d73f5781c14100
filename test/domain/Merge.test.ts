import { expect, it } from "@effect/vitest"
import { setFlagsFromString } from "node:v8"
import { extend, makeMerge, merge } from "../../src/domain/Merge.ts"

it("takes the last of equal names, in the order of the first object, and leaves both objects as they were", () => {
  const first = { a: 1, b: 2 }
  expect(merge(first, { b: 3 })).toEqual({ a: 1, b: 3 })
  expect(JSON.stringify(merge(first, { b: 3 }, { a: 4 }))).toBe('{"a":4,"b":3}')
  expect(JSON.stringify(extend(first, { c: 3 }))).toBe('{"a":1,"b":2,"c":3}')
  expect(first).toEqual({ a: 1, b: 2 })
})

it("copies a field called __proto__ as a field", () => {
  const hostile = JSON.parse('{"__proto__":{"isAdmin":true}}') as object
  const copy = extend({ a: 1 }, hostile)
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  expect("isAdmin" in copy).toBe(false)
})

it("merges objects of one type field by field, in the order of its names, and keeps a null", () => {
  const first: { a: number; b: number | null; c?: string } = { b: 2, a: 1 }
  const mergeOwn = makeMerge<typeof first>(["a", "b"])
  expect(JSON.stringify(mergeOwn(first))).toBe('{"a":1,"b":2}')
  expect(JSON.stringify(mergeOwn(first, { b: 3 }, { b: null }))).toBe('{"a":1,"b":null}')
  expect(first).toEqual({ a: 1, b: 2 })
})

it("gives objects of the same fields one hidden class, which a literal with a spread in front does not", () => {
  setFlagsFromString("--allow-natives-syntax")
  const haveSameMap = new Function("a", "b", "return %HaveSameMap(a, b)") as (a: object, b: object) => boolean
  setFlagsFromString("--no-allow-natives-syntax")
  const payment = (n: number) => ({ id: n, status: "pending", provider: null })
  const made = Array.from({ length: 1000 }, (_, n) => extend(payment(n), { version: n }))
  expect(haveSameMap(made.at(-1)!, made.at(-2)!)).toBe(true)
})
