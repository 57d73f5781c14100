/** The page of a payment through a link: next action, waiting, outcome. */
import { Duration } from "effect"
import { html } from "../../../domain/Html.ts"
import { takenRefresh, transferRefresh } from "../../../domain/policies/PaymentPolicies.ts"
import { isFinal } from "../../../domain/PaymentStatus.ts"
import type { StatusVisit } from "../../links/LinkVisit.ts"
import { outcome, receiptByMail, type ReceiptAnswer, waitingPage, returnAddress } from "../CheckoutPage.ts"
import {
  cancelButton,
  detail,
  details,
  formField,
  paymentPage,
  withHeader,
  type Headline,
  type Page
} from "../PageLayout.ts"
import type { PageText } from "../languages/English.ts"
import { timeText } from "../PageText.ts"

/** Bank transfer instructions in display order. */
const instructionNames = [
  "account_name",
  "account_number",
  "bank_name",
  "bank_code",
  "reference",
  "expires_at"
] as const

/** Errors of actions on this page, with their HTTP status. */
export const problemStatus = { wrong_otp: 400, not_holder: 403, cancel_refused: 409, resent_too_often: 429 } as const
export type ActionProblem = keyof typeof problemStatus | undefined

export interface StatusPageInput {
  readonly visit: StatusVisit & { readonly logo: string | undefined }
  readonly words: PageText
  /** The page itself, relative, so that it works behind any proxy. */
  readonly address: string
  readonly actionProblem: ActionProblem
  readonly receipt: ReceiptAnswer
}

/** Sentence about when the link can be paid again; empty if unknown. */
const freeAgain = (freeAt: Date | null, words: PageText): string =>
  freeAt === null ? "" : words.link.takenUntil(timeText(freeAt, words))

const refusal = ({ actionProblem, visit, words }: StatusPageInput) => {
  const { cancelRefused, resentTooOften } = words.link
  if (actionProblem !== "cancel_refused" && actionProblem !== "resent_too_often") return false
  const end = visit.payment.status === "pending" ? visit.payment.expires_at : null
  const refused = `${cancelRefused} ${freeAgain(end, words)}`
  return html`<p class="notice" role="alert">${actionProblem === "cancel_refused" ? refused : resentTooOften}</p>`
}

/** For visitors other than the payer: shows that the link is being paid, nothing about the payment. */
export const takenPage = (
  headline: Omit<Headline, "amount">,
  words: PageText,
  address: string,
  freeAt: Date | null
): Page => {
  const { takenText, takenTitle } = words.link
  const until = freeAgain(freeAt, words)
  return {
    title: takenTitle,
    refresh: { seconds: Duration.toSeconds(takenRefresh), address },
    content: withHeader(
      { ...headline, amount: undefined },
      words,
      html`<section class="body outcome">
        <div role="status"><h1>${takenTitle}</h1></div>
        <p>${takenText}</p>
        ${until !== "" && html`<p>${until}</p>`}
      </section>`
    )
  }
}

const waiting = (shown: StatusPageInput): Page => {
  const { address, visit, words } = shown
  const said = html`<p>${words.link.waitingText(visit.merchant)}</p>
    ${refusal(shown)}`
  return waitingPage(visit, words, address, said)
}

const otpPage = (shown: StatusPageInput): Page => {
  const { actionProblem, visit, words } = shown
  const otp = formField({
    name: "otp",
    label: words.link.otp,
    problem: actionProblem === "wrong_otp" && words.link.otpProblem,
    control: (state) =>
      html`<input
        id="otp"
        name="otp"
        required
        inputmode="numeric"
        autocomplete="one-time-code"
        maxlength="32"
        ${state}
      />`
  })
  return paymentPage(
    visit,
    words,
    words.link.otpTitle,
    html`<p>${words.link.otpText}</p>
      ${refusal(shown)}
      <form method="post">
        ${otp}
        <button class="primary" name="action" value="otp">${words.link.otpSend}</button>
        <button class="secondary" name="action" value="resend" formnovalidate>${words.link.otpResend}</button>
        ${cancelButton(words)}
      </form>`
  )
}

const shownTime = (text: string): string => text.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}).*Z$/, "$1 $2 UTC")

const transferPage = (shown: StatusPageInput): Page => {
  const { address, visit, words } = shown
  const { action_data } = visit.payment
  const instructions = instructionNames.map((name) => {
    const value = action_data[name]
    if (value === undefined || value === null || value === "") return false
    return detail(words.link.instructions[name], name === "expires_at" ? shownTime(value) : value)
  })
  const body = html`<p>${words.link.transferText}</p>
    ${refusal(shown)}
    <dl>${instructions}</dl>
    <form method="post">${cancelButton(words)}</form>`
  return {
    ...paymentPage(visit, words, words.link.transferTitle, body),
    refresh: { seconds: Duration.toSeconds(transferRefresh), address }
  }
}

/** Browsers restrict redirects after a form to this site, so the page itself leads on. */
const onwardPage = ({ visit, words }: StatusPageInput, address: string): Page => {
  const body = html`<p>${words.link.onwardText}</p>
    <a class="button primary" href="${address}" rel="noreferrer">${words.continue}</a>`
  return { ...paymentPage(visit, words, words.link.onwardTitle, body, false), refresh: { seconds: 0, address } }
}

/** `linkAddress`: the form, for another try. */
const overPage = ({ receipt, visit, words }: StatusPageInput, linkAddress: string): Page => {
  const { status } = visit.payment
  const back = returnAddress({ ...visit.payment, return_url: visit.link.return_url })
  if (status === "completed" || status === "refunded") {
    const onwards =
      back === null
        ? html`<p class="close">${words.closeThis}</p>`
        : html`<a class="button primary" href="${back}" rel="noreferrer">${words.backTo(visit.merchant)}</a>`
    return outcome(visit, words, html`${receiptByMail(visit, words, receipt)} ${onwards}`)
  }
  const { calledOff } = visit
  return paymentPage(
    visit,
    words,
    calledOff ? words.canceledTitle : words.failedTitle,
    html`<p>${calledOff ? words.link.canceledText : words.link.againText}</p>
      ${details(visit, words)}
      <a class="button primary" href="${linkAddress}">${words.link.again}</a>
      ${
        back !== null &&
        html`<a class="button secondary" href="${back}" rel="noreferrer">${words.backTo(visit.merchant)}</a>`
      }`,
    html`<div class="sign ${calledOff ? "plain" : "bad"}" aria-hidden="true">&#10005;</div>`
  )
}

/** Uses a relative path for our own checkout, so that it works behind any proxy. */
const onwards = (target: string, publicUrl: string): string =>
  target.startsWith(`${publicUrl}/`) ? `../..${target.slice(publicUrl.length)}` : target

export const statusPage = (shown: StatusPageInput, linkAddress: string, publicUrl: string): Page => {
  const { action_data, next_action, status } = shown.visit.payment
  if (isFinal(status)) return overPage(shown, linkAddress)
  const { address, visit, words } = shown
  if (!visit.isHolder) return takenPage(visit, words, address, status === "pending" ? visit.payment.expires_at : null)
  if (status !== "pending") return waiting(shown)
  if (next_action === "collect_otp") return otpPage(shown)
  if (next_action === "bank_transfer") return transferPage(shown)
  const target = next_action === "pay_by_link" ? action_data["payment_link"] : action_data["redirect_url"]
  const leads = (next_action === "redirect" || next_action === "pay_by_link") && typeof target === "string"
  return leads && shown.actionProblem === undefined ? onwardPage(shown, onwards(target, publicUrl)) : waiting(shown)
}
