/** Store of payments. A change of state, its history, attempt, events and callback are one statement. */
import { Context, Data, type Duration, Effect, Option } from "effect"
import type { AttemptId, ConfigId, OrgId, PaymentId, TransactionId } from "../../domain/Ids.ts"
import type { ProviderCapacity } from "../../platform/database/ProviderQueues.ts"
import { orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Position, Scope, Window } from "../../platform/database/Query.ts"
import { type Flow, type PaymentMethod, type ProviderName, providerNames } from "../../domain/Corridor.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { type InsufficientFunds, notFound } from "../../domain/Failure.ts"
import type { RecordedMovement } from "../../domain/Movement.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { LockRefused } from "../../money/rates/RateLockStore.ts"
import type {
  Attempt,
  AttemptKind,
  Books,
  DueAttempt,
  HistoryRow,
  OpenItem,
  Payment,
  StoredCallback,
  StoredOperatorItem,
  UnmatchedCallback
} from "./Payment.ts"
import type { SearchTerms } from "./SearchTerms.ts"
import type { NewFee } from "../../domain/Fee.ts"
import type { Change, NewPayment } from "./Change.ts"
import { counter } from "../../platform/observability/Metrics.ts"

export interface PaymentFilter {
  readonly status?: PaymentStatus | undefined
  readonly direction?: Flow | undefined
  readonly payment_method?: PaymentMethod | undefined
  readonly client_reference?: string | undefined
  /** The caller's reference, or the beginning of either id. */
  readonly reference?: string | undefined
  /** Phone number or e-mail address of the payer or recipient. */
  readonly customer?: string | undefined
  /** Payments whose id, reference, amount, card or customer the text is. */
  readonly search?: SearchTerms | undefined
  /** Where a phone number without its country's code may be from, beside the countries of mobile money. */
  readonly home?: CountryCode | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

export type TextFilter = PaymentFilter & { readonly search: SearchTerms }

/** Payments found by a part of a text, newest first. */
export interface TextSearched {
  readonly payments: ReadonlyArray<Payment>
  /** All payments before this position, newest first, are searched; none: all are. */
  readonly next: Option.Option<Position>
}

/** Everything recorded about a payment. */
export interface PaymentHistory extends Books {
  readonly statusChanges: ReadonlyArray<HistoryRow>
  readonly attempts: ReadonlyArray<Attempt>
  readonly callbacks: ReadonlyArray<StoredCallback>
  readonly items: ReadonlyArray<StoredOperatorItem>
}

/** An attempt, its payment and the payment's movements and allocations, read at one moment. */
export interface AttemptOfPayment extends Books {
  readonly payment: Payment
  readonly attempt: Attempt
}

export interface MatchedCallback {
  readonly callback: UnmatchedCallback
  readonly attempt_id: AttemptId
}

/** Work that one instance claims at a time: attempts to send or poll, callbacks to match, cards to expire. */
export type AttemptQueue = Pick<
  Store,
  | "claimEnquiries"
  | "hint"
  | "hintAgain"
  | "claimUnsent"
  | "renewSend"
  | "requeueUnsent"
  | "stopUnsent"
  | "storeCallback"
  | "matchedCallbacks"
  | "isCallbackUnmatched"
  | "awaitCard"
  | "expiredCardWaits"
  | "deleteCardWait"
  | "now"
  | "forgetOld"
>

/** Transfer that is recorded for another payment than the provider names. */
export interface TakenTransfer extends Pick<RecordedMovement, "kind" | "movement_id"> {
  readonly payment_id: PaymentId
  readonly org_id: OrgId
}

export class TransferTaken extends Data.TaggedError("TransferTaken") {}

export interface Store {
  /** False when the idempotency key is taken, and nothing was written. A payment that is there already is written once. */
  readonly create: (opening: NewPayment) => Stored<boolean, InsufficientFunds | LockRefused>
  /**
   * False if the payment changed since it was read: the caller decides again. Fails if the money to hold is not there,
   * or if a named transfer is recorded for another payment.
   */
  readonly apply: (change: Change) => Stored<boolean, InsufficientFunds | TransferTaken>
  /** Those of these transfers that are recorded for other payments. */
  readonly takenTransfers: (
    paymentId: PaymentId,
    movements: ReadonlyArray<RecordedMovement>
  ) => Stored<ReadonlyArray<TakenTransfer>>
  readonly find: (scope: Scope, paymentId: PaymentId) => Stored<Option.Option<Payment>>
  readonly findByTransaction: (scope: Scope, transactionId: TransactionId) => Stored<Option.Option<Payment>>
  readonly list: (scope: Scope, filter: PaymentFilter, window: Window) => Stored<ReadonlyArray<Payment>>
  /**
   * Payments whose reference or name contains the text, without those that `list` finds by the same search. Reads a
   * bounded number of payments.
   */
  readonly searchText: (scope: Scope, filter: TextFilter, window: Window) => Stored<TextSearched>
  /** `orgId`: whose it is; null where only the attempt is known, as a provider names it. */
  readonly findAttempt: (attemptId: AttemptId, orgId: OrgId | null) => Stored<Option.Option<AttemptOfPayment>>
  /** `kind`: where it is known, since a provider may give attempts of several kinds the same id. */
  readonly attemptOf: (
    provider: ProviderName,
    account: ConfigId | null,
    providerPaymentId: string,
    kind?: AttemptKind
  ) => Stored<Option.Option<Attempt>>
  readonly attemptsOf: (paymentId: PaymentId) => Stored<ReadonlyArray<Attempt>>
  /**
   * Claims attempts that are due for a poll, by the capacity of each provider, in turn among its organisations. Other
   * instances skip them until the lease ends. The poll counts from now.
   */
  readonly claimEnquiries: (capacity: ReadonlyArray<ProviderCapacity>) => Stored<ReadonlyArray<DueAttempt>>
  /**
   * Makes an attempt due for a poll, at most once in `hintGap`; false if a hint is waiting already. While the attempt
   * has no provider's id, the newest few ids that hints name are kept.
   */
  readonly hint: (attemptId: AttemptId, providerPaymentId?: string | null) => Stored<boolean>
  /** Makes a hint due again after a poll without an answer, or with the next hint. */
  readonly hintAgain: (attemptId: AttemptId, after: Duration.Duration) => Stored<void>
  /** Claims attempts that any instance may send; the instance that claims one sends it at once. */
  readonly claimUnsent: (capacity: ReadonlyArray<ProviderCapacity>) => Stored<ReadonlyArray<AttemptOfPayment>>
  /** Claims an attempt to be sent again; none if the lease was lost or the attempt has an answer. */
  readonly renewSend: (attemptId: AttemptId, leaseToken: string | null) => Stored<Option.Option<AttemptOfPayment>>
  /** Makes an attempt that was not sent yet declined, so that it never is; false when it was sent, or answered, before. */
  readonly stopUnsent: (attemptId: AttemptId, reason: string) => Stored<boolean>
  /** The fees of a payment that is accepted for another amount. */
  readonly replaceFees: (payment: Payment, fees: ReadonlyArray<NewFee>) => Stored<void>
  /** Queues an attempt that was certainly not sent, after a pause; does nothing if another instance claimed it. */
  readonly requeueUnsent: (attemptId: AttemptId) => Stored<void>
  readonly callbackSeen: (provider: ProviderName, key: string) => Stored<boolean>
  /** Whether a callback is stored and not applied yet. */
  readonly isCallbackUnmatched: (provider: ProviderName, key: string) => Stored<boolean>
  /** A callback that changes nothing, or not yet; false when it was stored before. */
  readonly storeCallback: (callback: StoredCallback | UnmatchedCallback) => Stored<boolean>
  /** Unmatched callbacks whose attempt is known by the provider's id now. */
  readonly matchedCallbacks: (most: number) => Stored<ReadonlyArray<MatchedCallback>>
  /** Sets the timer of a payin that no provider has until its customer gives a card, in the transaction that makes it wait. */
  readonly awaitCard: (payment: Payment & { readonly expires_at: Date }) => Stored<void>
  /** Payins whose timer is due, the longest due first. */
  readonly expiredCardWaits: (most: number) => Stored<ReadonlyArray<Payment>>
  readonly deleteCardWait: (payment: Payment) => Stored<void>
  /** Time by the clock that all instances share. */
  readonly now: Stored<Date>
  /** Deletes a batch of unmatched callbacks past their retention; returns how many. */
  readonly forgetOld: Stored<number>
  readonly history: (payment: Payment) => Stored<PaymentHistory>
  readonly openItems: (scope: Scope, window: Window) => Stored<ReadonlyArray<OpenItem>>
}

export class PaymentStore extends Context.Tag("corridor/PaymentStore")<PaymentStore, Store>() {}

/** Fails with NotFound where there is no payment. */
export const orNotFound = Effect.flatMap(
  Option.match({
    onNone: () => Effect.fail(notFound("payment")),
    onSome: (payment: Payment) => Effect.succeed(payment)
  })
)

/** Reads a payment again that was read before. */
export const reread = (store: Store, { org_id, payment_id }: Payment): Stored<Payment> =>
  orDefect(orNotFound(store.find(Option.some(org_id), payment_id)))

export const droppedUnmatchedCallbacks = counter(
  "corridor_stray_callbacks_dropped_total",
  "Callbacks about no payment of ours that were dropped because their account had more than 10,000 of them.",
  ["provider"]
)

for (const provider of providerNames) droppedUnmatchedCallbacks([provider], 0)
