/**
 * Ledger accounts of a payment: the provider's, and the organisation's that funds it or receives it. Both depend on the
 * account at the provider that the payment or attempt goes through.
 */
import { currencyOf, kindOf, LedgerAccount } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import { isSettled, type PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Attempt, Payment } from "./Payment.ts"

const { own: ownOf, provider, settlement } = LedgerAccount

type Sided = Pick<Payment, "amount" | "direction" | "funding" | "org_id" | "target">

/** The organisation's amount of the two. */
const organizationsMoney = ({ amount, direction, target }: Sided): Money => (direction === "outbound" ? amount : target)

/** Account that the platform keeps for the organisation, if the payment is paid from it. */
const keptFunding = ({ funding }: Pick<Payment, "funding">): LedgerAccount | null =>
  funding === null || kindOf(funding) === "own" ? null : funding

/** Whether it is paid from an account that the platform keeps; then only the platform's provider accounts pay it. */
export const isPaidFromKeptAccount = (payment: Pick<Payment, "funding">): boolean => keptFunding(payment) !== null

/** Account at the provider, and whether it is the organisation's own. */
export type Through = Pick<Attempt, "account" | "own">

/** Organisation's ledger account for money through an account at a provider. */
export const organizationAccountThrough = (
  payment: Sided,
  { account, own }: Through,
  currency: Money["currency"]
): LedgerAccount => {
  if (own && account !== null) return ownOf(payment.org_id, account, currency)
  const kept = keptFunding(payment)
  // Money in another currency than the kept account's goes to the settlement account.
  return kept !== null && currencyOf(kept) === currency ? kept : settlement(payment.org_id, currency)
}

/** Funding of a payment through this account. */
export const fundingThrough = (payment: Sided, through: Through): LedgerAccount | null =>
  through.own
    ? organizationAccountThrough(payment, through, organizationsMoney(payment).currency)
    : keptFunding(payment)

/** Organisation's ledger account of a payment: pays for a payout, receives a payin. */
export const organizationAccount = (payment: Sided): LedgerAccount =>
  payment.funding ?? settlement(payment.org_id, organizationsMoney(payment).currency)

/** Ledger account of the provider of an attempt or payment. */
export const providerAccount =
  ({ account, provider: name }: Pick<Payment, "account" | "provider">) =>
  (currency: Money["currency"]): LedgerAccount => {
    if (name === null) throw new Error("money moves at no provider")
    return provider(name, currency, account)
  }

/**
 * Hold of a payout: from the first attempt until the payment ends, on the account that funds the last attempt.
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
