import { Either, Equal, Option } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { flutterwave } from "../../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { orderRequest } from "../../../src/providers/flutterwave/FlutterwaveRequests.ts"
import { moneyOfMajor, readJson } from "../../../src/providers/client/WireValues.ts"
import { orderFor } from "./FlutterwaveTestOrders.ts"

describe("amounts for Flutterwave", () => {
  const currencies = [...new Set(flutterwave.serves.flatMap((one) => one.currencies))] as Array<AnyCurrencyCode>

  it("are number literals with all their digits, and read back as the same", () => {
    fc.assert(
      fc.property(fc.constantFrom(...currencies), fc.bigInt(1n, 10n ** 24n), (currency, minor) => {
        const money = new Money({ currency, minor })
        const order = orderFor("card", "inbound", "NG", { money })
        const { body } = Either.getOrThrow(orderRequest(order, { callbackUrl: null, senderPhone: undefined }, 0))
        const [, literal = ""] = /"amount":(\d+(?:\.\d*[1-9])?),/.exec(body) ?? []
        expect(Equal.equals(Option.getOrThrow(moneyOfMajor(literal, currency)), money)).toBe(true)
        expect(Either.getOrThrow(readJson(body))).toMatchObject({ amount: literal })
      })
    )
  })
})
