import { Either, Equal, Option } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { orderRequest } from "../../../src/providers/mtnMomo/MtnMomoRequests.ts"
import { mtnMomo } from "../../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import { moneyOfMajor } from "../../../src/providers/client/WireValues.ts"
import { ugandan } from "./MtnMomoTestOrders.ts"

describe("amounts for MTN", () => {
  const currencies = [...new Set(["EUR", ...mtnMomo.serves.flatMap((one) => one.currencies)])] as Array<AnyCurrencyCode>

  it("are written exactly, and read back as the same", () => {
    fc.assert(
      fc.property(fc.constantFrom(...currencies), fc.bigInt(1n, 10n ** 15n), (currency, minor) => {
        const money = new Money({ currency, minor })
        const { body } = Either.getOrThrow(orderRequest(ugandan({ money })))
        const text = body["amount"] as string
        expect(text).toMatch(/^\d+(\.\d*[1-9])?$/)
        expect(Equal.equals(Option.getOrThrow(moneyOfMajor(text, currency)), money)).toBe(true)
      })
    )
  })
})
