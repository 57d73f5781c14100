/** Behaviour of a simulator for one order, chosen by magic card, phone and account numbers. */
import { Redacted } from "effect"
import type { BuiltInRail, PaymentMethod } from "../../domain/Corridor.ts"
import type { PaymentOrder } from "../port/Provider.ts"

export const behaviours = [
  "completes",
  "declines",
  "never_answers",
  "fails_later",
  "redirects",
  "asks_password",
  "pays_by_link",
  "loses_answer",
  "answers_slowly",
  "repeats_callbacks",
  "reorders_callbacks",
  "by_hand"
] as const
export type Behaviour = (typeof behaviours)[number]

const cards: Readonly<Record<string, Behaviour>> = {
  "4000000000000002": "declines",
  "4000000000003220": "redirects",
  "4000000000000119": "never_answers"
}

/**
 * Endings that phone numbers and bank accounts share. `0006` is accepted and the answer is lost, `0007` is answered
 * slowly, `0008` is called back three times (one event twice, then another event that says the same), `0009`
 * gets the callback of the completion before that of the processing.
 */
const accountEndings: Readonly<Record<string, Behaviour>> = {
  "0001": "declines",
  "0003": "never_answers",
  "0004": "fails_later",
  "0006": "loses_answer",
  "0007": "answers_slowly",
  "0008": "repeats_callbacks",
  "0009": "reorders_callbacks"
}

const phoneEndings: Readonly<Record<string, Behaviour>> = {
  ...accountEndings,
  "0002": "asks_password",
  "0005": "pays_by_link"
}

const endingOf = (text: string): string => text.replaceAll(/[^0-9A-Za-z]/g, "").slice(-4)

/** The method of a ramp leg follows from the details that the order carries. */
export const methodOf = (order: PaymentOrder): PaymentMethod => {
  if (order.flow !== "external") return order.method
  if (order.card !== null) return "card"
  if (order.mobileMoney !== null) return "mobile_money"
  return order.bank === null ? "crypto" : "bank_transfer"
}

const magicOf = (order: PaymentOrder): Behaviour | undefined => {
  switch (methodOf(order)) {
    case "card":
      // Without a card the customer goes to the page of the simulator.
      return order.card === null ? "redirects" : cards[Redacted.value(order.card).number]
    case "mobile_money":
      return order.mobileMoney === null ? undefined : phoneEndings[endingOf(order.mobileMoney.phoneNumber)]
    case "bank_transfer":
      return order.bank === null ? undefined : accountEndings[endingOf(order.bank.accountNumber)]
    default:
      return undefined
  }
}

export const behaviourOf = (rail: BuiltInRail, order: PaymentOrder): Behaviour =>
  rail === "manual" ? "by_hand" : (magicOf(order) ?? "completes")
