/** A payment and its attempts as the stores hold them. */
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
  /** Its parts that went back, or were to, in the order in which they were asked for. */
  readonly refunds: ReadonlyArray<Refund>
  /** What of it its payer has again, by its movements; in the payment's currency. */
  readonly refunded: Money
  /** The attempt that collected its money, or was asked to; of a payout see `payout_id`. */
  readonly taken_by: AttemptId | null
  readonly payout_id: string | null
  /** Wrong one-time passwords so far, and those that are being judged. */
  readonly otp_failures: number
  readonly fee_ids: ReadonlyArray<string>
  /** In the currency of the organisation's side; null when nothing is charged. */
  readonly total_fees: Money | null
  /** The organisation's side in the books, which pays for it or has what it brings; null is its settlement account. */
  readonly funding: LedgerAccount | null
  /** Its money is on the held account of its organisation. */
  readonly holds: boolean
  /** What makes it a ramp; null for every other payment. */
  readonly ramp: RampFacts | null
  /** Until when its customer may pay; null: for as long as its provider takes it. */
  readonly expires_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Why a payment failed, in a word that stays the same, and in the words of whoever said so. */
export interface PaymentFailure {
  readonly code: FailureCode
  readonly message: string
  readonly provider: ProviderName | null
}

/** `return`: of money that the payment has no place for, to whoever sent it. */
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
  /** That account is its organisation's own, and what lies there is not the platform's to pay out. */
  readonly own: boolean
  readonly outcome: AttemptOutcome | null
  readonly reason: string | null
  readonly provider_payment_id: string | null
  readonly started_at: Date
  readonly answered_at: Date | null
  readonly enquiries: number
  readonly next_enquiry_at: Date | null
  /** How often it was sent; 0: it waits for an instance that sends it. */
  readonly sends: number
  /** When it was last sent, by the clock of the store. */
  readonly sent_at: Date
  /** Of money on its way back: the attempt that had brought it. */
  readonly of_attempt: AttemptId | null
  /** The request that it was made for, where that was traced. */
  readonly traceparent?: string
}

/** What providers moved because of a payment, and what was given a place by a rule for odd money or by a person. */
export interface Books {
  readonly movements: ReadonlyArray<RecordedMovement>
  readonly allocations: ReadonlyArray<Allocation>
}

/** Money that left clearing, or what a ramp holds, for an account of the organisation. Never changed: a second one undoes it. */
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

/** An attempt at rest, with what its store alone needs to know. */
export interface AttemptRow extends Attempt {
  readonly asked_at: Date | null
  readonly hint_at: Date | null
  /** How often in a row it was asked about in vain because of a hint. */
  readonly hints: number
  /** Ids that hints named while its own is unknown, newest first; null: none. */
  readonly hinted_ids: ReadonlyArray<string> | null
  readonly leased_until: Date | null
  readonly lease_token: string | null
}

/** An attempt that is to be asked about by whoever holds the token, until the lease ends. */
export interface DueAttempt extends Attempt {
  readonly lease_token: string
  /** Seconds since it was last sent, by the clock of the store. */
  readonly sent_ago: number
  /** Asked about for a hint, and not because its time has come. */
  readonly hinted: boolean
  /** There was a hint, whether or not its time had come as well; and how often in a row it was asked after in vain. */
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

/** A callback that came before anyone knew the provider's own id of its payment, with all that it said. */
export interface UnmatchedCallback extends StoredCallback {
  readonly provider_payment_id: string | null
  /** Through which it came. */
  readonly account: ConfigId | null
  /** What it tells of, where it said so: it is matched with nothing else. */
  readonly about?: AttemptKind | undefined
  readonly report_said: Report
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

/** What waits for a person; a resolution never does. */
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

/** Money on its way back to a payer; its id is that of its attempt. Open and completed parts never exceed the payment. */
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
  /** Of money that the payment has no place for: the attempt that had brought it, and where it waited. */
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

/** What an attempt is at its provider, which may give payments, payouts and refunds the same ids. */
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

/** What a ramp is besides a payment. Amounts and rates are decimal text. */
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
  /** What has arrived of the customer's money; null until it has. */
  readonly collected: string | null
}
