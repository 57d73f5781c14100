/** Webhook events: every type, when it is sent, and its data. */
import { Schema } from "effect"
import { AccountId, AttemptId, OrgId, PaymentId, TransactionId } from "../../domain/Ids.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { Flow, PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import type { EventType } from "../../domain/EventTypes.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { Id, idOf, Timestamp } from "./Envelope.ts"
import { exampleTimes } from "./Operation.ts"
import { PaymentFailure, refundRateFields } from "./PaymentsApi.ts"
import { VirtualTransaction } from "./VirtualAccountsApi.ts"
import { TransactionData } from "./WebhookLogApi.ts"

const Status = Schema.Literal(...paymentStatuses)
const Text = Schema.NullOr(Schema.String)

const PaymentEventData = Schema.Struct({
  payment_id: idOf(PaymentId),
  transaction_id: idOf(TransactionId),
  status: Status,
  previous_status: Status,
  amount: WireDecimal,
  currency: AnyCurrencyCode,
  target_amount: WireDecimal,
  target_currency: AnyCurrencyCode,
  direction: Flow,
  payment_method: PaymentMethod,
  provider: Schema.NullOr(ProviderName),
  client_reference: Text,
  updated_at: Timestamp,
  failure: Schema.optionalWith(PaymentFailure, { exact: true }).annotations({ description: "Only if failed" }),
  dispute: Schema.optionalWith(
    Schema.Struct({
      kind: Schema.Literal("returned", "regained"),
      amount: WireDecimal,
      currency: AnyCurrencyCode
    }),
    { exact: true }
  ).annotations({
    description:
      "Only in `transaction.updated`, and in `payment.refunded` if the provider took all of a payin back. `returned`: the provider took money of a payin back, or a payout came back. `regained`: that was undone. If a part was taken back, the status stays"
  }),
  adjustment: Schema.optionalWith(
    Schema.Struct({ amount: WireDecimal, currency: AnyCurrencyCode, reason: Schema.String }),
    { exact: true }
  ).annotations({
    description:
      "Only in `transaction.updated`. Amount credited to the organisation beyond the payment, or below zero charged or owed, in the currency of its balance"
  })
}).annotations({ identifier: "PaymentEventData" })

const RefundEventData = Schema.Struct({
  ...PaymentEventData.fields,
  amount: WireDecimal.annotations({ description: "Amount of this refund" }),
  refund_id: Schema.NullOr(idOf(AttemptId)).annotations({ description: "null: initiated by the provider" }),
  ...refundRateFields,
  refunded_amount: WireDecimal.annotations({ description: "Sum of all refunds" })
}).annotations({ identifier: "RefundEventData" })

const TestEventData = Schema.Struct({
  ...TransactionData.fields,
  amount: WireDecimal,
  test: Schema.Literal(true).annotations({ description: "It was asked for with `POST /public/webhooks/notify`" })
}).annotations({ identifier: "TestEventData" })

const AccountEventData = Schema.Struct({
  ...VirtualTransaction.fields,
  balance: WireDecimal.annotations({ description: "Of the account, after the transaction" })
}).annotations({ identifier: "AccountEventData" })

const FreezeEventData = Schema.Struct({
  account_id: idOf(AccountId),
  status: Schema.Literal("active", "frozen", "closed"),
  reason: Text.annotations({ description: "Why it was frozen" })
}).annotations({ identifier: "FreezeEventData" })

const KybEventData = Schema.Struct({
  org_id: idOf(OrgId),
  kyb_status: Schema.Literal("approved", "rejected"),
  reason: Text.annotations({ description: "In the KYB provider's words" })
}).annotations({ identifier: "KybEventData" })

const KycEventData = Schema.Struct({
  user_id: Schema.String.annotations({ description: "Id of the sender or beneficiary" }),
  request_id: Id,
  verification_type: Schema.Literal("bvn", "nin"),
  status: Schema.Literal("approved", "rejected")
}).annotations({ identifier: "KycEventData" })

const payment = {
  payment_id: "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88",
  transaction_id: "0199c2a5-0c11-7d21-9a41-7c6b5a493827",
  status: "completed",
  previous_status: "processing",
  amount: 1500,
  currency: "KES",
  target_amount: 1500,
  target_currency: "KES",
  direction: "inbound",
  payment_method: "mobile_money",
  provider: "fiat",
  client_reference: "order-1042",
  updated_at: "2026-03-02T09:15:01.200Z"
}

const failed = {
  ...payment,
  status: "failed",
  failure: { code: "PROVIDER_FAILED", message: "The customer has not enough money.", provider: "fiat" }
}

