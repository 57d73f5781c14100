/** The fields that we read of Stripe's objects. */
import { Schema } from "effect"
import { StripeError } from "./StripeRefusals.ts"
import { orNull, textOrNull, objectReader } from "../client/WireValues.ts"

const metadata = orNull(Schema.Record({ key: Schema.String, value: Schema.String }))

export const BankAddress = Schema.Struct({
  iban: orNull(Schema.Struct({ account_holder_name: textOrNull, iban: Schema.String, bic: textOrNull })),
  sort_code: orNull(
    Schema.Struct({ account_holder_name: textOrNull, account_number: Schema.String, sort_code: textOrNull })
  ),
  spei: orNull(Schema.Struct({ bank_code: textOrNull, bank_name: textOrNull, clabe: Schema.String })),
  zengin: orNull(
    Schema.Struct({
      account_holder_name: textOrNull,
      account_number: Schema.String,
      bank_code: textOrNull,
      bank_name: textOrNull,
      branch_code: textOrNull
    })
  ),
  aba: orNull(
    Schema.Struct({
      account_holder_name: textOrNull,
      account_number: Schema.String,
      bank_name: textOrNull,
      routing_number: textOrNull
    })
  )
})

const NextStep = Schema.Struct({
  type: Schema.String,
  redirect_to_url: orNull(Schema.Struct({ url: textOrNull })),
  display_bank_transfer_instructions: orNull(
    Schema.Struct({
      reference: textOrNull,
      hosted_instructions_url: textOrNull,
      financial_addresses: Schema.optionalWith(Schema.Array(BankAddress), { default: () => [] })
    })
  )
})

/** Named by its id alone, unless the request asked for the whole. */
const Charge = Schema.Struct({
  id: Schema.String,
  amount_refunded: textOrNull,
  disputed: Schema.optionalWith(Schema.Boolean, { default: () => false })
})

const Intent = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  currency: Schema.String,
  amount: textOrNull,
  amount_received: textOrNull,
  latest_charge: orNull(Schema.Union(Schema.String, Charge)),
  customer: textOrNull,
  metadata,
  next_action: orNull(NextStep),
  last_payment_error: orNull(StripeError)
})
export type Intent = typeof Intent.Type

/** A page of Stripe's. `payment_intent`: by its id alone, unless the request asked for the whole. */
const Session = Schema.Struct({
  id: Schema.String,
  status: textOrNull,
  url: textOrNull,
  created: textOrNull,
  expires_at: textOrNull,
  amount_total: textOrNull,
  currency: textOrNull,
  payment_intent: orNull(Schema.Union(Schema.String, Intent)),
  metadata
})
export type Session = typeof Session.Type

const Refund = Schema.Struct({
  id: Schema.String,
  status: textOrNull,
  failure_reason: textOrNull,
  payment_intent: textOrNull,
  amount: textOrNull,
  currency: textOrNull,
  metadata
})
export type Refund = typeof Refund.Type

const Dispute = Schema.Struct({
  id: Schema.String,
  amount: Schema.String,
  currency: Schema.String,
  payment_intent: Schema.String,
  status: textOrNull,
  /** Negative: withdrawn from our balance; positive: reinstated. */
  balance_transactions: Schema.optionalWith(
    Schema.Array(Schema.Struct({ amount: Schema.String, currency: textOrNull })),
    { default: () => [] }
  )
})
export type Dispute = typeof Dispute.Type

export const disputeIn = Schema.decodeUnknownOption(Dispute)
export const intentIn = Schema.decodeUnknownOption(Intent)
export const sessionIn = Schema.decodeUnknownOption(Session)
export const refundIn = Schema.decodeUnknownOption(Refund)
export const errorIn = objectReader({ error: StripeError })
export const listIn = objectReader({
  data: Schema.Array(Schema.Unknown),
  has_more: Schema.optionalWith(Schema.Boolean, { default: () => false })
})

export const refusedIntentIn = objectReader({
  error: Schema.Struct({
    code: Schema.Literal("payment_intent_unexpected_state"),
    payment_intent: Schema.Struct({ status: Schema.String })
  })
})

export const idIn = objectReader({ id: Schema.String, created: textOrNull })

/** Of a charge: which payment of ours it is of. */
export const ofChargeIn = objectReader({ payment_intent: textOrNull, metadata })

export const referenceIn = (about: { readonly metadata: Intent["metadata"] }): string | null =>
  about.metadata?.["reference"] ?? null

export const chargeOf = ({ latest_charge: charge }: Intent): typeof Charge.Type | null =>
  typeof charge === "string" ? { id: charge, amount_refunded: null, disputed: false } : charge
