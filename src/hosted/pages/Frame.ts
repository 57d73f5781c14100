/** What every page about a payment shows: to whom, how much, for what. */
import { type Content, type Html, html } from "../../domain/Html.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { referenceOf } from "../../payments/store/PaymentReference.ts"
import { amountText } from "./AmountText.ts"
import type { Words } from "./Words.ts"

export interface Shown {
  readonly payment: Payment
  readonly merchant: string
  readonly testMode: boolean
  /** Not to be, because somebody would rather not. */
  readonly calledOff: boolean
}

export interface Headline {
  readonly merchant: string
  readonly testMode: boolean
  /** None as long as the payer may choose it. */
  readonly amount: string | undefined
}

/** Text of others stands for itself: it cannot turn round what is written beside it. */
export const foreign = (text: string): Html => html`<bdi>${text}</bdi>`

/** More than fits on a phone in large type. */
const LONG_AMOUNT = 17

export const headed = ({ amount, merchant, testMode }: Headline, words: Words, body: Content): Html =>
  html`${testMode && html`<p class="test">${words.testMode}</p>`}
    <header class="summary">
      <p class="label">${words.paymentTo}</p>
      <p class="merchant">${foreign(merchant)}</p>
      ${amount !== undefined && html`<p class="amount ${amount.length > LONG_AMOUNT && "long"}">${amount}</p>`}
    </header>
    ${body}`

export const framed = ({ merchant, payment, testMode }: Shown, words: Words, body: Content): Html =>
  headed({ merchant, testMode, amount: amountText(payment.amount, words) }, words, body)

export const detail = (name: string, value: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${foreign(value)}</dd>
  </div>`

export const details = ({ payment }: Shown, words: Words): Html =>
  html`<dl>
    ${payment.description !== null && payment.description.trim() !== "" && detail(words.description, payment.description)}
    ${detail(words.reference, referenceOf(payment))}
  </dl>`

export const cancelButton = (words: Words): Html =>
  html`<button class="secondary" name="action" value="cancel" formnovalidate>${words.cancel}</button>`
