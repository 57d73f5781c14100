/**
 * Whose money is on which account of the books: what lies with a provider, and what the organisation has for it, both by
 * the account at the provider that a payment or an attempt goes through.
 */
import { currencyOf, kindOf, LedgerAccount } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import { isSettled, type PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Attempt, Payment } from "./Payment.ts"

const { own: ownOf, provider, settlement } = LedgerAccount

type Sided = Pick<Payment, "amount" | "direction" | "funding" | "org_id" | "target">

/** What is the organisation's of the two amounts. */
const organizationsMoney = ({ amount, direction, target }: Sided): Money => (direction === "outbound" ? amount : target)

/** What the platform keeps for the organisation, if the payment is paid from that. */
const keptFunding = ({ funding }: Pick<Payment, "funding">): LedgerAccount | null =>
  funding === null || kindOf(funding) === "own" ? null : funding

/** Whether it is paid from what the platform keeps apart for the organisation: then only the platform's accounts pay it. */
export const isPaidFromKeptAccount = (payment: Pick<Payment, "funding">): boolean => keptFunding(payment) !== null

/** Through whose account something goes. */
export type Through = Pick<Attempt, "account" | "own">

/** The organisation's side of what goes through an account. */
export const organizationAccountThrough = (
  payment: Sided,
  { account, own }: Through,
  currency: Money["currency"]
): LedgerAccount => {
  if (own && account !== null) return ownOf(payment.org_id, account, currency)
  const kept = keptFunding(payment)
  // What came in another currency than the account's is settled with the organisation itself.
  return kept !== null && currencyOf(kept) === currency ? kept : settlement(payment.org_id, currency)
}

/** What a payment through this account is paid from, or what has what it brings. */
export const fundingThrough = (payment: Sided, through: Through): LedgerAccount | null =>
  through.own
    ? organizationAccountThrough(payment, through, organizationsMoney(payment).currency)
    : keptFunding(payment)

/** Who pays for a payout, and gets back what was not paid; who has what a payin brings, and gives it back. */
export const organizationAccount = (payment: Sided): LedgerAccount =>
  payment.funding ?? settlement(payment.org_id, organizationsMoney(payment).currency)

/** Where the provider of an attempt, or whoever took a payment, has its money. */
export const providerAccount =
  ({ account, provider: name }: Pick<Payment, "account" | "provider">) =>
  (currency: Money["currency"]): LedgerAccount => {
    if (name === null) throw new Error("money moves at no provider")
    return provider(name, currency, account)
  }

/**
 * A payout's money is held as soon as someone is asked to pay it, and until that has ended: from whatever pays through
 * the account of the last who was asked.
 */
export const holdAfter = (
  payment: Sided & Pick<Payment, "holds">,
  status: PaymentStatus,
  asked: Through | undefined
): Pick<Payment, "funding" | "holds"> => {
  const { direction, funding, holds } = payment
  return {
    holds: direction === "outbound" && !isSettled(status) && (holds || asked !== undefined),
    funding: direction === "outbound" && asked !== undefined ? fundingThrough(payment, asked) : funding
  }
}
