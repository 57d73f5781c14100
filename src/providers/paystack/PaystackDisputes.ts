/** Disputes at Paystack: how they end, and what they take. */
import { Option, Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { Movement } from "../../domain/Movement.ts"
import { meaningOf } from "../port/WireValues.ts"
import { moneyOf, text } from "./PaystackStates.ts"

const Dispute = Schema.Struct({
  id: text,
  resolution: text,
  refund_amount: text,
  currency: text,
  transaction: Schema.optionalWith(Schema.Struct({ reference: text, id: text, status: text, currency: text }), {
    nullable: true
  })
})
export type Dispute = typeof Dispute.Type

export const readDispute = Schema.decodeUnknownOption(Dispute)

/** Nothing is taken before a dispute is resolved, and then only where the merchant gave in or did not answer. */
const resolutions: Readonly<Record<string, "lost" | "won">> = {
  "merchant-accepted": "lost",
  "auto-accepted": "lost",
  declined: "won"
}

export const endOf = ({ resolution }: Dispute): "lost" | "won" | undefined => meaningOf(resolutions, resolution)

/** What a dispute that was lost has taken. */
export const reversalOf = (dispute: Dispute): (Movement & { readonly amount: Money }) | undefined => {
  const { currency, id, refund_amount: amount, transaction } = dispute
  const taken = moneyOf(amount, currency ?? transaction?.currency)
  return endOf(dispute) !== "lost" || id === undefined || taken === undefined
    ? undefined
    : { kind: "reversal", id, amount: taken, state: "settled" }
}

/** Of one transaction. The published answer is one dispute, where its name promises a list. */
export const reversalsIn = (data: unknown): Option.Option<ReadonlyArray<Movement>> => {
  const all = (Array.isArray(data) ? data : [data]).map((one: unknown) => readDispute(one))
  return Option.map(Option.all(all), (disputes) => disputes.flatMap((one) => reversalOf(one) ?? []))
}
