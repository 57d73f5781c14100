/** Pages of the hosted checkout: confirm, card, waiting and outcome. */
import { Duration } from "effect"
import { type Content, type Html, html } from "../../domain/Html.ts"
import { checkoutRefresh, transferRefresh } from "../../domain/policies/PaymentPolicies.ts"
import type { PageText } from "./languages/English.ts"
import { amountText } from "./PageText.ts"
import {
  cancelButton,
  details,
  formField,
  paymentPage,
  withPaymentHeader,
  receipt,
  type PaymentOnPage,
  type Page,
  maskedAddress,
  payersAddress
} from "./PageLayout.ts"
import type { CardField } from "./CardForm.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { referenceOf } from "../../payments/store/PaymentSearch.ts"

type Returning = Pick<Payment, "client_reference" | "payment_id" | "return_url" | "status">

/** The parameter's decoded name. */
const nameIn = (part: string): string => new URLSearchParams(`?${part}`).keys().next().value ?? ""

/**
 * The merchant's return address with `status` and `reference`. Existing parameters of these names are removed, since a
 * merchant could read a forged outcome.
 */
export const returnAddress = (payment: Returning): string | null => {
  if (payment.return_url === null) return null
  const outcome = new URLSearchParams({
    status: payment.status === "completed" ? "completed" : "failed",
    reference: referenceOf(payment)
  })
  const url = new URL(payment.return_url)
  const parts = url.search.slice(1).split("&")
  const kept = parts.filter((part) => !outcome.has(nameIn(part))).join("&")
  url.search = kept === "" ? `?${outcome}` : `?${kept}&${outcome}`
  return url.href
}

const payButton = (text: string): Html => html`<button class="primary" name="action" value="pay">${text}</button>`

const payText = ({ payment }: PaymentOnPage, words: PageText): string => words.pay(amountText(payment.amount, words))

export const confirmPage = (shown: PaymentOnPage, words: PageText): Page =>
  paymentPage(
    shown,
    words,
    words.checkTitle,
    html`<p>${words.checkText}</p>
      ${details(shown, words)}
      <form method="post">${payButton(payText(shown, words))} ${cancelButton(words)}</form>`
  )

/** `address`: the page itself. `said`: text shown while waiting. */
export const waitingPage = (
  shown: PaymentOnPage,
  words: PageText,
  address: string,
  said: Content = html`<p>${words.waitingText(shown.merchant)}</p>`
): Page => ({
  title: words.waitingTitle,
  refresh: { seconds: Duration.toSeconds(checkoutRefresh), address },
  content: withPaymentHeader(
    shown,
    words,
    html`<section class="body outcome">
      <div class="spinner"></div>
      <div role="status"><h1>${words.waitingTitle}</h1></div>
      ${said} ${details(shown, words)}
    </section>`
  )
})

const outcomeOf = ({ calledOff, merchant, payment }: PaymentOnPage, words: PageText) => {
  switch (payment.status) {
    case "completed":
      return { sign: "✓", tone: "good", title: words.completedTitle, text: words.completedText(merchant) }
    case "refunded":
      return { sign: "↩", tone: "plain", title: words.refundedTitle, text: words.refundedText(merchant) }
    default:
      if (calledOff) {
        return { sign: "✕", tone: "plain", title: words.canceledTitle, text: words.canceledText(merchant) }
      }
      return { sign: "✕", tone: "bad", title: words.failedTitle, text: words.failedText(merchant) }
  }
}

const outcomeDetails = (shown: PaymentOnPage, words: PageText): Html =>
  (shown.payment.status === "completed" || shown.payment.status === "refunded" ? receipt : details)(shown, words)

/** Result of a request for a receipt by e-mail. */
export type ReceiptAnswer = "sent" | "failed" | undefined

/** Offered if the payer gave an e-mail address. */
export const receiptByMail = ({ payment }: PaymentOnPage, words: PageText, answer: ReceiptAnswer): Content => {
  const address = payersAddress(payment)
  if (payment.status !== "completed" || address === undefined) return false
  if (answer === "sent") return html`<p class="sent" role="status">${words.receiptSent(maskedAddress(address))}</p>`
  return html`${answer === "failed" && html`<p class="notice" role="alert">${words.receiptFailed}</p>`}
    <form method="post">
      <button class="secondary" name="action" value="receipt">${words.mailReceipt}</button>
    </form>`
}

