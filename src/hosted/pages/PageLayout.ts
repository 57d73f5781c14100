/**
 * Layout of hosted pages, payment details and receipt lines, and security headers. No scripts except that of waiting
 * pages, no other hosts, no caching.
 */
import { createHash } from "node:crypto"
import { type Content, Html, html } from "../../domain/Html.ts"
import { empty, type Outgoing } from "../../platform/http/Route.ts"
import { brandStyle, style } from "./PageStyle.ts"
import type { Language, PageText } from "./languages/English.ts"
import { type Reader, rememberChoice, amountText, timeText } from "./PageText.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { referenceOf } from "../../payments/store/PaymentSearch.ts"

const styleElement = (css: string): Html => Html.trusted(`<style>${css}</style>`)
const pagesStyle = styleElement(style)

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64")
const hashOf = (text: string): string => `'sha256-${digestOf(text)}'`
const pagesHash = hashOf(style)

/** Answers of a page that waits have the version of what it shows. */
const VERSION = "x-page-version"

/**
 * Of a page that waits: asks for it again and again, and shows it anew once it has changed. A page that is loaded every two
 * seconds is read aloud from its beginning each time. Without scripts it is loaded so all the same. A request that fails is
 * made again.
 */
const waiting = `{
const { address, seconds, version } = document.currentScript.dataset
const later = () => setTimeout(look, seconds * 1000)
const look = async () => {
  try {
    const { headers } = await fetch(address, { redirect: "manual" })
    if (headers.get("${VERSION}") !== version) return location.replace(address)
  } catch {}
  later()
}
later()
}`
const waitingHash = hashOf(waiting)

/** A data URL saves the request for /favicon.ico. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231d4ed8'/%3E%3Cpath d='M5 7V5.5a3 3 0 0 1 6 0V7m-7 0h8v5H4z' fill='none' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E"

const policyOf = (styles: ReadonlyArray<string>, images: "data:" | "'self' data:", waits = false): string =>
  [
    "default-src 'none'",
    ...(waits ? [`script-src ${waitingHash}`, "connect-src 'self'"] : []),
    `style-src ${styles.join(" ")}`,
    `img-src ${images}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

const headers: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": policyOf([pagesHash], "data:"),
  // The address of a page is its credential.
  "referrer-policy": "no-referrer",
  vary: "accept-language, cookie",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow"
}

/** Preview of a shared address. */
export interface Preview {
  /** Name of the merchant. */
  readonly site?: string
  readonly description?: string | undefined
  /** Full URL of a picture. */
  readonly image?: string | undefined
}

export interface Page extends Preview {
  readonly title: string
  readonly content: Content
  /** Brand colour as `#rrggbb`. */
  readonly color?: string | null
  /** Shows a picture from this server. */
  readonly pictured?: boolean
  /** Automatic refresh or redirect. */
  readonly refresh?: { readonly seconds: number; readonly address: string }
}

const locales: Readonly<Record<Language, string>> = {
  en: "en_GB",
  fr: "fr_FR",
  sw: "sw_KE",
  pt: "pt_PT",
  ar: "ar_AR",
  ha: "ha_NG"
}

const previewOf = (title: string, { description, image, site }: Preview, language: Language): Html =>
  html`<meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" />
    <meta property="og:locale" content="${locales[language]}" />
    ${site !== undefined && html`<meta property="og:site_name" content="${site}" />`}
    ${
      description !== undefined &&
      html`<meta name="description" content="${description}" />
        <meta property="og:description" content="${description}" />`
    }
    ${image !== undefined && html`<meta property="og:image" content="${image}" />`}
    <meta name="twitter:card" content="summary" />`

interface Renewal {
  readonly seconds: number
  readonly address: string
  readonly version: string
}

/** A page that leads on does so at once. */
const renewing = ({ address, seconds, version }: Renewal): Html => {
  const meta = html`<meta http-equiv="refresh" content="${seconds};url=${address}" />`
  if (seconds === 0) return meta
  const script = Html.trusted(`>${waiting}</script>`)
  return html`<noscript>${meta}</noscript>
    <script data-address="${address}" data-seconds="${seconds}" data-version="${version}"${script}`
}

export const pageReply = (status: number, reader: Reader, page: Page): Outgoing => {
  const { others, words } = reader
  const { color, content, refresh, site } = page
  const title = site === undefined || site === "" ? page.title : `${page.title} · ${site}`
  const brand = color === undefined || color === null ? "" : brandStyle(color)
  const version = refresh === undefined ? undefined : digestOf(html`${title}${content}`.markup)
  return {
    status,
    headers: {
      ...headers,
      "content-security-policy": policyOf(
        brand === "" ? [pagesHash] : [pagesHash, hashOf(brand)],
        page.image === undefined && page.pictured !== true ? "data:" : "'self' data:",
        refresh !== undefined && refresh.seconds > 0
      ),
      ...(version === undefined ? {} : { [VERSION]: version }),
      ...rememberChoice(reader),
      "content-type": "text/html; charset=utf-8",
      "content-language": words.language
    },
    body: html`<!doctype html>
      <html lang="${words.language}" dir="${words.direction}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex, nofollow" />
          ${refresh !== undefined && version !== undefined && renewing({ ...refresh, version })}
          <title>${title}</title>
          ${previewOf(title, page, words.language)}
          <link rel="icon" href="${icon}" />
          ${pagesStyle} ${brand !== "" && styleElement(brand)}
        </head>
        <body>
          <main><article>${content}</article></main>
          <footer>
            ${words.securedBy}
            <nav aria-label="${words.languageLabel}">
              ${others.map(({ address, words: { direction, language, ownName } }) => {
                // An invalid address is not repeated in the page.
                const href = status === 404 ? `?lang=${language}` : address
                return html`<a href="${href}" lang="${language}" dir="${direction}" hreflang="${language}"
                  >${ownName}</a
                > `
              })}
            </nav>
          </footer>
        </body>
      </html> `.markup
  }
}

