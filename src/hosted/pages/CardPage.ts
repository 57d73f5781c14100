/** Where a customer gives a card. What was typed is never shown again, whatever was wrong with it. */
import { type Html, html } from "../../domain/Html.ts"
import { amountText } from "./AmountText.ts"
import type { CardField } from "./CardForm.ts"
import { cancelButton, details, framed, type Shown } from "./Frame.ts"
import type { Page } from "./Layout.ts"
import type { Words } from "./Words.ts"

const inputs: Readonly<Record<CardField, Html>> = {
  number: html`inputmode="numeric" autocomplete="cc-number" maxlength="30"`,
  expiry: html`inputmode="text" autocomplete="cc-exp" maxlength="9"`,
  cvv: html`inputmode="numeric" autocomplete="cc-csc" maxlength="4"`,
  holder: html`autocomplete="cc-name" maxlength="200"`
}

const cardInput = (field: CardField, words: Words, problems: ReadonlyArray<CardField>): Html => {
  const wrong = problems.includes(field)
  const hint = words.cardHints[field]
  return html`<div class="field">
    <label for="${field}">${words.cardFields[field]} ${hint !== "" && html`<span>${hint}</span>`}</label>
    <input
      id="${field}"
      name="${field}"
      required
      spellcheck="false"
      ${inputs[field]}
      ${wrong && html`aria-invalid="true" aria-describedby="${field}-problem"`}
    />
    ${wrong && html`<p class="problem" id="${field}-problem">${words.cardProblems[field]}</p>`}
  </div>`
}

/** `notice` is about the whole form, `problems` about its fields. */
export interface CardTrouble {
  readonly problems: ReadonlyArray<CardField>
  readonly notice: string | undefined
}

export const cardPage = (shown: Shown, words: Words, { notice, problems }: CardTrouble): Page => {
  const input = (field: CardField) => cardInput(field, words, problems)
  return {
    title: words.cardTitle,
    content: framed(
      shown,
      words,
      html`<section class="body">
        <h1>${words.cardTitle}</h1>
        <p>${words.cardText}</p>
        ${details(shown, words)} ${notice !== undefined && html`<p class="notice" role="alert">${notice}</p>`}
        <form method="post">
          ${input("number")}
          <div class="pair">${input("expiry")} ${input("cvv")}</div>
          ${input("holder")}
          <button class="primary" name="action" value="pay">
            ${words.pay(amountText(shown.payment.amount, words))}
          </button>
          ${cancelButton(words)}
        </form>
      </section>`
    )
  }
}
