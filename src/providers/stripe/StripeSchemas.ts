/** Stripe's objects, as far as they are read here: whatever else is in them is nobody's business. */
import { Schema } from "effect"
import { StripeError } from "./StripeRefusals.ts"

const text = Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })

const metadata = Schema.optionalWith(Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.String })), {
  default: () => null
})

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(Schema.NullOr(schema), { default: () => null })

export const BankAddress = Schema.Struct({
  iban: maybe(Schema.Struct({ account_holder_name: text, iban: Schema.String, bic: text })),
  sort_code: maybe(Schema.Struct({ account_holder_name: text, account_number: Schema.String, sort_code: text })),
  spei: maybe(Schema.Struct({ bank_code: text, bank_name: text, clabe: Schema.String })),
  zengin: maybe(
    Schema.Struct({
      account_holder_name: text,
      account_number: Schema.String,
      bank_code: text,
      bank_name: text,
      branch_code: text
    })
  ),
  aba: maybe(
    Schema.Struct({
      account_holder_name: text,
      account_number: Schema.String,
      bank_name: text,
      routing_number: text
    })
  )
})

const NextStep = Schema.Struct({
  type: Schema.String,
  redirect_to_url: maybe(Schema.Struct({ url: text })),
  display_bank_transfer_instructions: maybe(
    Schema.Struct({
      reference: text,
      hosted_instructions_url: text,
      financial_addresses: Schema.optionalWith(Schema.Array(BankAddress), { default: () => [] })
    })
  )
})

/** Named by its id alone, unless the request asked for the whole. */
const Charge = Schema.Struct({
  id: Schema.String,
  amount_refunded: text,
  disputed: Schema.optionalWith(Schema.Boolean, { default: () => false })
})

const Intent = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  currency: Schema.String,
  amount: text,
  amount_received: text,
  client_secret: text,
  latest_charge: maybe(Schema.Union(Schema.String, Charge)),
  customer: text,
  metadata,
  next_action: maybe(NextStep),
  last_payment_error: maybe(StripeError)
})
export type Intent = typeof Intent.Type

const Refund = Schema.Struct({
  id: Schema.String,
  status: text,
  failure_reason: text,
  payment_intent: text,
  amount: text,
  currency: text,
  metadata
})
export type Refund = typeof Refund.Type

const Dispute = Schema.Struct({
  id: Schema.String,
  amount: Schema.String,
  currency: Schema.String,
  payment_intent: Schema.String,
  status: text,
  /** Negative: withdrawn from our balance; positive: reinstated. */
  balance_transactions: Schema.optionalWith(Schema.Array(Schema.Struct({ amount: Schema.String })), {
    default: () => []
  })
})
export type Dispute = typeof Dispute.Type

export const disputeIn = Schema.decodeUnknownOption(Dispute)
export const intentIn = Schema.decodeUnknownOption(Intent)
export const refundIn = Schema.decodeUnknownOption(Refund)
export const errorIn = Schema.decodeUnknownOption(Schema.Struct({ error: StripeError }))
export const listIn = Schema.decodeUnknownOption(
  Schema.Struct({
    data: Schema.Array(Schema.Unknown),
    has_more: Schema.optionalWith(Schema.Boolean, { default: () => false })
  })
)

export const refusedIntentIn = Schema.decodeUnknownOption(
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Literal("payment_intent_unexpected_state"),
      payment_intent: Schema.Struct({ status: Schema.String })
    })
  })
)

export const idIn = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String }))

export const referenceIn = (about: { readonly metadata: Intent["metadata"] }): string | null =>
  about.metadata?.["reference"] ?? null

export const chargeOf = ({ latest_charge: charge }: Intent): typeof Charge.Type | null =>
  typeof charge === "string" ? { id: charge, amount_refunded: null, disputed: false } : charge
