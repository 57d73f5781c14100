/** Context of a signal about an attempt: its source, its time, the provider's id and the reason. Pure. */
import type { Duration, Option } from "effect"
import type { ProviderName } from "../../domain/Corridor.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { NewAttempt } from "../store/Change.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import type { AttemptOfPayment } from "../store/PaymentStore.ts"

/** Reports a payin that waits for its customer at its end. `closed`: the provider confirmed that it takes no money any more. */
interface AtEnd {
  readonly closed: boolean
  /** Status of the payment before its provider was asked: one that has moved on since does not end. */
  readonly from: Payment["status"]
}

/** Source of a signal, and what else its change must carry. */
export interface SignalContext {
  readonly cause: string
  /** `unmatchedId`: id of the stored callback, if it came before its attempt was known. */
  readonly callback?: { readonly provider: ProviderName; readonly key: string; readonly unmatchedId?: string }
  /** Operator who decides, and the note for the record. The attempt's own reason stays beside it. */
  readonly operator?: {
    readonly id: string
    readonly note: string
    /** The decision is about money that the provider did not show. */
    readonly unseen?: boolean
  }
  /** Poll caused by a hint: the schedule of polls stays as it was. */
  readonly hinted?: boolean
  /** All polls caused by a hint stayed without an answer. */
  readonly hintUnanswered?: boolean
  /** Money that a callback names as taken back and the provider does not show. Opens an item for an operator. */
  readonly unseen?: string
  /** Note to append to the payment's comments. */
  readonly note?: string
  /** Of a payin whose end has come: what its provider was asked then. */
  readonly atEnd?: AtEnd
  /** Polling cannot find out more: opens an item at once. */
  readonly exhausted?: boolean
  /** The provider gave up the id that the attempt has, for the one that it names now. */
  readonly renamed?: true
  /** The candidate that takes over if this one declines; only the dispatch has one. */
  readonly next?: NewAttempt | undefined
}

export interface DecisionTime {
  readonly at: Date
  readonly newId: () => string
  /** Time until the next poll; none after the last. */
  readonly enquireIn: Option.Option<Duration.Duration>
}

export const namedId = (signal: ProviderSignal): string | null =>
  "providerPaymentId" in signal ? (signal.providerPaymentId ?? null) : null

/** The provider's id of the attempt; the first one counts. */
export const ownId = (
  { provider_payment_id }: Attempt,
  signal: ProviderSignal,
  { renamed }: SignalContext
): string | null => (renamed === true ? namedId(signal) : (provider_payment_id ?? namedId(signal)))

export const reasonOf = (signal: ProviderSignal): string | null => {
  switch (signal._tag) {
    case "Accepted":
      return null
    case "Absent":
      return "the provider never had it"
    default: {
      const code = "providerCode" in signal ? signal.providerCode : undefined
      return code === undefined || signal.reason === null ? signal.reason : `${signal.reason} (${code})`
    }
  }
}

/** Appends a note unless the comments have it already. */
export const appendNote = (comments: string | null, note: string): string => {
  if (comments === null) return note
  return comments.includes(note) ? comments : `${comments} ${note}`
}

/** Whether the provider reports that the attempt failed. */
const saysFailed = (signal: ProviderSignal): boolean =>
  signal._tag === "Declined" || (signal._tag === "Report" && signal.state === "failed")

/** Whether the provider reports that money went back, without a transfer that took it. */
const lacksTransferBack = (signal: ProviderSignal): boolean =>
  signal._tag === "Report" &&
  signal.state === "returned" &&
  !(signal.movements ?? []).some(({ kind }) => kind !== "collection" && kind !== "disbursement")

/** Contradiction of a provider that reports a failure, or a return without a transfer, after money moved. */
export const failureContradiction = (
  { attempt: { outcome, provider } }: AttemptOfPayment,
  signal: ProviderSignal,
  { operator }: SignalContext,
  { moved }: { readonly moved: boolean }
): string | undefined => {
  if (outcome === "declined" || !moved || operator !== undefined) return undefined
  if (saysFailed(signal)) {
    return `${provider} says that it failed, after it had been completed: an operator must find out whether the money is there.`
  }
  return lacksTransferBack(signal)
    ? `${provider} says that the money went back, and not by which transfer: an operator must find out how much is there.`
    : undefined
}
