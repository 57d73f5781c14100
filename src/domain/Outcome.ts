/** Results of a provider call. Only `Declined` permits the next provider: every fallback takes one as an argument. */
import { Data } from "effect"
import type { RefusalCode } from "./PaymentStatus.ts"
import type { Money } from "./Money.ts"
import type { Movement } from "./Movement.ts"

export const nextActions = ["redirect", "wait", "bank_transfer", "pay_by_link", "collect_otp", "check_status"] as const
export type NextAction = (typeof nextActions)[number]

/** The provider has it. `state` says how far it is; `nextAction` what the customer must do, if anything. */
export class Accepted extends Data.TaggedClass("Accepted")<{
  readonly state: "pending" | "processing" | "completed"
  /** Required with a final answer where callbacks name only this id: no enquiry follows. */
  readonly providerPaymentId: string | null
  readonly providerStatus: string | null
  readonly nextAction: NextAction | null
  /** Fields that the customer needs for it: a redirect address, an account to pay to. */
  readonly actionData: Readonly<Record<string, string | null>>
  /** The provider's own ids and receipts, shown on the record as `provider_data`; never its secrets. */
  readonly providerData: Readonly<Record<string, unknown>>
  /** As in a report. */
  readonly movements?: ReadonlyArray<Movement>
  /** Fee of the provider, where it is reported. */
  readonly fee?: Money
}> {}

/** Codes of a refusal: ours, which is stable, and the provider's. */
interface Refusal {
  readonly code?: RefusalCode
  readonly providerCode?: string
}

/** A definite refusal, or proof that nothing was sent: no money moved and none will. */
export class Declined extends Data.TaggedClass("Declined")<
  Refusal & {
    readonly reason: string
    /** Under which id of its own the provider keeps what it refused, where it says so: it may call it by nothing else. */
    readonly providerPaymentId?: string
    /** The payer's card or account was refused: another provider would refuse it too. */
    readonly instrument?: true
    /** The order was not sent: too late, no connection, or a full queue. */
    readonly unsent?: "late" | "unreachable" | "crowded"
  }
> {}

/** A refusal by the provider for reasons of its own, which leaves the others to be asked. */
export type ProvidersRefusal = Declined & { readonly instrument?: undefined }

export const isProvidersRefusal = (declined: Declined): declined is ProvidersRefusal => declined.instrument !== true

/** Unknown result: enquired about, never sent elsewhere. */
export class Unknown extends Data.TaggedClass("Unknown")<{
  readonly reason: string
  /** Of an enquiry: the provider has no payment yet for the page that the customer was sent to, if there is such a page. */
  readonly untried?: true
}> {}

export type Outcome = Accepted | Declined | Unknown

/** Later report of a provider about a payment, by callback or enquiry. */
export class Report extends Data.TaggedClass("Report")<
  Refusal & {
    readonly state: "pending" | "processing" | "completed" | "failed" | "returned"
    readonly reason: string | null
    readonly providerPaymentId: string | null
    readonly providerStatus: string | null
    /** As in an acceptance: ids and receipts that it tells by now, such as that of a charge or of a transaction on chain. */
    readonly providerData?: Accepted["providerData"]
    /** Every transfer of money that it tells of, each under the provider's own id. */
    readonly movements?: ReadonlyArray<Movement>
    readonly fee?: Money
    /** Of `failed` and `returned`: it was called off, by us or by hand at the provider. */
    readonly calledOff?: true
    /** Next action of the customer, where the provider repeats it in enquiries. */
    readonly waitsFor?: { readonly nextAction: NextAction; readonly actionData: Accepted["actionData"] }
  }
> {}

/** The provider has no trace of the reference; whether that is proof, its `provesAbsence` says. */
export class Absent extends Data.TaggedClass("Absent")<{}> {}

export type Enquiry = Report | Absent | Unknown
