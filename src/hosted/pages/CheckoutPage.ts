/** What the hosted checkout shows at each stage of a payment. */
import { Duration } from "effect"
import { type Content, type Html, html } from "../../domain/Html.ts"
import { checkoutRefresh } from "../../domain/policies/Payments.ts"
import { amountText } from "./AmountText.ts"
import { cancelButton, details, framed, receipt, type Shown } from "./Frame.ts"
import type { Page } from "./Layout.ts"
import { maskedAddress, payersAddress } from "./Receipt.ts"
import { returnAddress } from "./ReturnAddress.ts"
import type { Words } from "./Words.ts"

export const confirmPage = (shown: Shown, words: Words): Page => ({
  title: words.checkTitle,
  content: framed(
    shown,
    words,
    html`<section class="body">
      <h1>${words.checkTitle}</h1>
      <p>${words.checkText}</p>
      ${details(shown, words)}
      <form method="post">
        <button class="primary" name="action" value="pay">${words.pay(amountText(shown.payment.amount, words))}</button>
        ${cancelButton(words)}
      </form>
    </section>`
  )
})

/** `address`: the page itself. `said` is what the payer reads meanwhile. */
export const waitingPage = (
  shown: Shown,
  words: Words,
  address: string,
  said: Content = html`<p>${words.waitingText(shown.merchant)}</p>`
): Page => ({
  title: words.waitingTitle,
  refresh: { seconds: Duration.toSeconds(checkoutRefresh), address },
  content: framed(
    shown,
    words,
    html`<section class="body outcome">
      <div class="spinner"></div>
      <div role="status"><h1>${words.waitingTitle}</h1></div>
      ${said} ${details(shown, words)}
    </section>`
  )
})

const outcomeOf = ({ calledOff, merchant, payment }: Shown, words: Words) => {
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

const outcomeDetails = (shown: Shown, words: Words): Html =>
  (shown.payment.status === "completed" || shown.payment.status === "refunded" ? receipt : details)(shown, words)

/** What became of the wish for a receipt by e-mail. */
export type ReceiptAnswer = "sent" | "failed" | undefined

/** By e-mail, to whoever gave an address. */
export const receiptByMail = ({ payment }: Shown, words: Words, answer: ReceiptAnswer): Content => {
  const address = payersAddress(payment)
  if (payment.status !== "completed" || address === undefined) return false
  if (answer === "sent") return html`<p class="sent" role="status">${words.receiptSent(maskedAddress(address))}</p>`
  return html`${answer === "failed" && html`<p class="notice" role="alert">${words.receiptFailed}</p>`}
    <form method="post">
      <button class="secondary" name="action" value="receipt">${words.mailReceipt}</button>
    </form>`
}

export const outcome = (shown: Shown, words: Words, rest: Content): Pick<Page, "title" | "content"> => {
  const { sign, text, title, tone } = outcomeOf(shown, words)
  return {
    title,
    content: framed(
      shown,
      words,
      html`<section class="body outcome">
        <div class="sign ${tone}" aria-hidden="true">${sign}</div>
        <h1>${title}</h1>
        <p>${text}</p>
        ${outcomeDetails(shown, words)} ${rest}
      </section>`
    )
  }
}

/** What it will come to, while the payment has yet to hear of it; then the page leads on. */
export const calledOffPage = (shown: Shown, words: Words, address: string): Page => ({
  ...outcome(shown, words, ""),
  refresh: { seconds: Duration.toSeconds(checkoutRefresh), address }
})

/** The end of the way, unless the organisation has named a place to return to: then this page leads there. */
export const outcomePage = (shown: Shown, words: Words, answer: ReceiptAnswer): Page => {
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

export const message = (title: string, text: string): Page => ({
  title,
  content: html`<section class="body outcome">
    <h1>${title}</h1>
    <p>${text}</p>
  </section>`
})

export const notFoundPage = (words: Words): Page => message(words.notFoundTitle, words.notFoundText)

export const refusedPage = (words: Words): Page => message(words.refusedTitle, words.refusedText)