const part = {
  ...payment,
  previous_status: "completed",
  amount: 500,
  refund_id: "0199c2b1-4410-7c21-8e30-6b5a49382716",
  rate: null,
  rate_basis: null,
  refunded_amount: 500
}

const transaction = {
  transaction_id: "0199c2a6-2a04-7b32-9d76-7f2fbd9c8e53",
  account_id: "0199c2a6-1f02-7a11-8c54-5e0d9b7a6c31",
  org_id: "0199c2a4-7b10-7d01-8a5e-1c2d3e4f5a6b",
  user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  type: "credit",
  status: "completed",
  amount: 1500,
  fee: 0,
  currency: "KES",
  description: null,
  payment_rail: "bank_transfer",
  reference: "0199c2a6-2a03-7a21-8c65-6e1eac8b7d42",
  ...exampleTimes,
  balance: 4200
}

const frozen = { account_id: transaction.account_id, status: "frozen", reason: "Under investigation" }
const kyb = { org_id: transaction.org_id, kyb_status: "approved", reason: null }
const kyc = {
  user_id: transaction.user_id,
  request_id: "0199c2a9-3b61-7e81-9c54-6f7a8b9c0d1e",
  verification_type: "bvn",
  status: "approved"
}

interface AboutEvent {
  readonly fires: string
  readonly data: Schema.Schema.Any
  readonly example: Readonly<Record<string, unknown>>
}

const event = (fires: string, data: AboutEvent["data"], example: AboutEvent["example"]): AboutEvent => ({
  fires,
  data,
  example
})

const canceled = { ...payment, status: "canceled", previous_status: "pending" }
const processing = { ...payment, status: "processing", previous_status: "initiated" }
const unfrozen = { ...frozen, status: "active", reason: null }
const rejectedKyb = { ...kyb, kyb_status: "rejected", reason: "The certificate of incorporation has expired." }

export const eventsAbout: Readonly<Record<EventType, AboutEvent>> = {
  "payment.completed": event("A payment is completed.", PaymentEventData, payment),
  "payment.failed": event(
    "A payment failed or was rejected by a reviewer; `failure` has the reason.",
    PaymentEventData,
    failed
  ),
  "payment.processing": event("A payment was sent to a provider for the first time.", PaymentEventData, processing),
  "payment.canceled": event(
    "Extension. A payment was canceled, or a ramp was not paid in time.",
    PaymentEventData,
    canceled
  ),
  "payment.refunded": event("Extension. A payment was refunded, in part or in full.", RefundEventData, part),
  "payment.refund_failed": event("Extension. A refund failed, or was returned.", RefundEventData, {
    ...part,
    refunded_amount: 0
  }),
  "virtual_account.deposit": event(
    "A virtual account was credited, also by a withdrawal that was returned, which is then `reversed`.",
    AccountEventData,
    transaction
  ),
  "virtual_account.withdrawal": event("A virtual account was debited.", AccountEventData, {
    ...transaction,
    type: "debit",
    balance: 1200
  }),
  "virtual_account.frozen": event(
    "Extension. A virtual account was frozen: debits are rejected.",
    FreezeEventData,
    frozen
  ),
  "virtual_account.unfrozen": event("Extension. A virtual account allows debits again.", FreezeEventData, unfrozen),
  "kyb.approved": event("The organisation passed its KYB check.", KybEventData, kyb),
  "kyb.rejected": event("The organisation did not pass its KYB check.", KybEventData, rejectedKyb),
  "kyc.approved": event("Extension. A requested verification of a person was approved.", KycEventData, kyc),
  "kyc.rejected": event("Extension. A requested verification of a person was rejected.", KycEventData, {
    ...kyc,
    status: "rejected"
  }),
  "transaction.updated": event(
    "The status of a payment changed. `dispute`: a provider reversed or reinstated it, in part or in full. `adjustment`: an operator or a won dispute credited or charged the organisation. Also used for test notifications.",
    Schema.Union(PaymentEventData, TestEventData),
    payment
  )
}

export const eventEnvelope = (type: EventType) =>
  Schema.Struct({
    event_id: Id.annotations({ description: "The same in every delivery of the event: process each once" }),
    event_type: Schema.Literal(type),
    org_id: idOf(OrgId),
    created_at: Timestamp,
    data: eventsAbout[type].data
  })

export const eventExample = (type: EventType) => ({
  event_id: "0199c2a8-2e50-7c6f-9a32-4d5e6f7a8b9c",
  event_type: type,
  org_id: transaction.org_id,
  created_at: "2026-03-02T09:15:01.200Z",
  data: eventsAbout[type].example
})
