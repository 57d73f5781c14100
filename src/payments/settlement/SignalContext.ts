/** Context of a signal about an attempt: cause, time, the provider's id, reason and notes. Pure. */
import type { Duration, Option } from "effect"
import type { ProviderName } from "../../domain/Corridor.ts"
import type { ProviderSignal } from "../../domain/PaymentStatusRules.ts"
import type { NewAttempt } from "../store/Change.ts"
import type { Attempt, Payment } from "../store/Payment.ts"

/** Reports a payin that waits for its customer at its end. `closed`: the provider confirmed that it takes no money any more. */
interface AtEnd {
  /** The customer's way to pay at the provider. `unknown`: it may be open, and is to be closed again. */
  readonly page: "closed" | "open" | "unknown"
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
    readonly unverified?: boolean
    /** The amount of the transfer that is stated replaces the recorded one. */
    readonly corrects?: boolean
  }
  /** Poll caused by a hint: the schedule of polls stays as it was. */
  readonly hinted?: boolean
  /** All polls caused by a hint stayed without an answer. */
  readonly hintUnanswered?: boolean
  /** Money that a callback names as taken back and the provider does not show. Opens an item for an operator. */
  readonly unverified?: string
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
export const providerIdOf = (
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