export const outcome = (shown: PaymentOnPage, words: PageText, rest: Content): Pick<Page, "title" | "content"> => {
  const { sign, text, title, tone } = outcomeOf(shown, words)
  const body = html`<p>${text}</p>
    ${outcomeDetails(shown, words)} ${rest}`
  return paymentPage(shown, words, title, body, html`<div class="sign ${tone}" aria-hidden="true">${sign}</div>`)
}

/** Shows the expected outcome until the payment has it, then refreshes. */
export const calledOffPage = (shown: PaymentOnPage, words: PageText, address: string): Page => ({
  ...outcome(shown, words, ""),
  refresh: { seconds: Duration.toSeconds(checkoutRefresh), address }
})

/** The final page; redirects to the return address if there is one. */
export const outcomePage = (shown: PaymentOnPage, words: PageText, answer: ReceiptAnswer): Page => {
  const address = returnAddress(shown.payment)
  if (address === null) {
    const close = html`${receiptByMail(shown, words, answer)}
      <p class="close">${words.closeThis}</p>`
    return outcome(shown, words, close)
  }
  const onwards = html`<p class="close">${words.leavingText(shown.merchant)}</p>
    <a class="button primary" href="${address}" rel="noreferrer">${words.continue}</a>`
  return { ...outcome(shown, words, onwards), refresh: { seconds: 0, address } }
}

/** `address`: the page itself. `atOnce`: the customer just chose to go on, and is redirected. */
export const onwardPage = (
  shown: PaymentOnPage,
  words: PageText,
  page: { readonly address: string; readonly provider: string; readonly atOnce: boolean }
): Page => {
  const { address, atOnce, provider } = page
  const body = html`<p>${words.unpaidText}</p>
    ${details(shown, words)}
    <a class="button primary" href="${provider}" rel="noreferrer">${words.continue}</a>`
  return {
    ...paymentPage(shown, words, words.unpaidTitle, body),
    refresh: atOnce ? { seconds: 0, address: provider } : { seconds: Duration.toSeconds(transferRefresh), address }
  }
}

export const message = (title: string, text: string): Page => ({
  title,
  content: html`<section class="body outcome">
    <h1>${title}</h1>
    <p>${text}</p>
  </section>`
})

export const notFoundPage = (words: PageText): Page => message(words.notFoundTitle, words.notFoundText)

export const refusedPage = (words: PageText): Page => message(words.refusedTitle, words.refusedText)

/** The card form. Card data is never shown again, even after an error. */
const cardInputs: Readonly<Record<CardField, Html>> = {
  number: html`inputmode="numeric" autocomplete="cc-number" maxlength="30"`,
  expiry: html`inputmode="text" autocomplete="cc-exp" maxlength="9"`,
  cvv: html`inputmode="numeric" autocomplete="cc-csc" maxlength="4"`,
  holder: html`autocomplete="cc-name" maxlength="200"`
}

const cardInput = (field: CardField, words: PageText, problems: ReadonlyArray<CardField>): Html => {
  const hint = words.cardHints[field]
  return formField({
    name: field,
    label: [words.cardFields[field], hint !== "" && html` <span>${hint}</span>`],
    problem: problems.includes(field) && words.cardProblems[field],
    control: (state) =>
      html`<input id="${field}" name="${field}" required spellcheck="false" ${cardInputs[field]} ${state} />`
  })
}

/** `notice`: about the whole form. `problems`: invalid fields. */
interface CardFormState {
  readonly asksNumber: boolean
  readonly problems: ReadonlyArray<CardField>
  readonly notice: string | undefined
}

export const cardPage = (
  shown: PaymentOnPage,
  words: PageText,
  { asksNumber, notice, problems }: CardFormState
): Page => {
  const input = (field: CardField) => cardInput(field, words, problems)
  return paymentPage(
    shown,
    words,
    words.cardTitle,
    html`<p>${asksNumber ? words.cardText : words.cardElsewhere}</p>
      ${details(shown, words)} ${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
      <form method="post">
        ${
          asksNumber &&
          html`${input("number")}
            <div class="pair">${input("expiry")} ${input("cvv")}</div>
            ${input("holder")}`
        }
        ${payButton(asksNumber ? payText(shown, words) : words.continue)} ${cancelButton(words)}
      </form>`
  )
}
