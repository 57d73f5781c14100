/** The form of a payment link. Methods are links, since the page has no scripts. */
import { toPlainText } from "../../../domain/Decimal.ts"
import { type Content, type Html, html } from "../../../domain/Html.ts"
import { networksOfCountry } from "../../../domain/MobileNetwork.ts"
import type { LinkVisit, Offer, LinkMethod } from "../../links/LinkVisit.ts"
import type { PaymentLink } from "../../links/LinkStore.ts"
import type { Price } from "../../links/LinkPrices.ts"
import { amountText, timeText, type PageText } from "../PageText.ts"
import { detail, formField, withHeader, type Page } from "../PageLayout.ts"
import { fieldsOf, type Kept, keptFields, type LinkField } from "./LinkForm.ts"
import { type LinkPageText, linkPageText } from "./LinkPageText.ts"

export interface FormState {
  readonly method: LinkMethod
  readonly kept: Kept
  readonly problems: ReadonlyArray<LinkField>
  /** About the whole form. */
  readonly notice: string | undefined
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

const cardName = html`autocomplete="cc-name" maxlength="200"`

interface Drawing extends FormState {
  readonly asksCardNumber: boolean
  readonly visit: LinkVisit
  readonly words: PageText
  readonly linkWords: LinkPageText
}

const isHolder = (field: LinkField, { asksCardNumber, method }: Drawing): boolean =>
  field === "name" && method === "card" && asksCardNumber

const labelOf = (field: LinkField, drawing: Drawing): string => {
  const { linkWords, method } = drawing
  if (isHolder(field, drawing)) return linkWords.fields.holder
  if (field === "name" && method === "bank_transfer") return linkWords.payerAccount
  if (field === "phone" && method === "mobile_money") return linkWords.mobilePhone
  return linkWords.fields[field]
}

const hintOf = (field: LinkField, { linkWords, method, visit, words }: Drawing): string | undefined => {
  if (field === "amount") return linkWords.amountHint(visit.link.payer_currency)
  if (field === "phone" && method === "mobile_money") return linkWords.mobilePhoneHint
  return field === "expiry" || field === "cvv" ? words.cardHints[field] : undefined
}

const isKept = (field: LinkField): field is keyof Kept => (keptFields as ReadonlyArray<string>).includes(field)

const control = (field: LinkField, value: string, state: Content, drawing: Drawing): Html => {
  if (field !== "network") {
    const own = isHolder(field, drawing) ? cardName : attributes[field]
    return html`<input id="${field}" name="${field}" required value="${value}" ${own} ${state} />`
  }
  const { linkWords, visit } = drawing
  return html`<select id="${field}" name="${field}" required ${state}>
    <option value="">${linkWords.choose}</option>
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
    problem: drawing.problems.includes(field) && drawing.linkWords.problems[field],
    control: (state) => control(field, value, state, drawing)
  })
}

/** Expiry and security code share a row. */
const inputs = (drawing: Drawing): Content =>
  fieldsOf(drawing.visit.link, drawing.method, drawing).map((field) => {
    if (field === "cvv") return false
    if (field !== "expiry") return input(field, drawing)
    return html`<div class="pair">${input("expiry", drawing)} ${input("cvv", drawing)}</div>`
  })

const methodChoice = (methods: ReadonlyArray<LinkMethod>, chosen: LinkMethod, linkWords: LinkPageText): Content =>
  methods.length > 1 &&
  html`<nav class="methods" aria-label="${linkWords.methodsLabel}">
    ${methods.map(
      (method) =>
        html`<a href="?method=${method}" ${method === chosen && html`aria-current="true"`}
          >${linkWords.methods[method]}</a
        >`
    )}
  </nav>`

const rateText = ({ pays, rate, receives }: Price, words: PageText): string =>
  rate === null
    ? ""
    : `1 ${pays.currency} = ${toPlainText(rate).replace(".", words.decimalSeparator)}\u00a0${receives.currency}`

const descriptionOf = ({ description }: PaymentLink): string | undefined =>
  description !== null && description.trim() !== "" ? description : undefined

const about = ({ link, merchant }: LinkVisit, offer: Offer, words: PageText, linkWords: LinkPageText): Content => {
  const { holdsUntil, price } = offer
  const converted = price !== null && price.rate !== null
  const lines = [
    [words.description, descriptionOf(link)],
    [words.reference, link.client_reference ?? undefined],
    [
      words.receives(merchant),
      converted && link.amount_type === "fixed" ? amountText(price.receives, words) : undefined
    ],
    [linkWords.rate, converted ? rateText(price, words) : undefined],
    [linkWords.rateUntil, holdsUntil === null ? undefined : timeText(holdsUntil, words)]
  ] as const
  const said = lines.flatMap(([name, value]) => (value === undefined ? [] : [detail(name, value)]))
  return said.length > 0 && html`<dl>${said}</dl>`
}

export const formPage = (
  visit: LinkVisit & { readonly logo: string | undefined },
  offer: Offer,
  words: PageText,
  state: FormState
): Page => {
  const { link } = visit
  const { asksCardNumber, holder, methods, price, seal, submission } = offer
  const { kept, method, notice } = state
  const linkWords = linkPageText(words)
  const drawing = {
    ...state,
    asksCardNumber,
    kept: { ...suggested(visit, offer, words), ...kept },
    visit,
    words,
    linkWords
  }
  const paysElsewhere = method === "card" && !asksCardNumber
  const amount = link.amount_type === "fixed" && price !== null ? amountText(price.pays, words) : undefined
  const pay = amount === undefined ? linkWords.payChosen : words.pay(amount)
  return {
    title: amount === undefined ? linkWords.title : words.pay(amount),
    description: descriptionOf(link),
    content: withHeader(
      { ...visit, amount },
      words,
      html`<section class="body">
        <h1>${linkWords.title}</h1>
        ${about(visit, offer, words, linkWords)} ${methodChoice(methods, method, linkWords)}
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
