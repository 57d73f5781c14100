/** The form of a payment link. Methods are links, since the page has no scripts. */
import { BigDecimal } from "effect"
import { toPlainText } from "../../../domain/Decimal.ts"
import type { Rate } from "../../../domain/Exchange.ts"
import { type Content, type Html, html } from "../../../domain/Html.ts"
import { networksOfCountry } from "../../../domain/MobileNetwork.ts"
import type { LinkVisit, Offer, LinkMethod } from "../../links/LinkVisit.ts"
import type { PaymentLink } from "../../links/LinkStore.ts"
import type { Price } from "../../links/LinkPrices.ts"
import type { PageText } from "../languages/English.ts"
import { amountText } from "../PageText.ts"
import { detail, formField, withHeader, type Page } from "../PageLayout.ts"
import { asksEmail, fieldsOf, type Kept, keptFields, type LinkField } from "./LinkForm.ts"

export interface FormState {
  readonly method: LinkMethod
  readonly kept: Kept
  readonly problems: ReadonlyArray<LinkField>
  /** About the whole form. */
  readonly notice: string | undefined
  /** Submission of the failed payment that this is another try of. */
  readonly again: string | undefined
}

const attributes: Readonly<Record<LinkField, Html>> = {
  amount: html`inputmode="decimal" autocomplete="off" maxlength="24"`,
  name: html`autocomplete="name" maxlength="200"`,
  email: html`type="email" autocomplete="email" maxlength="320"`,
  phone: html`type="tel" autocomplete="tel" maxlength="30"`,
  network: html``,
  number: html`inputmode="numeric" autocomplete="cc-number" maxlength="30" spellcheck="false"`,
  expiry: html`autocomplete="cc-exp" maxlength="9" spellcheck="false"`,
  cvv: html`inputmode="numeric" autocomplete="cc-csc" maxlength="4" spellcheck="false"`,
  bank_name: html`autocomplete="off" maxlength="200"`,
  account_number: html`autocomplete="off" maxlength="64" spellcheck="false"`
}

const ONE = BigDecimal.fromBigInt(1n)
const MILLIS_PER_MINUTE = 60_000

const cardName = html`autocomplete="cc-name" maxlength="200"`

interface Drawing extends FormState {
  readonly offer: Offer
  readonly visit: LinkVisit
  readonly words: PageText
}

const isHolder = (field: LinkField, { method, offer }: Drawing): boolean =>
  field === "name" && method === "card" && offer.asksCardNumber

const labelOf = (field: LinkField, drawing: Drawing): string => {
  const { method, words } = drawing
  if (isHolder(field, drawing)) return words.cardFields.holder
  if (field === "name" && method === "bank_transfer") return words.link.payerAccount
  if (field === "phone" && method === "mobile_money") return words.link.mobilePhone
  return { ...words.cardFields, ...words.link.fields }[field]
}

const isRequired = (field: LinkField, { method, offer }: Drawing): boolean =>
  field !== "email" || asksEmail(method, offer)

const hintOf = (field: LinkField, drawing: Drawing): string | undefined => {
  const { method, visit, words } = drawing
  if (field === "amount") return words.link.amountHint(visit.link.payer_currency)
  if (field === "phone" && method === "mobile_money") return words.link.mobilePhoneHint
  if (!isRequired(field, drawing)) return words.link.emailOptional
  return field === "expiry" || field === "cvv" ? words.cardHints[field] : undefined
}

const isKept = (field: LinkField): field is keyof Kept => (keptFields as ReadonlyArray<string>).includes(field)

const control = (field: LinkField, value: string, state: Content, drawing: Drawing): Html => {
  if (field !== "network") {
    const own = isHolder(field, drawing) ? cardName : attributes[field]
    const required = isRequired(field, drawing) && html`required`
    return html`<input id="${field}" name="${field}" ${required} value="${value}" dir="auto" ${own} ${state} />`
  }
  const { visit, words } = drawing
  return html`<select id="${field}" name="${field}" required ${state}>
    <option value="">${words.link.choose}</option>
    ${networksOfCountry(visit.link.country).map(
      ({ code, name }) => html`<option value="${code}" ${code === value && html`selected`}>${name}</option>`
    )}
  </select>`
}

const input = (field: LinkField, drawing: Drawing): Html => {
  const hint = hintOf(field, drawing)
  const value = isKept(field) ? (drawing.kept[field] ?? "") : ""
  return formField({
    name: field,
    label: [labelOf(field, drawing), hint !== undefined && html` <span>${hint}</span>`],
    problem:
      drawing.problems.includes(field) && { ...drawing.words.cardProblems, ...drawing.words.link.problems }[field],
    control: (state) => control(field, value, state, drawing)
  })
}

