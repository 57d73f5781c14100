/** Payment records, timelines, the list of transactions and the operations queue. */
import { movementKinds, movementSources, movementStates } from "../../domain/Movement.ts"
import { Schema } from "effect"
import {
  AccountId,
  AttemptId,
  BeneficiaryId,
  EscrowId,
  OrgId,
  PaymentId,
  TransactionId,
  UserId,
  WebhookId
} from "../../domain/Ids.ts"
import { holdsCardNumber } from "../../domain/Card.ts"
import { Flow, PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import { type FailureCode, failureCodes, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { get, examples, operation, apiGroup, pageExample } from "./Operation.ts"
import {
  envelope,
  Id,
  idOf,
  OrgParam,
  pageOf,
  PageParams,
  searchedPageOf,
  Timestamp,
  success,
  timestamps
} from "./Envelope.ts"
import { FromTime, ToTime } from "./RequestFields.ts"

const Text = Schema.NullOr(Schema.String)
const JsonObject = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Status = Schema.Literal(...paymentStatuses)

const codes = Object.keys(failureCodes) as [FailureCode, ...Array<FailureCode>]

export const PaymentFailure = Schema.Struct({
  code: Schema.Literal(...codes).annotations({
    description: codes.map((code) => `\`${code}\`: ${failureCodes[code]}`).join("; ")
  }),
  message: Schema.String.annotations({ description: "Message of the provider or operator" }),
  provider: Schema.NullOr(ProviderName).annotations({ description: "Null: no provider was involved" })
}).annotations({ identifier: "PaymentFailure" })

/** Rate of a refund. */
export const refundRateFields = {
  rate: Schema.NullOr(WireDecimal).annotations({
    description: "Cost of one unit of `currency` in `target_currency`, to 12 digits; null: same currency"
  }),
  rate_basis: Schema.NullOr(Schema.Literal("original", "live")).annotations({
    description:
      "`original`: rate of the payment, within 24 hours after completion; `live`: live rate of a later refund; null: no conversion"
  })
}

export const Refund = Schema.Struct({
  refund_id: idOf(AttemptId),
  amount: WireDecimal,
  currency: Schema.String,
  target_amount: WireDecimal.annotations({ description: "Cost to the organisation, rounded up" }),
  target_currency: Schema.String,
  ...refundRateFields,
  state: Schema.Literal("open", "completed", "failed").annotations({
    description: "`open`: in progress or unknown; `failed`: declined or returned"
  }),
  reason: Text.annotations({ description: "Reason given by the caller" }),
  requested_by: Text.annotations({
    description: "E-mail address, API key, or a platform admin by id; null: before it was recorded"
  }),
  created_at: Timestamp,
  settled_at: Schema.NullOr(Timestamp).annotations({ description: "null: open" })
}).annotations({ identifier: "Refund" })

export const PaymentRecord = Schema.Struct({
  payment_id: idOf(PaymentId),
  amount: WireDecimal,
  currency: Schema.String,
  user_id: idOf(UserId),
  status: Status,
  direction: Flow,
  payment_method: PaymentMethod,
  org_id: Schema.NullOr(idOf(OrgId)),
  beneficiary_id: Schema.NullOr(idOf(BeneficiaryId)),
  transaction_id: Schema.NullOr(idOf(TransactionId)),
  target_amount: Schema.NullOr(WireDecimal),
  target_currency: Text,
  from_currency: Text,
  region_id: Text.annotations({ description: "UN M49 sub-region of the country" }),
  payment_path_method: Schema.NullOr(Schema.Literal("direct", "intermediary", "third_party")),
  bank_account: JsonObject,
  card_details: JsonObject.annotations({ description: "Masked: bin, last4, brand, expiry, holder" }),
  mobile_money_details: JsonObject,
  payer_details: JsonObject,
  recipient_info: JsonObject.annotations({ description: "The beneficiary as it was at initiation" }),
  metadata: JsonObject,
  user_metadata: JsonObject,
  webhook_metadata: JsonObject.annotations({ description: "The provider's last callback" }),
  fee_ids: Schema.Array(Schema.String),
  total_fees: Schema.NullOr(WireDecimal).annotations({
    description: "In `target_currency` for inbound payments, else in `currency`; null: none"
  }),
  provider: Schema.NullOr(ProviderName),
  provider_payment_id: Text,
  provider_status: Text,
  provider_data: JsonObject,
  payout_initiated: Schema.Boolean,
  payout_id: Text,
  instructions: Text.annotations({ description: "Funding instructions as one sentence" }),
  comments: Text,
  client_reference: Text,
  description: Text,
  country: Schema.String,
  refunds: Schema.Array(Refund).annotations({
    description: "Extension. Requested refunds, oldest first. Empty if the provider returned the payment by itself"
  }),
  refunded_amount: WireDecimal.annotations({ description: "Extension. Sum of completed refunds, in `currency`" }),
  failure: Schema.NullOr(PaymentFailure).annotations({ description: "Extension. Reason of `failed` or `rejected`" }),
  virtual_account_id: Schema.NullOr(idOf(AccountId)).annotations({
    description: "Extension. Virtual account that the payin credits or the withdrawal is paid from"
  }),
  ...timestamps
}).annotations({ identifier: "PaymentRecord" })

const LONGEST_REFERENCE = 255

const SEARCH =
  "Extension. Finds payments by what a person knows of them: an amount (`1500`, `1,500.00`, `1.500,00`, `1500 KES`, `$1,500`), any parts of the name of payer or beneficiary, in any order and with or without accents, the last four digits of a card, any part of `client_reference`, an id or its first characters, a provider's id of the payment or of a transfer, an e-mail address or a phone number. A card number is 400: search for its last four digits"

export const SearchText = Schema.String.pipe(
  Schema.minLength(1),
  Schema.maxLength(LONGEST_REFERENCE),
  // Searches leave accents out: a text of accents alone is in every name.
  Schema.filter(
    (typed) =>
      typed
        .normalize("NFD")
        .replaceAll(/[\u0300-\u036f]/g, "")
        .trim() !== "" || "is blank"
  ),
  Schema.filter((typed) => !typed.includes("\0") || "contains a NUL character"),
  Schema.filter((typed) => !holdsCardNumber(typed) || "is a possible card number: search for its last four digits")
).annotations({
  description: SEARCH,
  jsonSchema: {
    type: "string",
    minLength: 1,
    maxLength: LONGEST_REFERENCE,
    description: SEARCH,
    examples: ["1,500.00 KES", "kamau", "1042"]
  }
})

const at = { at: Timestamp }

export const TimelineItem = Schema.Union(
  Schema.Struct({
    ...at,
    kind: Schema.Literal("status"),
    from: Schema.NullOr(Status),
    to: Status,
    cause: Schema.String
  }),
  Schema.Struct({
    ...at,
    kind: Schema.Literal("attempt"),
    attempt_id: idOf(AttemptId),
    provider: ProviderName,
    leg: Schema.String,
    outcome: Schema.NullOr(Schema.Literal("accepted", "declined", "unknown")),
    reason: Text.annotations({ description: "Reason of a decline or unknown outcome; who resolved it, if anyone" }),
    latency_ms: Schema.NullOr(Schema.Int),
    amount: Schema.NullOr(WireDecimal).annotations({ description: "Refunded amount; null for other legs" }),
    currency: Text,
    rate_basis: Schema.NullOr(Schema.Literal("original", "live")).annotations({
      description: "Rate of a refund; null for other legs and without conversion"
    })
  }),
  Schema.Struct({
    ...at,
    kind: Schema.Literal("callback"),
    provider: ProviderName,
    event_id: Schema.String,
    report: Schema.String,
    effect: Schema.String
  }),
  Schema.Struct({
    ...at,
    kind: Schema.Literal("operator"),
    item: Schema.String,
    detail: Schema.String,
    closed_at: Schema.NullOr(Timestamp),
    closed_by: Text
  }),
  Schema.Struct({
    ...at,
    kind: Schema.Literal("movement"),
    movement: Schema.Literal(...movementKinds).annotations({
      description:
        "`collection`: received; `disbursement`: paid out; `refund`: returned to the payer; `reversal`: taken back by the provider; `reinstatement`: a reversal that was undone"
    }),
    provider: ProviderName,
    movement_id: Schema.String.annotations({ description: "Provider's id of the transfer" }),
    attempt_id: idOf(AttemptId),
    amount: WireDecimal,
    currency: Schema.String,
    state: Schema.Literal(...movementStates),
    source: Schema.Literal(...movementSources)
  }),
  Schema.Struct({
    ...at,
    kind: Schema.Literal("allocation"),
    amount: WireDecimal.annotations({ description: "Above zero: credited to the organisation; below: charged" }),
    currency: Schema.String,
    note: Schema.String,
    by: Text.annotations({ description: "null: decided by a rule" })
  }),
  Schema.Struct({
    ...at,
    kind: Schema.Literal("reserve"),
    change: Schema.Literal("held", "released").annotations({
      description: "`released`: what refunds and chargebacks have left of it"
    }),
    amount: WireDecimal,
    currency: Schema.String,
    release_at: Timestamp
  }),
  Schema.Struct({
    ...at,
    kind: Schema.Literal("delivery"),
    delivery_id: Id,
    webhook_id: idOf(WebhookId),
    event_id: Id,
    event_type: Schema.String,
    status: Schema.Literal("pending", "delivered", "dead"),
    attempts: Schema.Int,
    last_status_code: Schema.NullOr(Schema.Int),
    last_error: Text
  })
).annotations({ identifier: "TimelineItem" })

export const OperatorItem = Schema.Struct({
  item_id: Id,
  kind: Schema.Literal(
    ...(["unknown_outcome", "suspense", "review", "dead_letter", "disabled_endpoint"] as const),
    ...(["escrow_payout", "incoming_transfer"] as const)
  ),
  org_id: Schema.NullOr(idOf(OrgId)).annotations({
    description: "Null: an incoming transfer that names no known account"
  }),
  payment_id: Schema.NullOr(idOf(PaymentId)).annotations({
    description: "Null: a webhook endpoint, an escrow or a transfer"
  }),
  attempt_id: Schema.NullOr(idOf(AttemptId)),
  webhook_id: Schema.NullOr(idOf(WebhookId)).annotations({ description: "Null: not a webhook endpoint" }),
  delivery_id: Schema.NullOr(Id).annotations({ description: "Oldest dead letter of the endpoint" }),
  dead_letters: Schema.NullOr(Schema.Int).annotations({ description: "Dead letters of the endpoint, up to 1,000" }),
  escrow_id: Schema.NullOr(idOf(EscrowId)).annotations({ description: "Escrow of a blocked payout" }),
  party_id: Schema.NullOr(Id).annotations({ description: "Party of a blocked payout" }),
  detail: Schema.String,
  created_at: Timestamp
}).annotations({ identifier: "OperatorItem" })

export const recordExample = {
  payment_id: "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88",
  amount: 1500,
  currency: "KES",
  user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c",
  status: "completed",
  direction: "inbound",
  payment_method: "mobile_money",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  beneficiary_id: null,
  transaction_id: "0199c2a5-0c11-7d21-9a41-7c6b5a493827",
  target_amount: 1500,
  target_currency: "KES",
  from_currency: "KES",
  region_id: "202",
  payment_path_method: "direct",
  bank_account: {},
  card_details: {},
  mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" },
  payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
  recipient_info: {},
  metadata: {},
  user_metadata: { user_id: "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c", role: "org-admin" },
  webhook_metadata: { event_id: "0199c2a5-1080-7b11-8d22-1a2b3c4d5e6f", received_at: "2026-03-02T09:15:01.200Z" },
  fee_ids: [],
  total_fees: null,
  provider: "fiat",
  provider_payment_id: "fiat_0199c2a5",
  provider_status: "completed",
  provider_data: {},
  payout_initiated: false,
  payout_id: null,
  instructions: null,
  comments: null,
  client_reference: "order-1042",
  description: null,
  country: "KE",
  refunds: [
    {
      refund_id: "0199c2b1-4410-7c21-8e30-6b5a49382716",
      amount: 500,
      currency: "KES",
      target_amount: 500,
      target_currency: "KES",
      rate: null,
      rate_basis: null,
      state: "completed",
      reason: "One of three cups was broken",
      requested_by: "staff@acme.example",
      created_at: "2026-03-02T12:40:00.000Z",
      settled_at: "2026-03-02T12:40:01.100Z"
    }
  ],
  refunded_amount: 500,
  failure: null,
  virtual_account_id: null,
  created_at: "2026-03-02T09:15:00.000Z",
  updated_at: "2026-03-02T12:40:01.100Z"
}

const record = { ...recordExample, refunds: [], refunded_amount: 0 }

export const failedRecord = {
  ...record,
  status: "failed",
  provider_status: "failed",
  failure: { code: "INSUFFICIENT_FUNDS", message: "The payer has not enough money.", provider: "fiat" }
}

/** A payment in four states. */
const records = examples({
  Completed: { ...record, updated_at: "2026-03-02T09:15:01.200Z" },
  "Refunded in part": recordExample,
  "On its way": { ...record, status: "processing", provider_status: "accepted", webhook_metadata: {} },
  Failed: failedRecord
})

export const PaymentsApi = apiGroup(
  "payments",
  "Payments",
  "Payment records, timelines, and items that need a decision.",
  [
    operation({
      endpoint: get("byTransaction", "/payments/transaction/:transaction_id").addSuccess(PaymentRecord),
      access: "any",
      summary: "Look up a payment by transaction",
      description: "The record itself, without an envelope. This is the endpoint to poll for a payment's status.",
      response: records
    }),
    operation({
      endpoint: get("byId", "/payments/:payment_id").addSuccess(PaymentRecord),
      access: "any",
      summary: "Look up a payment",
      description: "Extension. The same record by the payment's own id.",
      response: records
    }),
    operation({
      endpoint: get("timeline", "/payments/:payment_id/timeline").addSuccess(
        envelope(Schema.Struct({ payment_id: idOf(PaymentId), items: Schema.Array(TimelineItem) }))
      ),
      access: "any",
      summary: "See why a payment went where it went",
      description:
        "Extension. Status changes, attempts at providers, callbacks, operator decisions and webhook deliveries, oldest first. One item for each attempt and each delivery, however often it was polled or retried. A delivery is listed at the time of its event, with its current status.",
      response: success("Timeline", {
        payment_id: recordExample.payment_id,
        items: [
          {
            at: "2026-03-02T09:15:00.000Z",
            kind: "status",
            from: null,
            to: "initiated",
            cause: "initiated by the caller"
          },
          {
            at: "2026-03-02T09:15:00.000Z",
            kind: "attempt",
            attempt_id: "0199c2a5-0c12-7e30-8b10-9f8e7d6c5b4a",
            provider: "fiat",
            leg: "payment",
            outcome: "accepted",
            reason: null,
            latency_ms: 38,
            amount: null,
            currency: null,
            rate_basis: null
          },
          {
            at: "2026-03-02T09:15:00.040Z",
            kind: "delivery",
            delivery_id: "0199c2a5-0c40-7a30-8b10-5a493827160f",
            webhook_id: "0199c2a4-9d20-7a44-8c10-1b2c3d4e5f60",
            event_id: "0199c2a5-0c3f-7b20-9d10-2c3d4e5f6071",
            event_type: "payment.processing",
            status: "delivered",
            attempts: 1,
            last_status_code: 204,
            last_error: null
          }
        ]
      })
    }),
    operation({
      endpoint: get("transactions", "/transactions", {
        ...OrgParam,
        ...PageParams,
        status: Schema.optional(Status),
        direction: Schema.optional(Flow),
        payment_method: Schema.optional(PaymentMethod),
        client_reference: Schema.optional(Schema.String),
        reference: Schema.optional(
          Schema.String.pipe(Schema.minLength(1), Schema.maxLength(LONGEST_REFERENCE)).annotations({
            description:
              "Extension. `client_reference`, provider's id, or the first characters of `payment_id` or `transaction_id`"
          })
        ),
        customer: Schema.optional(
          Schema.String.pipe(Schema.minLength(1), Schema.maxLength(LONGEST_REFERENCE)).annotations({
            description:
              "Extension. Phone number or e-mail address of the payer or beneficiary. Spaces and signs in a number are ignored. Within one organisation, a number without country code is searched in all countries with mobile money and in the organisation's own. Combined with filters other than times, the newest 1,000 matches are searched"
          })
        ),
        search: Schema.optional(SearchText),
        from: Schema.optional(FromTime),
        to: Schema.optional(ToTime)
      }).addSuccess(searchedPageOf(PaymentRecord)),
      access: "transactions",
      lists: true,
      summary: "List transactions",
      description:
        "Newest first. `from` is included, `to` is not; a date without a time is the whole day. If a `reference` matches many transactions, the newest 100 are listed and `message` says so.\n\nWith `search`, exact matches come first, newest first: ids of the service and of providers, transfers at providers, references, amounts, last four digits of cards, e-mail addresses and phone numbers. Payments whose `client_reference` or name contains every word of the text follow, newest first. A page reads at most 100,000 payments of the organisation for them, 20,000 over all organisations. A page may be short or empty while `has_more` is true: `meta.searched_to` says how far back it has searched, and the cursor continues there. Combined with filters other than times, the newest 1,000 matches of each kind are searched.",
      response: pageExample("Transactions", [recordExample])
    }),
    operation({
      endpoint: get("queue", "/operations/queue", { ...OrgParam, ...PageParams }).addSuccess(pageOf(OperatorItem)),
      access: "operations",
      lists: true,
      summary: "See what waits for a person",
      description:
        "Extension. Outcomes that are unknown after the last poll, money in suspense, payments held for review, webhook endpoints that are disabled or have dead letters, and blocked escrow payouts (`escrow_payout`; `item_id` is the `payout_id` to retry or resolve), and transfers to virtual accounts that wait in suspense (`incoming_transfer`; `item_id` is the `transfer_id` to resolve). Amounts in suspense of one attempt are one item; `detail` has their sum. The dead letters of an endpoint are one item: `dead_letters` counts them, up to 1,000; `delivery_id` is the oldest.",
      response: pageExample("Operations queue", [
        {
          item_id: "0199c2a6-1f00-7c10-8d20-1a2b3c4d5e6f",
          kind: "unknown_outcome",
          org_id: recordExample.org_id,
          payment_id: recordExample.payment_id,
          attempt_id: "0199c2a5-0c12-7e30-8b10-9f8e7d6c5b4a",
          webhook_id: null,
          delivery_id: null,
          dead_letters: null,
          escrow_id: null,
          party_id: null,
          detail: "fiat has not said what became of it: no answer within 10s.",
          created_at: "2026-03-03T19:00:00.000Z"
        },
        {
          item_id: "0199c2a5-0c40-7a30-8b10-5a493827160f",
          kind: "dead_letter",
          org_id: recordExample.org_id,
          payment_id: null,
          attempt_id: null,
          webhook_id: "0199c2a4-9d20-7a44-8c10-1b2c3d4e5f60",
          delivery_id: "0199c2a5-0c40-7a30-8b10-5a493827160f",
          dead_letters: 12,
          escrow_id: null,
          party_id: null,
          detail:
            "12 deliveries to https://shop.example.com/hooks failed for good; of the oldest: answered with status 500.",
          created_at: "2026-03-02T09:15:00.040Z"
        }
      ])
    })
  ]
)
