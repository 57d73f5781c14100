import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { wantedFee } from "../../../src/cli/database/LocalMoney.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"

type Options = Readonly<Partial<Record<"method" | "direction" | "bps" | "fixed" | "currency", string>>>

const typed = ({ bps, currency, direction = "inbound", fixed, method = "card" }: Options) =>
  wantedFee({
    method,
    direction,
    bps: Option.fromNullable(bps),
    fixed: Option.fromNullable(fixed),
    currency: Option.fromNullable(currency)
  })

const termsOf = (options: Options) => Effect.map(typed(options), ({ terms }) => terms)

describe("a fee rule as it is typed", () => {
  it.effect("is taken digit for digit", () =>
    Effect.gen(function* () {
      const KES = CurrencyCode.make("KES")
      expect(
        yield* typed({ method: "crypto", direction: "external", bps: "10000", fixed: "1.50", currency: "KES" })
      ).toEqual({
        subject: { payment_method: "crypto", direction: "external" },
        terms: { basis_points: 10_000, fixed: new Money({ currency: KES, minor: 150n }) }
      })
      expect(yield* termsOf({ fixed: "0.00000001", currency: "BTC" })).toEqual({
        basis_points: 0,
        fixed: new Money({ currency: "BTC", minor: 1n })
      })
      const nothing = { basis_points: 0, fixed: null }
      expect(yield* termsOf({ bps: "0" })).toEqual(nothing)
      expect(yield* termsOf({ fixed: "0" })).toEqual(nothing)
      expect(yield* termsOf({ bps: "0", fixed: "0.00", currency: "KES" })).toEqual(nothing)
    })
  )

  it.effect("is refused in a sentence that names the option", () =>
    Effect.gen(function* () {
      const points = "--bps is not a whole number from 0 to 10000."
      const decimal = "--fixed is not a decimal number such as 10.50."
      const cases: ReadonlyArray<readonly [Options, string]> = [
        [
          { method: "cash", bps: "1" },
          "--method is not a payment method: use one of bank_transfer, card, mobile_money, crypto, wallet."
        ],
        [{ direction: "payin", bps: "1" }, "--direction is not a direction: use one of inbound, outbound, external."],
        [{ bps: "10001" }, points],
        [{ bps: "-1" }, points],
        [{ bps: "1.5" }, points],
        [{ bps: "1e2" }, points],
        [{ bps: "" }, points],
        [{ fixed: "ten", currency: "KES" }, decimal],
        [{ fixed: "1e2", currency: "KES" }, decimal],
        [{ fixed: "-1", currency: "KES" }, "--fixed is below zero."],
        [{ fixed: "1234567890123456", currency: "KES" }, "--fixed has more than 15 significant digits."],
        [{ fixed: "10.505", currency: "KES" }, "--fixed has more than 2 fraction digits, which KES does not allow."],
        [{ fixed: "0.5", currency: "UGX" }, "--fixed has a fraction, but UGX has no minor unit."],
        [{ fixed: "10" }, "--fixed needs --currency, the currency that it is in."],
        [{ bps: "10", currency: "KES" }, "--currency needs --fixed, the amount that is in it."],
        [{}, "Say what to charge: --bps, or --fixed with --currency, or both (--bps 0 removes the rule)."]
      ]
      for (const [options, sentence] of cases) {
        const refused = yield* Effect.flip(typed(options))
        expect(refused._tag).toBe("Invalid")
        expect(refused.message, JSON.stringify(options)).toBe(sentence)
      }
      const many = yield* Effect.flip(typed({ method: "cash", direction: "up", bps: "x", fixed: "y", currency: "kes" }))
      expect(many.message).toMatch(/^--method is .* --direction is .* --bps is .* --fixed is .* --currency is neither/)
    })
  )
})
