/** What every page about a payment shows: to whom, how much, for what. */
import { type Content, type Html, html } from "../../domain/Html.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { amountText } from "./AmountText.ts"
import { aboutPayment, receiptLines } from "./Receipt.ts"
import type { Words } from "./Words.ts"

/** How whoever is paid is shown beside its name. */
interface Look {
  /** The organisation's own name, where its brand has another. */
  readonly behind?: string | undefined
  /** Where its picture is, relative to the page. */
  readonly logo?: string | undefined
}

export interface Shown extends Look {
  readonly payment: Payment
  readonly merchant: string
  readonly testMode: boolean
  /** Not to be, because somebody would rather not. */
  readonly calledOff: boolean
}

export interface Headline extends Look {
  readonly merchant: string
  readonly testMode: boolean
  /** None as long as the payer may choose it. */
  readonly amount: string | undefined
}

/** Text of others stands for itself: it cannot turn round what is written beside it. */
export const foreign = (text: string): Html => html`<bdi>${text}</bdi>`

/** More letters than fit on a phone in large type, and in the next smaller one. */
const LONG = 14
const LONGER = 20

const sizeOf = (amount: string): string => (amount.length > LONGER ? " longer" : amount.length > LONG ? " long" : "")

export const headed = ({ amount, behind, logo, merchant, testMode }: Headline, words: Words, body: Content): Html =>
  html`${testMode && html`<p class="test">${words.testMode}</p>`}
    <header class="summary">
      ${logo !== undefined && html`<img class="logo" src="${logo}" alt="" />`}
      <p class="label">${words.paymentTo}</p>
      <p class="merchant">${foreign(merchant)}</p>
      ${behind !== undefined && html`<p class="label">${foreign(words.behind(behind))}</p>`}
      ${amount !== undefined && html`<p class="amount${sizeOf(amount)}">${amount}</p>`}
    </header>
    ${body}`

export const framed = (shown: Shown, words: Words, body: Content): Html =>
  headed({ ...shown, amount: amountText(shown.payment.amount, words) }, words, body)

export const detail = (name: string, value: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${foreign(value)}</dd>
  </div>`

export const details = (shown: Shown, words: Words): Html =>
  html`<dl>${aboutPayment(shown, words).map((line) => detail(...line))}</dl>`

/** What of a payment can be kept. */
export const receipt = (shown: Shown, words: Words): Html =>
  html`<dl>${receiptLines(shown, words).map((line) => detail(...line))}</dl>`

export const cancelButton = (words: Words): Html =>
  html`<button class="secondary" name="action" value="cancel" formnovalidate>${words.cancel}</button>`
