/** Records of payments: payment, attempt, movements, callbacks, operator items, refunds. */
import { Schema } from "effect"
import { AttemptId, BeneficiaryId, ConfigId, OrgId, PaymentId, TransactionId, UserId } from "../../domain/Ids.ts"
import type { NewFee } from "../../domain/Fee.ts"
import { Flow, PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import { CountryCode } from "../../domain/Country.ts"
import { type FailureCode, failureCodes, paymentStatuses } from "../../domain/PaymentStatus.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { PaymentReserve } from "../../domain/Reserve.ts"
import { nextActions, type Report } from "../../domain/Outcome.ts"
import type { RecordedMovement } from "../../domain/Movement.ts"
import { CryptoNetwork } from "../../domain/Currency.ts"
import { makeMerge } from "../../domain/Merge.ts"

const Json = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const Text = Schema.NullOr(Schema.String)
const Time = Schema.NullOr(Schema.DateFromSelf)

export type JsonObject = typeof Json.Type

/** Facts of a ramp besides its payment. Amounts and rates are decimal text. */
export const RampFacts = Schema.Struct({
  direction: Schema.Literal("on_ramp", "off_ramp"),
  network: CryptoNetwork,
  /** Wallet that an on-ramp pays. */
  wallet_address: Text,
  /** How the first leg is paid, and the second. */
  collection: Schema.Literal("bank_transfer", "mobile_money", "crypto"),
  settlement: Schema.Literal("bank_transfer", "mobile_money", "wallet", "crypto"),
  rate: Schema.String,
  client_rate: Schema.String,
  customer_type: Schema.Literal("retail", "institution"),
  business_id: Text,
  business_name: Text,
  /** Amount collected from the customer; null until it arrived. */
  collected: Text
})
export interface RampFacts extends Schema.Schema.Type<typeof RampFacts> {}

/** Reason of a failure: a stable code, and a message. */
const PaymentFailure = Schema.Struct({
  code: Schema.Literal(...(Object.keys(failureCodes) as ReadonlyArray<FailureCode>)),
  message: Schema.String,
  provider: Schema.NullOr(ProviderName)
})
export interface PaymentFailure extends Schema.Schema.Type<typeof PaymentFailure> {}

/** Fields of a payment that its row holds as they are. */
export const PaymentFields = Schema.Struct({
  payment_id: PaymentId,
  transaction_id: TransactionId,
  org_id: OrgId,
  user_id: UserId,
  status: Schema.Literal(...paymentStatuses),
  /** Rises with every change; a change is written only on the version it was decided on. */
  version: Schema.Number,
  direction: Flow,
  payment_method: PaymentMethod,
  country: CountryCode,
  org_rate_id: Text,
  client_reference: Text,
  description: Text,
  beneficiary_id: Schema.NullOr(BeneficiaryId),
  payer_details: Json,
  mobile_money_details: Json,
  card_details: Json,
  bank_account: Json,
  recipient_info: Json,
  user_metadata: Json,
  webhook_metadata: Json,
  return_url: Text,
  provider: Schema.NullOr(ProviderName),
  /** The configuration whose account at the provider it went through; null: the platform's. */
  account: Schema.NullOr(ConfigId),
  provider_payment_id: Text,
  provider_status: Text,
  provider_data: Json,
  next_action: Schema.NullOr(Schema.Literal(...nextActions)),
  action_data: Schema.Record({ key: Schema.String, value: Text }),
  comments: Text,
  /** Why it failed; null unless it has. */
  failure: Schema.NullOr(PaymentFailure),
  /** Attempt that collects its money; for a payout see `payout_id`. */
  taken_by: Schema.NullOr(AttemptId),
  payout_id: Text,
  /** Wrong one-time passwords, and those that the provider is checking. */
  otp_failures: Schema.Number,
  fee_ids: Schema.Array(Schema.String),
  /** Its money is on the organisation's held account. */
  holds: Schema.Boolean,
  /** Null for other payments than ramps. */
  ramp: Schema.NullOr(RampFacts),
  /** Time until which its customer may pay; null: no limit of ours. */
  expires_at: Time,
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

export interface Payment extends Schema.Schema.Type<typeof PaymentFields> {
  readonly amount: Money
  readonly target: Money
  readonly metadata: JsonObject
  /** Refunds and returns, in the order of their requests. */
  readonly refunds: ReadonlyArray<Refund>
  /** Amount that the payer has back by the movements, in the payment's currency. */
  readonly refunded: Money
  /** In the currency of the organisation's side; null when nothing is charged. */
  readonly total_fees: Money | null
  /** Reserve of a payin; null: none. */
  readonly reserve: PaymentReserve | null
  /** Ledger account that funds or receives it; null: the organisation's settlement account. */
  readonly funding: LedgerAccount | null
}

const otherFields = {
  amount: true,
  target: true,
  metadata: true,
  refunds: true,
  refunded: true,
  total_fees: true,
  reserve: true,
  funding: true
} satisfies Record<Exclude<keyof Payment, keyof typeof PaymentFields.fields>, true>

/** A payment with other values of its fields. */
export const mergePayment = makeMerge<Payment>([...Object.keys(PaymentFields.fields), ...Object.keys(otherFields)])

export const AttemptFields = Schema.Struct({
  attempt_id: AttemptId,
  payment_id: PaymentId,
  org_id: OrgId,
  /** `return`: sends unallocated money back to its sender. */
  leg: Schema.Literal("payment", "collection", "settlement", "refund", "return"),
  provider: ProviderName,
  config_id: Schema.NullOr(ConfigId),
  /** The configuration whose account at the provider it went through; null: the platform's. */
  account: Schema.NullOr(ConfigId),
  /** The account is the organisation's own; the platform does not pay out from it. Column `own`. */
  own_account: Schema.Boolean,
  outcome: Schema.NullOr(Schema.Literal("accepted", "declined", "unknown")),
  reason: Text,
  provider_payment_id: Text,
  started_at: Schema.DateFromSelf,
  answered_at: Time,
  enquiries: Schema.Number,
  next_enquiry_at: Time,
  /** Number of sends; 0: waits to be claimed. */
  sends: Schema.Number,
  /** Time of the last send, by the store's clock. */
  sent_at: Schema.DateFromSelf,
  /** For refunds and returns: the attempt that collected the money. */
  of_attempt: Schema.NullOr(AttemptId)
})

export interface Attempt extends Schema.Schema.Type<typeof AttemptFields> {
  /** Trace of the request that caused it. */
  readonly traceparent?: string
}

export type Leg = Attempt["leg"]

/** Movements at providers because of a payment, and allocations of their money by rules and operators. */
export interface Books {
  readonly movements: ReadonlyArray<RecordedMovement>
  readonly allocations: ReadonlyArray<Allocation>
}

/** Money from clearing, or from a ramp, to an account of the organisation. Immutable: a second one undoes it. */
export interface Allocation {
  readonly allocation_id: string
  /** The attempt whose money it is. */
  readonly attempt_id: AttemptId
  readonly from: "clearing" | "ramp"
  /** Above zero the organisation gets it, below zero it bears it. */
  readonly amount: Money
  readonly account: LedgerAccount
  /** The same on that account, in its currency. */
  readonly accountAmount: Money
  readonly note: string
  /** Operator who decided; null: a rule. */
  readonly by: string | null
  readonly at: Date
}

/** Stored attempt, with fields that only the store uses. */
export interface AttemptRow extends Attempt, Pick<DueAttempt, "hints" | "hinted_ids"> {
  readonly asked_at: Date | null
  readonly hint_at: Date | null
  readonly leased_until: Date | null
  readonly lease_token: string | null
}

/** Fields of an attempt claimed for a poll, beside its own. */
export const DueFields = Schema.Struct({
  /** Valid until the lease ends. */
  lease_token: Schema.String,
  /** Seconds since it was last sent, by the clock of the store. */
  sent_ago: Schema.Number,
  /** Claimed because of a hint, not because a poll was due. */
  hinted: Schema.Boolean,
  /** There was a hint, whether or not a poll was due as well. */
  has_hint: Schema.Boolean,
  /** Polls in a row, caused by a hint, without an answer. */
  hints: Schema.Number,
  /** Ids that hints named while its own is unknown, newest first; null: none. */
  hinted_ids: Schema.NullOr(Schema.Array(Schema.String))
})

export interface DueAttempt extends Attempt, Schema.Schema.Type<typeof DueFields> {}

export const StoredCallback = Schema.Struct({
  callback_id: Schema.String,
  provider: ProviderName,
  event_key: Schema.String,
  payment_id: Schema.NullOr(PaymentId),
  attempt_id: Schema.NullOr(AttemptId),
  org_id: Schema.NullOr(OrgId),
  report: Schema.String,
  effect: Schema.Literal("applied", "nothing to change", "suspense", "unknown payment", "provider asked"),
  received_at: Schema.DateFromSelf
})
export interface StoredCallback extends Schema.Schema.Type<typeof StoredCallback> {}

/** Callback that came before its attempt was known by the provider's id, with its report. */
export interface UnmatchedCallback extends StoredCallback {
  readonly provider_payment_id: string | null
  /** Account at the provider that it came through. */
  readonly account: ConfigId | null
  /** Kind of attempt that it names; it matches no other. */
  readonly about?: AttemptKind | undefined
  readonly signal: Report
}

const itemFields = {
  item_id: Schema.String,
  org_id: OrgId,
  payment_id: PaymentId,
  attempt_id: Schema.NullOr(AttemptId),
  detail: Schema.String,
  opened_at: Schema.DateFromSelf
}

export const StoredOperatorItem = Schema.Struct({
  ...itemFields,
  kind: Schema.Literal("unknown_outcome", "review", "resolution"),
  /** Of a review: only a platform admin may release the payment. */
  by_platform: Schema.Boolean,
  closed_at: Schema.NullOr(Schema.DateFromSelf),
  closed_by: Schema.NullOr(Schema.String)
})
export interface StoredOperatorItem extends Schema.Schema.Type<typeof StoredOperatorItem> {}

export interface OperatorItem
  extends
    Omit<StoredOperatorItem, "by_platform" | "closed_at" | "closed_by">,
    Partial<Pick<StoredOperatorItem, "by_platform">> {}

/** Open item; a resolution never is one. */
export const OpenItem = Schema.Struct({
  ...itemFields,
  kind: Schema.Literal("unknown_outcome", "suspense", "review")
})
export interface OpenItem extends Schema.Schema.Type<typeof OpenItem> {}

export type RefundState = "open" | "completed" | "failed"

/** `original`: the payment's own rate. `live`: the rate of the moment at which the part was asked for. */
export interface RefundRate {
  readonly basis: "original" | "live"
  /** Decimal text. */
  readonly value: string
}

/** A refund or return; its id is its attempt's. Open and completed refunds never exceed the payment. */
export interface Refund {
  readonly refund_id: AttemptId
  readonly amount: Money
  /** Cost of the refund on the target's side, at `rate`. */
  readonly target: Money
  /** Cost of one unit of the payment's currency in the target's; absent without conversion. */
  readonly rate?: RefundRate | undefined
  readonly state: RefundState
  /** Why it was asked for. */
  readonly reason: string | null
  /** Absent in returns. */
  readonly requested_by?: string | undefined
  readonly created_at: Date
  readonly settled_at: Date | null
  /** The provider's id of the collection that the part was ordered of; absent: the attempt's own. */
  readonly collection_id?: string | undefined
  /** For a return: the attempt that collected the money, and where it waited. */
  readonly of?: { readonly attempt_id: AttemptId; readonly from: "clearing" | "ramp" } | undefined
}

export const HistoryRow = Schema.Struct({
  payment_id: PaymentId,
  org_id: OrgId,
  version: Schema.Number,
  from_status: Schema.NullOr(Schema.Literal(...paymentStatuses)),
  to_status: Schema.Literal(...paymentStatuses),
  cause: Schema.String,
  at: Schema.DateFromSelf
})
export interface HistoryRow extends Schema.Schema.Type<typeof HistoryRow> {}

export interface StoredFee extends NewFee {
  readonly payment_id: PaymentId
  readonly org_id: OrgId
  readonly created_at: Date
}

/** Kind of an attempt at its provider, which may use one id for a payment, a payout and a refund. */
export const attemptKinds = ["payin", "payout", "refund"] as const
export type AttemptKind = (typeof attemptKinds)[number]

export const kindOfAttempt = (
  { direction }: Pick<Payment, "direction">,
  { leg }: Pick<Attempt, "leg">
): AttemptKind => {
  if (leg === "refund" || leg === "return") return "refund"
  return leg === "collection" || (leg === "payment" && direction === "inbound") ? "payin" : "payout"
}

export const isOpen = (attempt: Attempt): boolean => attempt.outcome !== "declined"

/** Rounds down what the organisation gets and up what it pays, so that rounding never gains money. */
const share = (whole: Money, part: Money, of: Money, up: boolean): Money => {
  const exact = whole.minor * part.minor
  const down = exact / of.minor
  return new Money({ currency: whole.currency, minor: up && down * of.minor !== exact ? down + 1n : down })
}

/** Organisation's side of an amount that a provider moved, at the payment's rate. */
export const organizationSide = ({ amount, direction, target }: Payment, moved: Money, pays: boolean): Money => {
  if (direction === "external") return moved
  const [organizations, theirs] = direction === "outbound" ? [amount, target] : [target, amount]
  return theirs.currency === moved.currency ? share(organizations, moved, theirs, pays) : moved
}

/** Amount that the provider collects or pays. */
export const moneyAtProvider = ({
  amount,
  direction,
  target
}: Pick<Payment, "amount" | "direction" | "target">): Money => (direction === "outbound" ? target : amount)
