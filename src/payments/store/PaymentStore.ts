/** Payments at rest. A change of state, its history, its attempt, its events and its callback are one statement. */
import { Context, Data, type Duration, type Option } from "effect"
import type { AttemptId, ConfigId, OrgId, PaymentId, TransactionId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import type { Flow, PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import type { CountryCode } from "../../domain/Country.ts"
import type { InsufficientFunds } from "../../domain/Failure.ts"
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
import type { NewFee } from "../../domain/Fee.ts"
import type { Change, NewPayment } from "./Change.ts"

export interface PaymentFilter {
  readonly status?: PaymentStatus | undefined
  readonly direction?: Flow | undefined
  readonly payment_method?: PaymentMethod | undefined
  readonly client_reference?: string | undefined
  /** The caller's reference, or the beginning of either id. */
  readonly reference?: string | undefined
  /** A phone number or an e-mail address of whoever pays or is paid. */
  readonly customer?: string | undefined
  /** Where a phone number without its country's code may be from, beside the countries of mobile money. */
  readonly home?: CountryCode | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/** All that is recorded of a payment. */
export interface PaymentHistory extends Books {
  readonly history: ReadonlyArray<HistoryRow>
  readonly attempts: ReadonlyArray<Attempt>
  readonly callbacks: ReadonlyArray<StoredCallback>
  readonly items: ReadonlyArray<StoredOperatorItem>
}

/** An attempt, its payment and what is recorded of the payment's money, as they were at one moment. */
export interface AttemptOfPayment extends Books {
  readonly payment: Payment
  readonly attempt: Attempt
}

/** How many attempts of a provider there is room for. */
export interface ProviderCapacity {
  readonly provider: ProviderName
  readonly room: number
}

export interface MatchedCallback {
  readonly callback: UnmatchedCallback
  readonly attempt_id: AttemptId
}

/** What is taken up by one instance at a time: to be sent, to be asked about, to be matched with what came early. */
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
  | "forgetCardWait"
  | "now"
>

/** A transfer that belongs to another payment than the one that a provider names it for. */
export interface TakenTransfer extends Pick<RecordedMovement, "kind" | "movement_id"> {
  readonly payment_id: PaymentId
  readonly org_id: OrgId
}

export class TransferTaken extends Data.TaggedError("TransferTaken") {}

export interface Store {
  /** False when the idempotency key is taken, and nothing was written. A payment that is there already is written once. */
  readonly create: (opening: NewPayment) => Stored<boolean, InsufficientFunds | LockRefused>
  /**
   * False when the payment has changed since it was read: decide anew. Fails where it holds money and there is too little,
   * and where a transfer that it names is recorded for another payment.
   */
  readonly apply: (change: Change) => Stored<boolean, InsufficientFunds | TransferTaken>
  /** Which of these transfers are recorded for other payments. */
  readonly takenTransfers: (
    paymentId: PaymentId,
    movements: ReadonlyArray<RecordedMovement>
  ) => Stored<ReadonlyArray<TakenTransfer>>
  readonly find: (scope: Scope, paymentId: PaymentId) => Stored<Option.Option<Payment>>
  readonly findByTransaction: (scope: Scope, transactionId: TransactionId) => Stored<Option.Option<Payment>>
  readonly list: (scope: Scope, filter: PaymentFilter, window: Window) => Stored<ReadonlyArray<Payment>>
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
   * Attempts that are due to be asked about, by lanes: of a provider no more than it has room for, of its organisations
   * one after the other. Each is out of sight of other instances for the length of the lease; the asking counts from now.
   */
  readonly claimEnquiries: (lanes: ReadonlyArray<ProviderCapacity>) => Stored<ReadonlyArray<DueAttempt>>
  /**
   * Makes an attempt due for an enquiry, at most once in `hintGap`; false when one such hint is waiting already. The id that
   * a hint names is kept while the attempt has none of its own, the newest few of them.
   */
  readonly hint: (attemptId: AttemptId, providerPaymentId?: string | null) => Stored<boolean>
  /** The hint that it was claimed for was asked after in vain, and stands: it is due again by then, or with the next one. */
  readonly hintAgain: (attemptId: AttemptId, after: Duration.Duration) => Stored<void>
  /** Attempts that were committed for any instance to send: whoever claims one sends it at once, and nobody else does. */
  readonly claimUnsent: (lanes: ReadonlyArray<ProviderCapacity>) => Stored<ReadonlyArray<AttemptOfPayment>>
  /** Takes leave to send an attempt again: none where its lease was lost, or the attempt has its answer by now. */
  readonly renewSend: (attemptId: AttemptId, leaseToken: string | null) => Stored<Option.Option<AttemptOfPayment>>
  /** Makes an attempt that was not sent yet declined, so that it never is; false when it was sent, or answered, before. */
  readonly stopUnsent: (attemptId: AttemptId, reason: string) => Stored<boolean>
  /** The fees of a payment that is settled for another amount. */
  readonly replaceFees: (payment: Payment, fees: ReadonlyArray<NewFee>) => Stored<void>
  /** One that was certainly not sent waits to be claimed again, after a pause; nothing where somebody else took it up. */
  readonly requeueUnsent: (attemptId: AttemptId) => Stored<void>
  readonly callbackSeen: (provider: ProviderName, key: string) => Stored<boolean>
  /** Whether what came before its payment was known still waits for it: nobody has applied it meanwhile. */
  readonly isCallbackUnmatched: (provider: ProviderName, key: string) => Stored<boolean>
  /** A callback that changes nothing, or not yet; false when it was stored before. */
  readonly storeCallback: (callback: StoredCallback | UnmatchedCallback) => Stored<boolean>
  /** Callbacks that came before their attempt was known by its provider's id, and whose attempt is known now. */
  readonly matchedCallbacks: (most: number) => Stored<ReadonlyArray<MatchedCallback>>
  /** Sets the timer of a payin that no provider has until its customer gives a card, in the transaction that makes it wait. */
  readonly awaitCard: (payment: Payment & { readonly expires_at: Date }) => Stored<void>
  /** Payins whose timer is due, the longest due first. */
  readonly expiredCardWaits: (most: number) => Stored<ReadonlyArray<Payment>>
  readonly forgetCardWait: (payment: Payment) => Stored<void>
  /** The time by the clock that all instances share. */
  readonly now: Stored<Date>
  readonly history: (payment: Payment) => Stored<PaymentHistory>
  readonly openItems: (scope: Scope, window: Window) => Stored<ReadonlyArray<OpenItem>>
}

export class PaymentStore extends Context.Tag("corridor/PaymentStore")<PaymentStore, Store>() {}