/** Expiry and security code share a row. */
const inputs = (drawing: Drawing): Content =>
  fieldsOf(drawing.visit.link, drawing.method, drawing.offer).map((field) => {
    if (field === "cvv") return false
    if (field !== "expiry") return input(field, drawing)
    return html`<div class="pair">${input("expiry", drawing)} ${input("cvv", drawing)}</div>`
  })

/** Keeps the failed payment in the address, since its fields are filled in for each method. */
const methodAddress = (method: LinkMethod, { again }: FormState): string =>
  again === undefined ? `?method=${method}` : `?method=${method}&again=${encodeURIComponent(again)}`

const methodChoice = (methods: ReadonlyArray<LinkMethod>, state: FormState, words: PageText): Content =>
  methods.length > 1 &&
  html`<nav class="methods" aria-label="${words.link.methodsLabel}">
    ${methods.map(
      (method) =>
        html`<a href="${methodAddress(method, state)}" ${method === state.method && html`aria-current="true"`}
          >${words.methodNames[method]}</a
        >`
    )}
  </nav>`

/** Digits of a rate that a payer reads. The amounts beside it are exact. */
const RATE_DIGITS = 6

const shortRate = (rate: BigDecimal.BigDecimal): string => {
  const whole = toPlainText(BigDecimal.truncate(rate)).length
  return toPlainText(BigDecimal.normalize(BigDecimal.round(rate, { scale: Math.max(2, RATE_DIGITS - whole) })))
}

/** Rate text from the currency worth more to the other, such as `1 USD = 129.35 KES`. */
const rateText = ({ pays, receives }: Price, rate: Rate, words: PageText): string => {
  const isBelowOne = BigDecimal.lessThan(rate, ONE)
  const [one, other] = isBelowOne ? [receives, pays] : [pays, receives]
  const number = shortRate(isBelowOne ? BigDecimal.unsafeDivide(ONE, rate) : rate)
  return `1 ${one.currency} = ${number.replace(".", words.decimalSeparator)}\u00a0${other.currency}`
}

const priceText = ({ holdsUntil, price }: Offer, words: PageText, now: Date): string | undefined => {
  if (price === null || price.rate === null) return undefined
  const rate = rateText(price, price.rate, words)
  return holdsUntil === null
    ? rate
    : words.link.rateFor(rate, Math.floor((holdsUntil.getTime() - now.getTime()) / MILLIS_PER_MINUTE))
}

const descriptionOf = ({ description }: PaymentLink): string | undefined =>
  description !== null && description.trim() !== "" ? description : undefined

const about = ({ link, merchant }: LinkVisit, offer: Offer, words: PageText, now: Date): Content => {
  const { price } = offer
  const converted = price !== null && price.rate !== null
  const lines = [
    [words.description, descriptionOf(link)],
    [words.reference, link.client_reference ?? undefined],
    [
      words.receives(merchant),
      converted && link.amount_type === "fixed" ? amountText(price.receives, words) : undefined
    ],
    [words.link.rate, priceText(offer, words, now)]
  ] as const
  const said = lines.flatMap(([name, value]) => (value === undefined ? [] : [detail(name, value)]))
  return said.length > 0 && html`<dl>${said}</dl>`
}

export const formPage = (
  visit: LinkVisit & { readonly logo: string | undefined },
  offer: Offer,
  words: PageText,
  state: FormState,
  now: Date
): Page => {
  const { link } = visit
  const { asksCardNumber, holder, methods, price, seal, submission } = offer
  const { kept, method, notice } = state
  const drawing = { ...state, kept: { ...suggested(visit, offer, words), ...kept }, offer, visit, words }
  const paysElsewhere = method === "card" && !asksCardNumber
  const amount = link.amount_type === "fixed" && price !== null ? amountText(price.pays, words) : undefined
  const pay = amount === undefined ? words.link.payChosen : words.pay(amount)
  return {
    title: amount === undefined ? words.link.title : words.pay(amount),
    description: descriptionOf(link),
    content: withHeader(
      { ...visit, amount },
      words,
      html`<section class="body">
        <h1>${words.link.title}</h1>
        ${about(visit, offer, words, now)} ${methodChoice(methods, state, words)}
        ${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
        ${paysElsewhere && html`<p>${words.cardElsewhere}</p>`}
        <form method="post">
          <input type="hidden" name="method" value="${method}" />
          <input type="hidden" name="submission" value="${submission}" />
          <input type="hidden" name="token" value="${holder}" />
          ${seal !== null && html`<input type="hidden" name="rate" value="${seal}" />`} ${inputs(drawing)}
          <button class="primary">${paysElsewhere ? words.continue : pay}</button>
        </form>
      </section>`
    )
  }
}

/** Values known from the link. */
const suggested = ({ link }: LinkVisit, { price }: Offer, words: PageText): Kept => ({
  ...(link.email === null ? {} : { email: link.email }),
  ...(link.amount_type === "open" && price !== null
    ? { amount: price.pays.toNumericText().replace(".", words.decimalSeparator) }
    : {})
})
