/** Fees: what organisations are charged, by method and direction. */
import { Schema } from "effect"
import { Flow, PaymentMethod } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import { OrgId } from "../../domain/Ids.ts"
import { get, apiGroup, examples, exampleTimes, operation } from "./Operation.ts"
import { envelope, Id, idOf, OrgParam, success, timestamps } from "./Envelope.ts"

export const Fee = Schema.Struct({
  fee_rule_id: Id,
  org_id: idOf(OrgId),
  payment_method: PaymentMethod,
  direction: Flow,
  basis_points: Schema.Int.annotations({ description: "Share of the organisation's side of the payment" }),
  fixed_amount: Schema.NullOr(WireDecimal).annotations({ description: "Added to the share; null: none" }),
  fixed_currency: Schema.NullOr(AnyCurrencyCode).annotations({
    description: "The fixed amount counts only for payments in this currency"
  }),
  ...timestamps
}).annotations({ identifier: "Fee" })

export const FeesApi = apiGroup("fees", "Fees", "Fees that organisations pay for payments.", [
  operation({
    endpoint: get("list", "/fees", OrgParam).addSuccess(envelope(Schema.Array(Fee))),
    access: "reports",
    lists: true,
    summary: "List fee rules",
    description:
      "Extension. The rules of the organisation; for a platform admin who names none, of all. Payments without a rule are free. `corridor fees set` changes them.",
    response: examples({
      "A share and a fixed amount": success("Fees", [
        {
          fee_rule_id: "0199c2a4-8d30-7b11-9c22-6d7e8f901a2b",
          org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
          payment_method: "mobile_money",
          direction: "inbound",
          basis_points: 150,
          fixed_amount: 10,
          fixed_currency: "KES",
          ...exampleTimes
        }
      ]),
      "No fees": success("Fees", [])
    })
  })
])
