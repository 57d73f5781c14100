/** What the pages are compared by can tell a page that is wrong. */
import { expect, it } from "vitest"
import { isAsShown, objectsIn } from "./Shown.ts"

const came = { id: "01a1e2e1-1489-740d-a0b1-5659916688ec", amount: 1500, list: [{ a: 1 }, { a: 2 }], none: [] }

it.each([
  [{ amount: 1500 }, true],
  [{ amount: 1501 }, false],
  [{ missing: null }, false],
  [{ id: "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88" }, true],
  [{ id: "another" }, false],
  [{ amount: "01a1e2e1-1489-740d-a0b1-5659916688ec" }, false],
  [{ list: [{ a: 2 }] }, true],
  [{ list: [{ a: 2 }, { a: 1 }] }, false],
  [{ list: [] }, false],
  [{ none: [] }, true]
])("%j is as shown: %s", (shown, wanted) => {
  expect(isAsShown(shown, came)).toBe(wanted)
})

it("finds JSON behind JSON and among words", () => {
  expect(objectsIn('a {"b":"}{"}{"c":{"d":1}} {no} "')).toEqual([{ b: "}{" }, { c: { d: 1 } }])
})
