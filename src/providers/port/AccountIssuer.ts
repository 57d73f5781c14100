/**
 * Optional capability of a provider: issues bank details or addresses for virtual accounts, and lists the transfers that
 * arrive there. An adapter declares the currencies and implements both calls; nothing else knows its provider.
 */
import { Data, Effect, Duration } from "effect"
import type { HolderBankAccount as HolderBankAccountSchema } from "../../contract/api/VirtualAccountsApi.ts"
import type { AnyCurrencyCode } from "../../domain/Currency.ts"
import type { Money } from "../../domain/Money.ts"
import { incomingTransferSlice } from "../../domain/policies/PaymentPolicies.ts"
import type { CallFailed, ProviderReply } from "../client/ProviderHttp.ts"

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

/** Details that a payer needs to send money, by names of ours such as `account_number`. Never empty. */
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
 * Kinds of transfer:
 * - `collection`: money arrived for the account.
 * - `reversal`: money that had arrived went back to its sender.
 * - `reinstatement`: such a return was cancelled, and the money is back.
 */
export const transferKinds = ["collection", "reversal", "reinstatement"] as const
export type TransferKind = (typeof transferKinds)[number]

/** A transfer that has happened at the provider. */
export interface IncomingTransfer {
  /** The provider's id of the transfer: unique within its account and kind, the same with every report. */
  readonly id: string
  readonly kind: TransferKind
  /** Reference as in `Issued`; null: the provider does not say. */
  readonly providerReference: string | null
  readonly amount: Money
  /** Sender, in the provider's words; null: unknown. */
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
  /** Whether the holder's phone number is required. */
  readonly needsPhone?: true
  /** Repeatable: a second call for one reference finds what the first one made. */
  readonly issue: (order: DetailsOrder) => Effect.Effect<IssueAnswer>
  /** Transfers from this time up to another one, in any order. Absent: only callbacks and the sandbox report them. */
  readonly incoming?: (since: Date, until?: Date) => Effect.Effect<ReadonlyArray<IncomingTransfer>, NotListed>
}

/** Statuses after which the same request may succeed later. */
const isTemporary = ({ status }: ProviderReply): boolean =>
  status === 401 || status === 403 || status === 409 || status === 429 || status >= 500 || status < 400

/** An answer that brings no details. Only a definite refusal lets another provider be asked. */
export const notMade = (reply: ProviderReply, said: string | undefined): NotIssued | MaybeIssued => {
  const reason = said === undefined ? `HTTP ${reply.status}` : `HTTP ${reply.status}: ${said}`
  return isTemporary(reply) ? new MaybeIssued({ reason }) : new NotIssued({ reason })
}

export const unanswered = ({ reason }: CallFailed): MaybeIssued => new MaybeIssued({ reason })

/** A holder with one name has it as first and last. */
export const namesOf = ({ name }: AccountHolder): { readonly first: string; readonly last: string } => {
  const [first = name, ...rest] = name.trim().split(/\s+/)
  return { first, last: rest.length === 0 ? first : rest.join(" ") }
}

/** The details that the provider named. */
export const knownDetails = (named: Readonly<Record<string, string | null | undefined>>): AccountDetails =>
  Object.fromEntries(Object.entries(named).flatMap(([name, value]) => (value ? [[name, value] as const] : [])))

const MOST_PAGES = 200

interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Where the next page begins; null: there is none. */
  readonly next: string | null
}

export const notListed = (failure: { readonly reason: string }): NotListed =>
  failure instanceof NotListed ? failure : new NotListed({ reason: failure.reason })

type PageFrom<A> = (from: string | null) => Effect.Effect<Page<A>, { readonly reason: string }>

/** Every item of a list. Fails rather than leave some out. */
export const listAll = <A>(page: PageFrom<A>): Effect.Effect<ReadonlyArray<A>, NotListed> =>
  Effect.gen(function* () {
    const all: Array<A> = []
    let from: string | null = null
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const read: Page<A> = yield* page(from)
      all.push(...read.items)
      if (read.next === null) return all
      from = read.next
    }
    return yield* new NotListed({ reason: `the list has more than ${MOST_PAGES} pages`, isTooLong: true })
  }).pipe(Effect.mapError(notListed))

/** Every item between two times. A list that is too long is read in halves. */
export const listBetween = <A>(
  since: Date,
  until: Date,
  page: (since: Date, until: Date) => PageFrom<A>
): Effect.Effect<ReadonlyArray<A>, NotListed> =>
  Effect.catchIf(
    listAll(page(since, until)),
    ({ isTooLong }) =>
      isTooLong === true && until.getTime() - since.getTime() > Duration.toMillis(incomingTransferSlice),
    () => {
      const middle = new Date((since.getTime() + until.getTime()) / 2)
      const halves = [listBetween(since, middle, page), listBetween(middle, until, page)]
      return Effect.map(Effect.all(halves), (lists) => lists.flat())
    }
  )

/** A refund as the provider lists it, of a transaction with this id. */
export interface RefundOf {
  readonly id: string
  readonly of: string
  /** A refund may not name its currency. */
  readonly amount: (of: Money) => Money | undefined
}

const MOST_KNOWN = 100_000

/**
 * Finds refunds of transfers to virtual accounts: each, under its own id, is a reversal. `transferAt` returns null for a
 * transaction of anything else; those are looked up once.
 */
export const makeReversals = (
  transferAt: (id: string) => Effect.Effect<IncomingTransfer | null, { readonly reason: string }>
) => {
  const ofOthers = new Set<string>()
  return (refunds: ReadonlyArray<RefundOf>): Effect.Effect<ReadonlyArray<IncomingTransfer>, NotListed> =>
    Effect.forEach(refunds, ({ amount, id, of }) =>
      Effect.gen(function* () {
        if (ofOthers.has(of)) return []
        const transfer = yield* transferAt(of)
        if (transfer === null && ofOthers.size < MOST_KNOWN) ofOthers.add(of)
        const money = transfer === null ? undefined : amount(transfer.amount)
        return transfer === null || money?.isPositive !== true
          ? []
          : [{ ...transfer, id, of: transfer.id, kind: "reversal", amount: money } as const]
      })
    ).pipe(
      Effect.map((all) => all.flat()),
      Effect.mapError(notListed)
    )
}
