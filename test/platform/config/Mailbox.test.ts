import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { parseMailbox } from "../../../src/platform/config/Settings.ts"

describe("NOTIFY_FROM", () => {
  it("is an address, with or without a name", () => {
    for (const [text, mailbox] of [
      ["pay@kilimo.example", { name: "", address: "pay@kilimo.example" }],
      [" Kilimo Pay <pay@kilimo.example> ", { name: "Kilimo Pay", address: "pay@kilimo.example" }],
      ["Corridor <no-reply@localhost>", { name: "Corridor", address: "no-reply@localhost" }]
    ] as const) {
      expect(parseMailbox(text)).toEqual(Either.right(mailbox))
    }
  })

  it("is nothing else", () => {
    for (const text of [
      "",
      "pay",
      "pay@",
      "<>",
      "A <b>",
      "A\r\nBcc: <pay@kilimo.example>",
      "a@b.example, c@d.example"
    ]) {
      expect(Either.isLeft(parseMailbox(text))).toBe(true)
    }
  })
})
