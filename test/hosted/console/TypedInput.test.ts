/** Text that people type or paste. */
import { describe, expect, it } from "vitest"
import { invitationCode, optionsMatching } from "../../../src/console/state/TypedInput.ts"

describe("filtered options", () => {
  const options = [
    ["1", "Ada Okafor, mobile money in KES"],
    ["2", "Ada Lovelace, bank in GBP"],
    ["3", "Chidi Okafor, bank in NGN"]
  ] as const

  const idsOf = (typed: string) => optionsMatching(options, typed).map(([id]) => id)

  it("keeps options with every typed word, in any place", () => {
    expect(idsOf("")).toEqual(["1", "2", "3"])
    expect(idsOf("okafor")).toEqual(["1", "3"])
    expect(idsOf(" OKAFOR  bank ")).toEqual(["3"])
    expect(idsOf("okafor gbp")).toEqual([])
  })
})

describe("invitation code", () => {
  it.each([
    "inv_4KkJYkHq4Z",
    "  inv_4KkJYkHq4Z ",
    "POST https://pay.example/v1/organizations/invitations/inv_4KkJYkHq4Z/accept",
    "https://pay.example/console#/invitation/inv_4KkJYkHq4Z"
  ])("%s", (text) => expect(invitationCode(text)).toBe("inv_4KkJYkHq4Z"))
})
