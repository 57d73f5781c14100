/** Crypto ramps: fiat to crypto and back. */
import { Schema } from "effect"
import { PaymentId, TransactionId } from "../../domain/Ids.ts"
import { CountryCode } from "../../domain/Country.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import { CryptoAssetCode, CryptoNetwork, CurrencyCode } from "../../domain/Currency.ts"
import { AmountInput, PositiveNumberInput, WireDecimal } from "../../domain/Decimal.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { rampDirections } from "../../domain/Ramp.ts"
import { post, Named, operation, describedGroup } from "./Operation.ts"
import { idOf, Timestamp, optionalExact } from "./Envelope.ts"
import {
  AllProvidersFailed,
  InitiationBadRequest,
  InitiationConflict,
  InitiationNotFound,
  NoRoute
} from "./ErrorSchemas.ts"
import { Metadata, credentialFields, optionalOrNull, text } from "./RequestFields.ts"
import { MobileMoneyDetails, bankAccountFields, PayerDetails } from "./PaymentsInitApi.ts"

/** Examples in both directions. */
export const onRampRequest = {
  fiat_currency: "KES",
  fiat_amount: 13000,
  client_rate: 0.00773096250483,
  crypto_currency: "USDT",
  crypto_network: "TRON",
  country: "KE",
  customer_type: "retail",
  wallet_address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
  bank_details: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" },
  client_reference: "ramp-2044"
}

export const offRampRequest = {
  fiat_currency: "KES",
  fiat_amount: 12870,
  client_rate: 128.7,
  crypto_currency: "USDT",
  crypto_network: "TRON",
  country: "KE",
  customer_type: "retail",
  beneficiary_id: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77"
}

const ids = {
  payment_id: "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88",
  transaction_id: "0199c2a5-0c11-7d21-9a41-7c6b5a493827"
}

export const onRampAnswer = {
  statusCode: 200,
  response: {
    success: true,
    ...ids,
    direction: "on_ramp",
    status: "pending",
    fiat_currency: "KES",
    fiat_amount: 13000,
    crypto_currency: "USDT",
    crypto_network: "TRON",
    crypto_amount: 100.502512,
    provider: "fiat",
    expires_at: "2026-03-02T09:45:00.000Z",
    next_action: "make_transfer",
    payment_instructions: {
      type: "bank_transfer",
      account_name: "Corridor Sandbox",
      account_number: "0123456789",
      bank_name: "Corridor Sandbox Bank",
      amount: 13000,
      currency: "KES",
      reference: "CR4F1A2B3C4D",
      address: null,
      network: null
    },
    message: "The ramp waits for the customer's money."
  }
}

export const offRampAnswer = {
  statusCode: 200,
  response: {
    ...onRampAnswer.response,
    direction: "off_ramp",
    fiat_amount: 12870,
    crypto_amount: 100,
    provider: "crypto",
    payment_instructions: {
      type: "crypto_transfer",
      account_name: null,
      account_number: null,
      bank_name: null,
      amount: 100,
      currency: "USDT",
      reference: null,
      address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
      network: "TRON"
    }
  }
}

const Direction = Schema.Literal(...rampDirections)

const RampBank = Schema.Struct(bankAccountFields)

const RampDestination = Schema.Struct({
  accountNumber: bankAccountFields.account_number,
  bankCode: bankAccountFields.bank_code,
  bankName: bankAccountFields.bank_name
})

