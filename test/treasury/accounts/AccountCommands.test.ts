/** `corridor accounts resolve` and its parsing of options. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { transferDecision } from "../../../src/cli/actions/MoneyActions.ts"

const typed = (as: "credited" | "returned", options: Readonly<Record<string, string>> = {}) =>
  transferDecision({
    ...{ id: "transfer", json: false, as, reason: options["reason"] ?? " seen " },
    account: Option.fromNullable(options["account"]),
    org: Option.fromNullable(options["org"]),
    movement: Option.fromNullable(options["movement"])
  })

describe("corridor accounts resolve", () => {
  it.effect("asks for what was typed", () =>
    Effect.gen(function* () {
      const credited = { outcome: "credited", reason: "seen" }
      expect(yield* typed("credited", { account: "a" })).toEqual({ ...credited, account_id: "a" })
      expect(yield* typed("credited", { org: "o" })).toEqual({ ...credited, org_id: "o" })
      expect(yield* typed("returned")).toEqual({ outcome: "returned", reason: "seen" })
      expect(yield* typed("returned", { movement: "m" })).toMatchObject({ movement_id: "m" })
    })
  )

  it.effect("refuses what means nothing, and names the option", () =>
    Effect.gen(function* () {
      for (const [as, options, words] of [
        ["credited", {}, "--account or --org"],
        ["credited", { account: "a", org: "o" }, "--account or --org"],
        ["credited", { account: "a", movement: "m" }, "--movement"],
        ["returned", { account: "a" }, "--account and --org"],
        ["returned", { reason: " " }, "--reason"]
      ] as const) {
        expect((yield* Effect.flip(typed(as, options))).message).toContain(words)
      }
    })
  )
})
