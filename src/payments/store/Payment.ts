/** A payment and its attempts as the stores hold them. */
import { Schema } from "effect"
import type { NewFee } from "../../domain/Fee.ts"
import type { StoredEvent } from "../../webhooks/Webhook.ts"
import { type Flow, type PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import type { CountryCode } from "../../domain/Country.ts"
import type { FailureCode } from "../../domain/FailureCode.ts"
import type { Entry, LedgerAccount } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import type { NextAction, Report } from "../../domain/Outcome.ts"
import { type PaymentStatus, paymentStatuses } from "../../domain/PaymentStatus.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import type { Received } from "../../domain/Received.ts"
import type { AttemptOutcome } from "../../domain/Settlement.ts"
import type { RampFacts } from "./RampFacts.ts"

export type JsonObject = Readonly<Record<string, unknown>>

export interface Payment {
  readonly payment_id: string
  readonly transaction_id: string
  readonly org_id: string
  readonly user_id: string
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
  readonly beneficiary_id: string | null
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
  readonly payout_id: string | null
  /** Wrong one-time passwords so far. */
  readonly otp_failures: number
  readonly fee_ids: ReadonlyArray<string>
  /** In the currency of the organisation's side; null when nothing is charged. */
  readonly total_fees: Money | null
  /** The account of the books that pays for it; null is the organisation's settlement account. */
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
  readonly attempt_id: string
  readonly payment_id: string
  readonly org_id: string
  readonly leg: Leg
  readonly provider: ProviderName
  readonly config_id: string | null
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
  readonly of_attempt: string | null
  readonly received: Received
  /** What the provider had said before a person decided otherwise. */
  readonly said: Said | null
  /** What it was asked for, where a person has settled for less since. */
  readonly ordered: Received | null
}

export interface Said {
  readonly outcome: AttemptOutcome | null
  readonly reason: string | null
}

/** An attempt at rest, with what its store alone needs to know. */
export interface AttemptRow extends Attempt {
  readonly asked_at: Date | null
  readonly hint_at: Date | null
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
}

/** What a change may set on a payment besides its status. */
export type PaymentPatch = Partial<
  Pick<
    Payment,
    | "provider"
    | "provider_payment_id"
    | "provider_status"
    | "provider_data"
    | "next_action"
    | "action_data"
    | "comments"
    | "payout_id"
    | "webhook_metadata"
    | "otp_failures"
    | "card_details"
    | "holds"
    | "ramp"
    | "failure"
    | "refunds"
    | "amount"
    | "target"
    | "org_rate_id"
    | "expires_at"
  >
>

export interface AttemptPatch {
  readonly attempt_id: string
  readonly outcome: AttemptOutcome | null
  readonly reason: string | null
  readonly provider_payment_id: string | null
  readonly answered_at: Date | null
  /** Seconds until the provider is asked about it; null: never by itself; as planned: as if nothing had been heard. */
  readonly enquire_in: number | null | "as planned"
  readonly received?: Received
  readonly said?: Said
  readonly ordered?: Received
}

/** One that is not sent by whoever commits it has no time yet at which it is asked about. */
export interface NewAttempt extends Pick<Attempt, "attempt_id" | "leg" | "provider" | "config_id" | "started_at"> {
  readonly enquire_in: number | null
  readonly of_attempt?: string
  /** Of money on its way back: how much. */
  readonly received?: Received
}

export const StoredCallback = Schema.Struct({
  callback_id: Schema.String,
  provider: ProviderName,
  event_key: Schema.String,
  payment_id: Schema.NullOr(Schema.String),
  attempt_id: Schema.NullOr(Schema.String),
  org_id: Schema.NullOr(Schema.String),
  report: Schema.String,
  effect: Schema.Literal("applied", "nothing to change", "suspense", "unknown payment", "provider asked"),
  received_at: Schema.DateFromSelf
})
export interface StoredCallback extends Schema.Schema.Type<typeof StoredCallback> {}

/** A callback that came before anyone knew the provider's own id of its payment, with all that it said. */
export interface StrayCallback extends StoredCallback {
  readonly provider_payment_id: string | null
  readonly report_said: Report
}

const itemFields = {
  item_id: Schema.String,
  org_id: Schema.String,
  payment_id: Schema.String,
  attempt_id: Schema.NullOr(Schema.String),
  detail: Schema.String,
  opened_at: Schema.DateFromSelf
}

export const StoredOperatorItem = Schema.Struct({
  ...itemFields,
  kind: Schema.Literal("unknown_outcome", "suspense", "review", "resolution"),
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

/** A part of a payment on its way back; its id is that of its attempt. Open and completed parts never exceed the payment. */
export interface Refund {
  readonly refund_id: string
  readonly amount: Money
  /** The same part on the target's side, at the payment's own rate. */
  readonly target: Money
  readonly state: RefundState
  /** Why it was asked for. */
  readonly reason: string | null
  readonly created_at: Date
  readonly settled_at: Date | null
}

export const HistoryRow = Schema.Struct({
  payment_id: Schema.String,
  org_id: Schema.String,
  version: Schema.Number,
  from_status: Schema.NullOr(Schema.Literal(...paymentStatuses)),
  to_status: Schema.Literal(...paymentStatuses),
  cause: Schema.String,
  at: Schema.DateFromSelf
})
export interface HistoryRow extends Schema.Schema.Type<typeof HistoryRow> {}

export interface StoredFee extends NewFee {
  readonly payment_id: string
  readonly org_id: string
  readonly created_at: Date
}

/** Everything that a new payment brings along: written together or not at all. */
export interface Opening {
  readonly payment: Payment
  /** The first candidate's attempt, committed before its socket opens; none while the payment is held. */
  readonly attempt: NewAttempt | null
  readonly fees?: ReadonlyArray<NewFee>
  readonly item?: OperatorItem
  readonly key?: NewKey
}

/** Money that a provider took or gave for a payment that has no place for it. */
export interface SuspenseMoney {
  readonly attempt_id: string
  readonly provider: ProviderName
  /** Above zero: it came to the provider; below: it went from it. */
  readonly amount: Money
  /** What tells it from other money of the same attempt: the same occasion is booked once. */
  readonly occasion: string
}

/** What of a payment a refund gives back. */
export type Part = Pick<Refund, "refund_id" | "amount" | "target">

/** Everything that one word of a provider, or one act of a person, changes: written together or not at all. */
export interface Change {
  readonly payment: Payment
  readonly status: PaymentStatus
  readonly patch: PaymentPatch
  readonly cause: string
  readonly at: Date
  readonly attempt?: AttemptPatch
  /** The next candidate's attempt, committed before its socket opens. */
  readonly nextAttempt?: NewAttempt
  /** Comes with its attempt as `nextAttempt`. */
  readonly newRefund?: Part
  readonly settledRefund?: Part & { readonly from: RefundState; readonly state: "completed" | "failed" }
  readonly suspense?: ReadonlyArray<SuspenseMoney>
  /** What moves in the books besides what follows from the change itself. */
  readonly entries?: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<StoredEvent>
  /** `adopted`: it was stored when it came, before anyone knew what it was about. */
  readonly callback?: StoredCallback & { readonly adopted?: boolean }
  /** An item of the same kind for the same attempt that is open takes the new words. */
  readonly openItems?: ReadonlyArray<OperatorItem & { readonly closed_by?: string }>
  readonly closeItems?: ReadonlyArray<{
    readonly kind: OperatorItem["kind"]
    readonly attempt_id: string | null
    readonly by: string
  }>
}

export const isOpen = (attempt: Attempt): boolean => attempt.outcome !== "declined"
