import { expect, it } from "vitest"
import { optionsMatching } from "../../../src/console/state/TypedInput.ts"

const options = [
  ["1", "Ada Okafor, mobile money in KES"],
  ["2", "Ada Lovelace, bank in GBP"],
  ["3", "Chidi Okafor, bank in NGN"]
] as const

const idsOf = (typed: string) => optionsMatching(options, typed).map(([id]) => id)

it("leaves what has every word that was typed, wherever it stands", () => {
  expect(idsOf("")).toEqual(["1", "2", "3"])
  expect(idsOf("okafor")).toEqual(["1", "3"])
  expect(idsOf(" OKAFOR  bank ")).toEqual(["3"])
  expect(idsOf("okafor gbp")).toEqual([])
})
