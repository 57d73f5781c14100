/** Records of payments: payment, attempt, movements, callbacks, operator items, refunds. */
import { Schema } from "effect"
import {
  AttemptId,
  type BeneficiaryId,
  type ConfigId,
  OrgId,
  PaymentId,
  type TransactionId,
  type UserId
} from "../../domain/Ids.ts"
import type { NewFee } from "../../domain/Fee.ts"
import { type Flow, type PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { type FailureCode, type PaymentStatus, paymentStatuses } from "../../domain/PaymentStatus.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import type { NextAction, Report } from "../../domain/Outcome.ts"
import type { RecordedMovement } from "../../domain/Movement.ts"
import type { AttemptOutcome } from "../../domain/Settlement.ts"
import type { CryptoNetwork } from "../../domain/CryptoAsset.ts"

export type JsonObject = Readonly<Record<string, unknown>>

export interface Payment {
  readonly payment_id: PaymentId
  readonly transaction_id: TransactionId
  readonly org_id: OrgId
  readonly user_id: UserId
  readonly status: PaymentStatus
  /** Rises with every change; a change is written only on the version it was decided on. */
  readonly version: number
  readonly direction: Flow
  readonly payment_method: PaymentMethod
  readonly country: CountryCode
  readonly amount: Money
  readonly target: Money
  readonly org_rate_id: string | null
  readonly client_reference: string | null
  readonly description: string | null
  readonly beneficiary_id: BeneficiaryId | null
  readonly payer_details: JsonObject
  readonly mobile_money_details: JsonObject
  readonly card_details: JsonObject
  readonly bank_account: JsonObject
  readonly recipient_info: JsonObject
  readonly metadata: JsonObject
  readonly user_metadata: JsonObject
  readonly webhook_metadata: JsonObject
  readonly return_url: string | null
  readonly provider: ProviderName | null
  /** The configuration whose account at the provider it went through; null: the platform's. */
  readonly account: ConfigId | null
  readonly provider_payment_id: string | null
  readonly provider_status: string | null
  readonly provider_data: JsonObject
  readonly next_action: NextAction | null
  readonly action_data: Readonly<Record<string, string | null>>
  readonly comments: string | null
  /** Why it failed; null unless it has. */
  readonly failure: PaymentFailure | null
  /** Refunds and returns, in the order of their requests. */
  readonly refunds: ReadonlyArray<Refund>
  /** Amount that the payer has back by the movements, in the payment's currency. */
  readonly refunded: Money
  /** Attempt that collects its money; for a payout see `payout_id`. */
  readonly taken_by: AttemptId | null
  readonly payout_id: string | null
  /** Wrong one-time passwords, and those that the provider is checking. */
  readonly otp_failures: number
  readonly fee_ids: ReadonlyArray<string>
  /** In the currency of the organisation's side; null when nothing is charged. */
  readonly total_fees: Money | null
  /** Ledger account that funds or receives it; null: the organisation's settlement account. */
  readonly funding: LedgerAccount | null
  /** Its money is on the organisation's held account. */
  readonly holds: boolean
  /** Facts of a ramp; null for other payments. */
  readonly ramp: RampFacts | null
  /** Time until which its customer may pay; null: no limit of ours. */
  readonly expires_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Reason of a failure: a stable code, and a message. */
export interface PaymentFailure {
  readonly code: FailureCode
  readonly message: string
  readonly provider: ProviderName | null
}

/** `return`: sends unallocated money back to its sender. */
export type Leg = "payment" | "collection" | "settlement" | "refund" | "return"

export interface Attempt {
  readonly attempt_id: AttemptId
  readonly payment_id: PaymentId
  readonly org_id: OrgId
  readonly leg: Leg
  readonly provider: ProviderName
  readonly config_id: ConfigId | null
  /** The configuration whose account at the provider it went through; null: the platform's. */
  readonly account: ConfigId | null
  /** The account is the organisation's own; the platform does not pay out from it. */
  readonly own: boolean
  readonly outcome: AttemptOutcome | null
  readonly reason: string | null
  readonly provider_payment_id: string | null
  readonly started_at: Date
  readonly answered_at: Date | null
  readonly enquiries: number
  readonly next_enquiry_at: Date | null
  /** Number of sends; 0: waits to be claimed. */
  readonly sends: number
  /** Time of the last send, by the store's clock. */
  readonly sent_at: Date
  /** For refunds and returns: the attempt that collected the money. */
  readonly of_attempt: AttemptId | null
  /** Trace of the request that caused it. */
  readonly traceparent?: string
}

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
  readonly own: Money
  readonly note: string
  /** Who decided it; null: a rule. */
  readonly by: string | null
  readonly at: Date
}

/** Stored attempt, with fields that only the store uses. */
export interface AttemptRow extends Attempt {
  readonly asked_at: Date | null
  readonly hint_at: Date | null
  /** Polls in a row, caused by a hint, without an answer. */
  readonly hints: number
  /** Ids that hints named while its own is unknown, newest first; null: none. */
  readonly hinted_ids: ReadonlyArray<string> | null
  readonly leased_until: Date | null
  readonly lease_token: string | null
}

/** An attempt claimed for a poll; the lease token is valid until the lease ends. */
export interface DueAttempt extends Attempt {
  readonly lease_token: string
  /** Seconds since it was last sent, by the clock of the store. */
  readonly sent_ago: number
  /** Claimed because of a hint, not because a poll was due. */
  readonly hinted: boolean
  /** There was a hint, whether or not a poll was due as well. */
  readonly has_hint: boolean
  readonly hints: number
  readonly hinted_ids: ReadonlyArray<string> | null
}

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
  closed_at: Schema.NullOr(Schema.DateFromSelf),
  closed_by: Schema.NullOr(Schema.String)
})
export interface StoredOperatorItem extends Schema.Schema.Type<typeof StoredOperatorItem> {}

export type OperatorItem = Omit<StoredOperatorItem, "closed_at" | "closed_by">

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
  /** What the part costs on the target's side, at `rate`. */
  readonly target: Money
  /** What one unit of the payment's currency cost in the target's; absent where nothing is converted. */
  readonly rate?: RefundRate | undefined
  readonly state: RefundState
  /** Why it was asked for. */
  readonly reason: string | null
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

/** Facts of a ramp besides its payment. Amounts and rates are decimal text. */
export interface RampFacts {
  readonly direction: "on_ramp" | "off_ramp"
  readonly network: CryptoNetwork
  /** Where an on-ramp settles. */
  readonly wallet_address: string | null
  /** How the first leg is paid, and the second. */
  readonly collection: "bank_transfer" | "mobile_money" | "crypto"
  readonly settlement: "bank_transfer" | "mobile_money" | "wallet" | "crypto"
  readonly rate: string
  readonly client_rate: string
  readonly customer_type: "retail" | "institution"
  readonly business_id: string | null
  readonly business_name: string | null
  /** Amount collected from the customer; null until it arrived. */
  readonly collected: string | null
}
