import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import * as fc from "fast-check"
import { isAnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { enquiryOf } from "../../../src/providers/paystack/PaystackAnswers.ts"
import { hostedPage, refund, transfer } from "../../../src/providers/paystack/PaystackRequests.ts"
import { paystack } from "../../../src/providers/paystack/PaystackAdapter.ts"
import { readJson } from "../../../src/providers/client/WireValues.ts"
import { amount, attemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf } from "../support/ScriptedReplies.ts"
import { byCard, toBank } from "./PaystackTestOrders.ts"

const currencies = [...new Set(paystack.serves.flatMap((one) => one.currencies))].filter(isAnyCurrencyCode)

const money = fc
  .tuple(fc.constantFrom(...currencies), fc.bigInt({ min: 1n, max: 10n ** 20n }))
  .map(([currency, minor]) => new Money({ currency, minor }))

const amountIn = (body: string | undefined): unknown =>
  (Either.getOrThrow(readJson(body ?? "")) as { amount: unknown }).amount

describe("amounts at Paystack", () => {
  it("are whole hundredths of whatever currency, however large, and come back as they went", () => {
    fc.assert(
      fc.property(money, (one) => {
        const wanted = one.minor.toString()
        expect(amountIn(Either.getOrThrow(hostedPage(byCard({ money: one }))).body)).toBe(wanted)
        expect(amountIn(Either.getOrThrow(transfer(toBank("NG", { money: one }), "RCP_x")).body)).toBe(wanted)
        const brought = attemptOf(byCard({ money: one }))
        expect(amountIn(Either.getOrThrow(refund(refundOf(brought))).body)).toBe(wanted)
        const text = `{"status":true,"data":{"id":7,"status":"success","amount":${wanted},"currency":"${one.currency}"}}`
        const report = enquiryOf("transaction")(replyOf(200, text))
        expect(report).toMatchObject({ _tag: "Report", movements: [{ amount: one }] })
      })
    )
  })

  it("that are finer than a hundredth are not sent", () => {
    const refused = Either.flip(hostedPage(byCard({ money: amount("1.234", "KWD") })))
    expect(Option.getOrThrow(Either.getRight(refused)).code).toBe("NOT_SUPPORTED")
  })
})