export const redirectReply = (location: string): Outgoing => empty(303, { ...headers, location })

const textIn = (details: Payment["payer_details"], name: string): string | undefined => {
  const value = details[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** The last four characters. */
const ending = (text: string | undefined): string => (text === undefined ? "" : ` •••• ${text.slice(-4)}`)

const paidBy = (
  { card_details, mobile_money_details, payment_method }: Payment,
  words: PageText
): string | undefined => {
  const name = Object.entries(words.methodNames).find(([method]) => method === payment_method)?.[1]
  if (name === undefined) return undefined
  if (payment_method === "card") return `${name}${ending(textIn(card_details, "last4"))}`
  return payment_method === "mobile_money" ? `${name}${ending(textIn(mobile_money_details, "phone_number"))}` : name
}

export const payersAddress = ({ payer_details }: Payment): string | undefined => textIn(payer_details, "email")

/** Masked, since other visitors may see the page. */
export const maskedAddress = (address: string): string => address.replace(/^(.)[^@]*/, "$1…")

interface Paid {
  readonly payment: Payment
  readonly merchant: string
}

type Line = readonly [name: string, value: string]

export const aboutPayment = ({ merchant, payment }: Paid, words: PageText): ReadonlyArray<Line> => [
  ...(payment.description !== null && payment.description.trim() !== ""
    ? [[words.description, payment.description] as const]
    : []),
  ...(payment.target.currency === payment.amount.currency
    ? []
    : [[words.receives(merchant), amountText(payment.target, words)] as const]),
  [words.reference, referenceOf(payment)]
]

export const receiptLines = (shown: Paid, words: PageText): ReadonlyArray<Line> => {
  const method = paidBy(shown.payment, words)
  return [
    [words.date, timeText(shown.payment.created_at, words)],
    ...(method === undefined ? [] : [[words.paidBy, method] as const]),
    ...aboutPayment(shown, words)
  ]
}

/** Presentation of the merchant. */
interface Look {
  /** The organisation's name, if the brand has another. */
  readonly behind?: string | undefined
  /** Path of the logo, relative to the page. */
  readonly logo?: string | undefined
}

export interface PaymentOnPage extends Look {
  readonly payment: Payment
  readonly merchant: string
  readonly testMode: boolean
  /** Canceled by a person. */
  readonly calledOff: boolean
}

export interface Headline extends Look {
  readonly merchant: string
  readonly testMode: boolean
  /** Undefined if the payer chooses the amount. */
  readonly amount: string | undefined
}

/** Isolates text from others, so that bidirectional characters do not affect the text around it. */
export const isolatedText = (text: string): Html => html`<bdi>${text}</bdi>`

/** Lengths above which the amount is shown in smaller type. */
const LONG = 14
const LONGER = 20

const sizeOf = (amount: string): string => (amount.length > LONGER ? " longer" : amount.length > LONG ? " long" : "")

export const withHeader = (
  { amount, behind, logo, merchant, testMode }: Headline,
  words: PageText,
  body: Content
): Html =>
  html`${testMode && html`<p class="test">${words.testMode}</p>`}
    <header class="summary">
      ${logo !== undefined && html`<img class="logo" src="${logo}" alt="" />`}
      <p class="label">${words.paymentTo}</p>
      <p class="merchant">${isolatedText(merchant)}</p>
      ${behind !== undefined && html`<p class="label">${isolatedText(words.behind(behind))}</p>`}
      ${amount !== undefined && html`<p class="amount${sizeOf(amount)}">${amount}</p>`}
    </header>
    ${body}`

export const withPaymentHeader = (shown: PaymentOnPage, words: PageText, body: Content): Html =>
  withHeader({ ...shown, amount: amountText(shown.payment.amount, words) }, words, body)

/** A page with the header of a payment. `sign`: for an outcome, above the title; false: an outcome without a sign. */
export const paymentPage = (
  shown: PaymentOnPage,
  words: PageText,
  title: string,
  body: Content,
  sign?: Content
): Pick<Page, "title" | "content"> => ({
  title,
  content: withPaymentHeader(
    shown,
    words,
    html`<section class="body${sign === undefined ? "" : " outcome"}">
      ${sign}
      <h1>${title}</h1>
      ${body}
    </section>`
  )
})

interface FormField {
  readonly name: string
  readonly label: Content
  /** Shown if the value is invalid. */
  readonly problem: string | false
  /** `state`: attributes of an invalid control. */
  readonly control: (state: Content) => Html
}

export const formField = ({ control, label, name, problem }: FormField): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    ${control(problem !== false && html`aria-invalid="true" aria-describedby="${name}-problem"`)}
    ${problem !== false && html`<p class="problem" id="${name}-problem">${problem}</p>`}
  </div>`

export const detail = (name: string, value: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${isolatedText(value)}</dd>
  </div>`

export const details = (shown: PaymentOnPage, words: PageText): Html =>
  html`<dl>${aboutPayment(shown, words).map((line) => detail(...line))}</dl>`

export const receipt = (shown: PaymentOnPage, words: PageText): Html =>
  html`<dl>${receiptLines(shown, words).map((line) => detail(...line))}</dl>`

export const cancelButton = (words: PageText): Html =>
  html`<button class="secondary" name="action" value="cancel" formnovalidate>${words.cancel}</button>`
