import { amountText, isZero } from "../../api/Amount.ts"
import { Icon } from "../../parts/Icon.tsx"
import type { Payment } from "../payments/PaymentTable.tsx"
import { providerName } from "../providers/Names.ts"

interface Whereabouts {
  readonly tone: "good" | "busy" | "warn" | "calm"
  readonly title: string
  readonly words: string
}

const sum = ({ amount, currency }: Payment): string => `${amountText(amount)} ${currency}`

const received = ({ target_amount, target_currency, ...payment }: Payment): string =>
  target_amount === null ? sum(payment as Payment) : `${amountText(target_amount)} ${target_currency}`

const less = ({ total_fees }: Payment): string =>
  total_fees === null || isZero(total_fees) ? "" : `, less ${amountText(total_fees)} in fees`

const atProvider = ({ provider }: Payment): string => (provider === null ? "a provider" : providerName(provider))

const inbound = (payment: Payment): Whereabouts => {
  const { refunded_amount, status } = payment
  if (status === "completed") {
    const back = isZero(refunded_amount) ? "" : ` ${amountText(refunded_amount)} ${payment.currency} have gone back.`
    return {
      tone: "good",
      title: "With you",
      words: `${received(payment)} are on your balance${less(payment)}.${back}`
    }
  }
  if (status === "refunded")
    return { tone: "calm", title: "Back with the payer", words: `All of ${sum(payment)} has gone back.` }
  if (status === "pending" || status === "processing") {
    return {
      tone: "busy",
      title: "Not collected yet",
      words: `${atProvider(payment)} has not said that ${sum(payment)} arrived.`
    }
  }
  return notBegun(payment, "Nothing was collected")
}

const outbound = (payment: Payment): Whereabouts => {
  switch (payment.status) {
    case "completed":
      return {
        tone: "good",
        title: "With the beneficiary",
        words: `${received(payment)} were paid out${less(payment)}.`
      }
    case "refunded":
      return { tone: "calm", title: "Back on your balance", words: "The provider returned it after it had been paid." }
    case "pending":
    case "processing":
      return {
        tone: "busy",
        title: "Held",
        words: `${sum(payment)} left your balance and wait for ${atProvider(payment)} to say that they arrived.`
      }
    default:
      return notBegun(payment, "Back on your balance")
  }
}

const external = (payment: Payment): Whereabouts => {
  const { status } = payment
  if (status === "completed")
    return { tone: "good", title: "Settled", words: `${received(payment)} reached their destination.` }
  if (status === "failed") {
    return { tone: "warn", title: "Not settled", words: "What was collected, if anything was, is held on the ledger." }
  }
  return status === "pending" || status === "processing"
    ? { tone: "busy", title: "Between two legs", words: "It is collected first, and settled then." }
    : notBegun(payment, "Nothing was moved")
}

/** Before anybody is asked, and where it ended without having moved. */
const notBegun = ({ failure, status }: Payment, title: string): Whereabouts =>
  status === "failed" || status === "rejected" || status === "canceled"
    ? { tone: "calm", title, words: failure?.message ?? "It ended before any money moved." }
    : { tone: "warn", title: "Waits for a review", words: "No provider is asked before somebody approves it." }

const where = { inbound, outbound, external }

export const MoneyNow = ({ payment }: { readonly payment: Payment }) => {
  const { title, tone, words } = where[payment.direction](payment)
  return (
    <section class={`money-now ${tone}`} aria-label="Where the money is">
      <Icon name="money" />
      <div>
        <p>
          <strong>{title}.</strong> {words}
        </p>
        {payment.comments !== null && <p class="muted">{payment.comments}</p>}
      </div>
    </section>
  )
}
