/** Nobody gains by walking through currencies: whatever is exchanged is worth no more than what was given for it. */
import { BigDecimal } from "effect"
import { sandboxRates } from "../../src/app/sandbox/SandboxData.ts"
import { kindOf } from "../../src/domain/Ledger.ts"
import { Money } from "../../src/domain/Money.ts"
import type { Payment } from "../../src/payments/store/Payment.ts"
import type { Records } from "./Records.ts"

/** What one of each currency is worth, by the rates that every world begins with. */
const dollars = new Map<string, BigDecimal.BigDecimal>([
  ["USD", BigDecimal.fromBigInt(1n)],
  ...sandboxRates.flatMap(({ from_currency, rate, to_currency }) =>
    to_currency === "USD" ? [[from_currency, BigDecimal.unsafeFromString(rate)] as const] : []
  )
])

const nothing = BigDecimal.fromBigInt(0n)

const half = BigDecimal.make(5n, 1)

const worthOf = (money: Money): BigDecimal.BigDecimal =>
  BigDecimal.multiply(money.toDecimal(), dollars.get(money.currency) ?? nothing)

/** What the caller of an initiation computes is rounded half-even, by contract: half of the least that there is. */
const tolerated = ({ direction, target }: Payment): BigDecimal.BigDecimal =>
  direction === "external"
    ? nothing
    : BigDecimal.multiply(half, worthOf(new Money({ currency: target.currency, minor: 1n })))

/** A payment and what was given back of it together; a transfer by itself. */
export const walkProblems = ({ payments, postings }: Records): ReadonlyArray<string> => {
  const allowed = new Map(payments.map((payment) => [`payment ${payment.payment_id}`, tolerated(payment)]))
  const gained = new Map<string, BigDecimal.BigDecimal>()
  for (const { account, amount, entry_id, payment_id } of postings) {
    if (kindOf(account) !== "fx") continue
    const about = payment_id === null ? `transfer ${entry_id}` : `payment ${payment_id}`
    gained.set(about, BigDecimal.sum(gained.get(about) ?? nothing, worthOf(amount)))
  }
  return Array.from(gained).flatMap(([about, worth]) =>
    BigDecimal.lessThan(BigDecimal.sum(worth, allowed.get(about) ?? nothing), nothing)
      ? [`${about} has made ${BigDecimal.format(BigDecimal.negate(worth))} dollars of nothing by exchanging them`]
      : []
  )
}
