/** What a payer keeps of a payment: the same lines on the page and in the mail. */
import type { Payment } from "../../payments/store/Payment.ts"
import { referenceOf } from "../../payments/store/PaymentSearch.ts"
import { amountText } from "./AmountText.ts"
import { timeText } from "./TimeText.ts"
import type { Words } from "./Words.ts"

const textIn = (details: Payment["payer_details"], name: string): string | undefined => {
  const value = details[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Enough to know it again by, and not enough to use it. */
const ending = (text: string | undefined): string => (text === undefined ? "" : ` •••• ${text.slice(-4)}`)

const paidBy = ({ card_details, mobile_money_details, payment_method }: Payment, words: Words): string | undefined => {
  const name = words.methodNames[payment_method]
  if (name === undefined) return undefined
  if (payment_method === "card") return `${name}${ending(textIn(card_details, "last4"))}`
  return payment_method === "mobile_money" ? `${name}${ending(textIn(mobile_money_details, "phone_number"))}` : name
}

export const payersAddress = ({ payer_details }: Payment): string | undefined => textIn(payer_details, "email")

/** For a page that others may come to see. */
export const maskedAddress = (address: string): string => address.replace(/^(.)[^@]*/, "$1…")

interface Paid {
  readonly payment: Payment
  readonly merchant: string
}

type Line = readonly [name: string, value: string]

export const aboutPayment = ({ merchant, payment }: Paid, words: Words): ReadonlyArray<Line> => [
  ...(payment.description !== null && payment.description.trim() !== ""
    ? [[words.description, payment.description] as const]
    : []),
  ...(payment.target.currency === payment.amount.currency
    ? []
    : [[words.receives(merchant), amountText(payment.target, words)] as const]),
  [words.reference, referenceOf(payment)]
]

export const receiptLines = (shown: Paid, words: Words): ReadonlyArray<Line> => {
  const method = paidBy(shown.payment, words)
  return [
    [words.date, timeText(shown.payment.created_at, words)],
    ...(method === undefined ? [] : [[words.paidBy, method] as const]),
    ...aboutPayment(shown, words)
  ]
}
