/**
 * Optional capability of a provider: issues bank details or addresses for virtual accounts, and lists the transfers that
 * arrive there. An adapter declares the currencies and implements both calls; nothing else knows its provider.
 */
import { Data, type Effect } from "effect"
import type { HolderBankAccount as HolderBankAccountSchema } from "../../contract/api/VirtualAccountsApi.ts"
import type { AnyCurrencyCode } from "../../domain/Currency.ts"
import type { Money } from "../../domain/Money.ts"

/** Person or company that the details are issued for. */
export interface AccountHolder {
  readonly name: string
  readonly email: string
  readonly phone: string | null
  /** The account that the holder sends from: some providers take money from no other. */
  readonly bank_account?: HolderBankAccount | undefined
}

export type HolderBankAccount = typeof HolderBankAccountSchema.Type

export interface DetailsOrder {
  /** Ours, of the virtual account; the same with every try. */
  readonly reference: string
  readonly currency: AnyCurrencyCode
  /** Country of the organisation. */
  readonly country: string
  readonly holder: AccountHolder
}

/** What a payer needs to send money, by names of ours such as `account_number`. Never empty. */
export type AccountDetails = Readonly<Record<string, string>>

/** The details exist. */
export class Issued extends Data.TaggedClass("Issued")<{
  /** The provider's id of the account or its customer: incoming transfers name it. */
  readonly providerReference: string
  readonly details: AccountDetails
}> {}

/** The provider does not issue these details: another provider may be asked. */
export class NotIssued extends Data.TaggedClass("NotIssued")<{ readonly reason: string }> {}

/** Details may have been made: the same provider is asked again. */
export class MaybeIssued extends Data.TaggedClass("MaybeIssued")<{ readonly reason: string }> {}

export type IssueAnswer = Issued | NotIssued | MaybeIssued

/**
 * - `collection`: money arrived for the account.
 * - `reversal`: money that had arrived went back to its sender.
 * - `reinstatement`: such a return was canceled, and the money is back.
 */
export const transferKinds = ["collection", "reversal", "reinstatement"] as const
export type TransferKind = (typeof transferKinds)[number]

/** A transfer that has happened at the provider. */
export interface IncomingTransfer {
  /** The provider's id of the transfer: unique within its account and kind, the same with every report. */
  readonly id: string
  readonly kind: TransferKind
  /** As in `Issued`; null: the provider does not say. */
  readonly providerReference: string | null
  readonly amount: Money
  /** As the provider names the sender; null: unknown. */
  readonly sender: string | null
  /** Id of the transfer that a reversal or reinstatement undoes; absent: the provider does not say. */
  readonly of?: string
  /** The provider does not say whether it is of a virtual account: it is booked only if its reference is known. */
  readonly isUncertain?: true
}

/** The list could not be read to its end. `isTooLong`: that of a shorter time can be. */
export class NotListed extends Data.TaggedError("NotListed")<{
  readonly reason: string
  readonly isTooLong?: true
}> {}

export interface AccountIssuer {
  readonly currencies: ReadonlyArray<string>
  /** Whether it issues nothing without the holder's phone number. */
  readonly needsPhone?: true
  /** Repeatable: a second call for one reference finds what the first one made. */
  readonly issue: (order: DetailsOrder) => Effect.Effect<IssueAnswer>
  /** All transfers since this time, up to another one, in any order. Absent: only callbacks and the sandbox report them. */
  readonly incoming?: (since: Date, until?: Date) => Effect.Effect<ReadonlyArray<IncomingTransfer>, NotListed>
}