export const InitiateRamp = Schema.Struct({
  fiat_currency: CurrencyCode,
  fiat_amount: AmountInput.annotations({
    description: "Paid by the customer (on-ramp) or to the beneficiary (off-ramp), in `fiat_currency`"
  }),
  client_rate: PositiveNumberInput.annotations({
    jsonSchema: {
      type: "number",
      exclusiveMinimum: 0,
      description: "Rate looked up just before: fiat to crypto for an on-ramp, crypto to fiat for an off-ramp",
      examples: [0.00773096250483]
    }
  }),
  crypto_currency: CryptoAssetCode,
  crypto_network: CryptoNetwork,
  country: CountryCode,
  direction: optionalOrNull(Direction).annotations({
    description:
      "Extension. Required only for an off-ramp with a `wallet_address`; otherwise derived from the other fields"
  }),
  customer_type: optionalOrNull(Schema.Literal("retail", "institution")).annotations({
    description: "`retail` when absent; `institution` needs `business_id` and `business_name`"
  }),
  business_id: optionalOrNull(text(100, "Of an institution: its registration number")),
  business_name: optionalOrNull(text(200, "Of an institution: its registered name")),
  wallet_address: optionalOrNull(
    text(128, "Required for an on-ramp: an address on the main network of `crypto_network`")
  ),
  mobile_money_details: optionalOrNull(MobileMoneyDetails).annotations({
    description: "On-ramp: the paying account, unless `bank_details` is given. Off-ramp: the beneficiary's account"
  }),
  bank_details: optionalOrNull(RampBank).annotations({
    description:
      "On-ramp: the paying account, unless `mobile_money_details` is given. Off-ramp: the beneficiary's account"
  }),
  payer_details: optionalOrNull(PayerDetails).annotations({
    description: "Extension. On-ramp: the customer who pays. Some providers decline an on-ramp without it"
  }),
  beneficiary_id: optionalOrNull(Schema.String).annotations({
    description: "Required for an off-ramp: a beneficiary with a bank or mobile money account in `fiat_currency`"
  }),
  beneficiary_name: optionalOrNull(text(200, "Informational: the payout uses the registered name")),
  destination: optionalOrNull(RampDestination).annotations({ description: "Off-ramp: the beneficiary's account" }),
  client_reference: optionalOrNull(text(255, "Extension. The caller's own reference")),
  metadata: optionalOrNull(Metadata),
  ...credentialFields
}).annotations({ identifier: "InitiateRamp" })
export type RampRequest = typeof InitiateRamp.Type

/** Direction of a request, from its fields; undefined if no destination is given. */
export const statedDirection = <Stated>(
  request: { readonly [Field in keyof RampRequest]?: unknown } & { readonly direction?: Stated }
) => {
  if (request.direction !== undefined) return request.direction
  if (request.wallet_address !== undefined) return "on_ramp" as const
  const { bank_details, beneficiary_id, destination, mobile_money_details } = request
  const payout = [beneficiary_id, destination, bank_details, mobile_money_details]
  return payout.some((detail) => detail !== undefined) ? ("off_ramp" as const) : undefined
}

const shown = optionalExact(Schema.NullOr(Schema.String))

const RampInstructions = Schema.Struct({
  type: optionalExact(Schema.Literal("bank_transfer", "mobile_money", "crypto_transfer")),
  account_name: shown,
  account_number: shown,
  bank_name: shown,
  amount: optionalExact(WireDecimal),
  currency: optionalExact(Schema.String),
  reference: shown,
  address: shown.annotations({ description: "Extension. Deposit address, for `crypto_transfer`" }),
  network: optionalExact(Schema.NullOr(CryptoNetwork)).annotations({ description: "Extension. For `crypto_transfer`" })
}).annotations({
  identifier: "RampInstructions",
  description: "How the customer pays; `{}` if there is nothing to pay"
})

const rampActions = ["make_transfer", "wait", "collect_otp", "check_status", "pay_by_link", "redirect"] as const

