/** What is heard of an attempt: who says it, when, under which id and for what reason. Pure. */
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

/** Who says it, and what else its change must carry. */
export interface SignalContext {
  readonly cause: string
  /** `stray`: the id under which it was kept until its payment was known. */
  readonly callback?: { readonly provider: ProviderName; readonly key: string; readonly unmatchedId?: string }
  /** A person decides, with these words for the record; what the attempt itself had said stays beside them. */
  readonly operator?: {
    readonly id: string
    readonly note: string
    /** The decision is about money that the provider did not show. */
    readonly unseen?: boolean
  }
  /** The provider was asked out of turn, for a hint: the plan by which it is asked stays as it was. */
  readonly hinted?: boolean
  /** There was a hint, and its provider was asked after it in vain for as long as anybody asks. */
  readonly hintUnanswered?: boolean
  /** What a callback says was taken back and the provider does not show: an operator looks it up, and closes its item. */
  readonly unseen?: string
  /** What is to stand on the record besides. */
  readonly note?: string
  /** Of a payin whose end has come: what its provider was asked then. */
  readonly atEnd?: AtEnd
  /** Nothing more can be learned by asking: a person must look at once. */
  readonly exhausted?: boolean
  /** The provider gave up the id that the attempt has, for the one that it names now. */
  readonly renamed?: true
  /** The candidate that takes over if this one declines; only the dispatch has one. */
  readonly next?: NewAttempt | undefined
}

export interface DecisionTime {
  readonly at: Date
  readonly newId: () => string
  /** How long to wait before the attempt is asked about the next time; none when that was done often enough. */
  readonly enquireIn: Option.Option<Duration.Duration>
}

export const namedId = (signal: ProviderSignal): string | null =>
  "providerPaymentId" in signal ? (signal.providerPaymentId ?? null) : null

/** The provider's id of the attempt: the one that was written first. */
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

/** The same note is not written twice, however often its reason comes back. */
export const appendNote = (comments: string | null, note: string): string => {
  if (comments === null) return note
  return comments.includes(note) ? comments : `${comments} ${note}`
}

/** It did not happen, by the provider's own report. */
const saysFailed = (signal: ProviderSignal): boolean =>
  signal._tag === "Declined" || (signal._tag === "Report" && signal.state === "failed")

/** What has moved cannot fail: one of both reports is wrong. */
export const failureContradiction = (
  { attempt: { outcome, provider } }: AttemptOfPayment,
  signal: ProviderSignal,
  { operator }: SignalContext,
  { moved }: { readonly moved: boolean }
): string | undefined =>
  outcome !== "declined" && moved && operator === undefined && saysFailed(signal)
    ? `${provider} says that it failed, after it had been completed: an operator must find out whether the money is there.`
    : undefined
