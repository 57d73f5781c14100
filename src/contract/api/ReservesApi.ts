/** Reserves: the part of payins that an organisation can spend later, and its releases. */
import { Schema } from "effect"
import { PaymentMethod, paymentMethods } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import { wholeInBasisPoints } from "../../domain/Fee.ts"
import { longestDelay, longestReserve } from "../../domain/Reserve.ts"
import { get, put, apiGroup, examples, operation } from "./Operation.ts"
import { envelope, success } from "./Envelope.ts"
import { NotFound } from "./ErrorSchemas.ts"
import { limitAmount } from "./RequestFields.ts"

const wholeNumber = (most: number, description: string) =>
  Schema.Int.pipe(Schema.between(0, most)).annotations({
    jsonSchema: { type: "integer", minimum: 0, maximum: most, description },
    message: () => ({ message: `is not a whole number from 0 to ${most}`, override: true })
  })

const method = PaymentMethod.annotations({
  message: () => ({ message: `is not one of ${paymentMethods.join(", ")}`, override: true })
})

const texts = {
  basis_points: "Share of the credited amount before fees, in basis points; 0: no reserve",
  reserve_days: "Days from completion until the reserve is released",
  delay_days: "Days from completion until the rest can be spent; 0: at once",
  minimum_amount: "Stays in the reserve: a release that would leave less waits; null: none",
  minimum_currency: "Currency of `minimum_amount`"
}

export const Reserve = Schema.Struct({
  payment_method: PaymentMethod,
  basis_points: Schema.Int.annotations({ description: texts.basis_points }),
  reserve_days: Schema.Int.annotations({ description: texts.reserve_days }),
  delay_days: Schema.Int.annotations({ description: texts.delay_days }),
  minimum_amount: Schema.NullOr(WireDecimal).annotations({ description: texts.minimum_amount }),
  minimum_currency: Schema.NullOr(AnyCurrencyCode).annotations({ description: texts.minimum_currency })
}).annotations({ identifier: "Reserve" })

export const SetReserve = Schema.Struct({
  payment_method: method,
  basis_points: Schema.optionalWith(wholeNumber(wholeInBasisPoints, texts.basis_points), {
    exact: true,
    default: () => 0
  }),
  reserve_days: Schema.optionalWith(wholeNumber(longestReserve, texts.reserve_days), { exact: true, default: () => 0 }),
  delay_days: Schema.optionalWith(wholeNumber(longestDelay, texts.delay_days), { exact: true, default: () => 0 }),
  minimum_amount: Schema.optionalWith(limitAmount(texts.minimum_amount), { exact: true, default: () => null }),
  minimum_currency: Schema.optionalWith(
    Schema.NullOr(AnyCurrencyCode).annotations({ description: texts.minimum_currency }),
    { exact: true, default: () => null }
  )
}).annotations({ identifier: "SetReserve" })

export const Reserves = Schema.Struct({
  rules: Schema.Array(Reserve).annotations({ description: "For payins from now on; none: all can be spent at once" }),
  releases: Schema.Array(
    Schema.Struct({
      date: Schema.String.annotations({ description: "A UTC day" }),
      currency: AnyCurrencyCode,
      amount: WireDecimal
    })
  ).annotations({ description: "Next releases by day and currency, at most 31; past days wait for a decision" })
}).annotations({ identifier: "Reserves" })

const rule = {
  payment_method: "card",
  basis_points: 1000,
  reserve_days: 180,
  delay_days: 2,
  minimum_amount: null,
  minimum_currency: null
}

export const ReservesApi = apiGroup(
  "reserves",
  "Reserves",
  "The part of payins that an organisation can spend later, against refunds and chargebacks.",
  [
    operation({
      endpoint: get("get", "/organizations/:org_id/reserves").addSuccess(envelope(Reserves)),
      access: "reports",
      lists: true,
      summary: "Read reserves and releases",
      description:
        "Extension. Rules for payins by payment method, and the next releases. The reserved amounts are balances of kind `reserve`.",
      response: examples({
        "A rolling reserve and a delay for cards": success("Reserves", {
          rules: [rule],
          releases: [
            { date: "2026-03-04", currency: "EUR", amount: 88.5 },
            { date: "2026-08-29", currency: "EUR", amount: 10 }
          ]
        }),
        "Nothing is held back": success("Reserves", { rules: [], releases: [] })
      })
    }),
    operation({
      endpoint: put("set", "/organizations/:org_id/reserves")
        .setPayload(SetReserve)
        .addSuccess(envelope(Schema.NullOr(Reserve)))
        .addError(NotFound),
      access: "platform",
      summary: "Set the reserve of a payment method",
      description:
        "Extension, audited. Replaces the whole rule of one payment method. A rule that holds nothing back is removed. It applies to payins that are initiated from now on. `minimum_amount` applies to releases at once.\n\nA completed payin credits its settlement or virtual account; the reserved part moves to the organisation's `reserve` account in the same transaction. Refunds and chargebacks of the payin take from its reserve first, then from the account, then they are owed. The release credits the remainder. It waits while a chargeback of the payin needs a decision. Payins through the organisation's own provider account have no reserve.",
      request: examples({
        "10 percent for 180 days, the rest after 2 days": rule,
        "Only a delay": { payment_method: "card", delay_days: 7 },
        "A reserve that never falls below 5,000 EUR": {
          ...{ payment_method: "card", basis_points: 500, reserve_days: 90 },
          ...{ minimum_amount: 5000, minimum_currency: "EUR" }
        },
        "Nothing any more": { payment_method: "card" }
      }),
      response: examples({
        Set: success("Reserve set", rule),
        Removed: success("Reserve removed", null)
      })
    })
  ]
)