export const RampResult = Schema.Struct({
  statusCode: Schema.Int,
  response: Schema.Struct({
    success: Schema.Boolean,
    payment_id: idOf(PaymentId),
    transaction_id: idOf(TransactionId),
    direction: Direction,
    status: Schema.Literal(...paymentStatuses),
    fiat_currency: CurrencyCode,
    fiat_amount: WireDecimal,
    crypto_currency: CryptoAssetCode,
    crypto_network: CryptoNetwork,
    crypto_amount: WireDecimal,
    provider: Schema.NullOr(ProviderName).annotations({ description: "Provider of the collection" }),
    expires_at: Schema.NullOr(Timestamp).annotations({ description: "30 minutes; null while held for review" }),
    next_action: optionalExact(Schema.Literal(...rampActions)).annotations({ description: "Absent: nothing to do" }),
    payment_link: optionalExact(Schema.String).annotations({ description: "Extension. For `pay_by_link`" }),
    redirect_url: optionalExact(Schema.String).annotations({ description: "Extension. For `redirect`" }),
    payment_instructions: RampInstructions,
    message: Schema.NullOr(Schema.String)
  })
}).annotations({ identifier: "RampResult" })

const description = [
  "Converts fiat to crypto (on-ramp) or crypto to fiat (off-ramp), in two legs: the customer's payment is collected first, then the payout is sent, exactly once.",
  [
    "- **On-ramp**, when `wallet_address` is given: the customer pays `fiat_amount` by bank transfer or mobile money (exactly one of `bank_details` and `mobile_money_details`), and `crypto_amount`, which is `fiat_amount` times the rate, rounded down, is sent to the wallet without another call.",
    "- **Off-ramp**, when `beneficiary_id` is given without a wallet: the customer sends `crypto_amount`, which is `fiat_amount` divided by the rate, rounded up, to the address in `payment_instructions`, and `fiat_amount` is paid to the beneficiary. Needs the role `staff` or the permission `payouts`. Other details of the destination are optional, and must match the beneficiary's account."
  ].join("\n"),
  "Look up the rate just before, in the direction of the money: `fromCurrency` is the fiat currency for an on-ramp, and the crypto asset for an off-ramp. A `client_rate` more than 0.5 percent away from the live rate, or of the opposite direction, is 400 `RATE_MISMATCH`. Amounts use the live rate. Computed crypto amounts have at most 8 fraction digits.",
  "USDT and USDC travel on ETHEREUM, POLYGON, TRON and SOLANA, BTC on BITCOIN, ETH on ETHEREUM and BASE.",
  "A ramp that reaches the organisation's `review_threshold` is held like any other payment: `status` `initiated`, `next_action` `wait`, `provider` and `expires_at` null, until someone else sends the action `review` (its answer, and the record's `instructions`, tell how the customer pays) or `reject`. Ramps are charged no fees.",
  "A ramp that is unpaid at `expires_at`, after 30 minutes, is `canceled`. `next_action` is `make_transfer` while the customer has to send something, `wait` for a confirmation on the customer's phone. Extensions: `pay_by_link` and `redirect` as in an initiation, with the address to send the customer to as `payment_link` or `redirect_url` at the top level of `response`; `collect_otp` and `check_status` as there. `org_id` and `user_id` in the body are ignored."
].join("\n\n")

export const RampsApi = describedGroup("ramps", "Crypto ramps", "From fiat to crypto and back.", [
  operation({
    endpoint: post("ramp", "/payments-init/ramp")
      .setPayload(InitiateRamp)
      .addSuccess(RampResult)
      .addError(InitiationConflict)
      .addError(NoRoute)
      .addError(AllProvidersFailed),
    access: "any",
    alsoNeeds: (request) => (statedDirection(request) === "off_ramp" ? "payouts" : undefined),
    movesMoney: true,
    summary: "Initiate a crypto ramp",
    description,
    request: new Named({
      on_ramp: { summary: "On-ramp, paid by bank transfer", value: onRampRequest },
      off_ramp: { summary: "Off-ramp, paid out to a beneficiary", value: offRampRequest }
    }),
    response: new Named({
      on_ramp: { summary: "On-ramp", value: onRampAnswer },
      off_ramp: { summary: "Off-ramp", value: offRampAnswer }
    })
  })
])
  .addError(InitiationBadRequest)
  .addError(InitiationNotFound)
