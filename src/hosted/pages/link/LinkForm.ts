/** Reads the form of a payment link, field by field. */
import { Array as Arr, Either, Option, Redacted, Schema } from "effect"
import { holdsCardNumber, holdsNumber } from "../../../domain/Card.ts"
import { EmailAddress } from "../../../domain/MailSafeText.ts"
import { findNetwork } from "../../../domain/MobileNetwork.ts"
import { readPhoneNumber, readPhoneNumberOf } from "../../../domain/PhoneNumber.ts"
import {
  type LinkPaymentRequest,
  type Offer,
  type PayerDetails,
  type SentForm,
  type StatusVisit,
  type LinkMethod,
  linkMethods
} from "../../links/LinkVisit.ts"
import { isLinkRef } from "../../links/LinkTokens.ts"
import type { Payment } from "../../../payments/store/Payment.ts"
import type { PaymentLink } from "../../links/LinkStore.ts"
import { cardOf } from "../CardForm.ts"
import type { PageText } from "../languages/English.ts"
import { latinDigits } from "../PageText.ts"
import type { CurrencyCode } from "../../../domain/Currency.ts"
import { Money } from "../../../domain/Money.ts"

/** Digits of an amount. */
const LONGEST = 15

const SPACES = /[\s\u00a0\u202f]/g
const GROUPED = /^\d{1,3}(,\d{3})+(\.\d+)?$/
const ONE_COMMA = /^\d{1,3},\d{3}$/
const ONE_POINT = /^\d{1,3}\.\d{3}$/
const PLAIN = /^(\d+)(?:[.,](\d+))?$/

/** Arabic keyboards write separators of their own. */
const latinNumber = (text: string, words: Pick<PageText, "language">): string =>
  latinDigits(text, words).replaceAll("٬", ",").replaceAll("٫", ".")

/** Parses an amount. Ambiguous input is rejected. */
export const typedAmount = (
  text: string,
  currency: CurrencyCode,
  { groupSeparator, language }: Pick<PageText, "groupSeparator" | "language">
): Option.Option<Money> => {
  const spaceless = latinNumber(text, { language }).replaceAll(SPACES, "")
  const { exponent } = Money.zero(currency)
  const isGrouped = groupSeparator === "," && GROUPED.test(spaceless)
  // 1,500 dinars in three decimals: a thousand times as many, for those who write a decimal comma. So with 1.500.
  if (exponent === 3 && (groupSeparator === "," ? ONE_COMMA : ONE_POINT).test(spaceless)) return Option.none()
  const ungrouped = isGrouped ? spaceless.replaceAll(",", "") : spaceless
  const [, whole, fraction = ""] = PLAIN.exec(ungrouped) ?? []
  if (whole === undefined || whole.length + fraction.length > LONGEST) return Option.none()
  // Three digits after a comma could be thousands or a fraction.
  if (fraction.length > exponent) return Option.none()
  const money = Money.fromNumericText(fraction === "" ? whole : `${whole}.${fraction}`, currency)
  return Option.filter(Either.getRight(money), (one) => one.isPositive)
}

export const sentForm = (form: URLSearchParams): SentForm => ({
  submission: Option.getOrNull(Option.filter(Option.fromNullable(form.get("submission")), isLinkRef)),
  holder: form.get("token")
})

/** Fields shown again after an error; never card data. */
export const keptFields = ["amount", "name", "email", "phone", "network", "bank_name", "account_number"] as const
const linkFields = [...keptFields, "number", "expiry", "cvv"] as const

type KeptField = (typeof keptFields)[number]
export type LinkField = (typeof linkFields)[number]

export type Kept = Readonly<Partial<Record<KeptField, string>>>

const methodFields: Readonly<Record<LinkMethod, ReadonlyArray<LinkField>>> = {
  mobile_money: ["network", "phone", "name", "email"],
  card: ["number", "expiry", "cvv", "name", "email", "phone"],
  bank_transfer: ["bank_name", "account_number", "name", "email", "phone"]
}

export const numberFields: ReadonlyArray<LinkField> = ["number", "expiry", "cvv"]

/** In display order. */
export const fieldsOf = (
  link: PaymentLink,
  method: LinkMethod,
  { asksCardNumber }: Pick<Offer, "asksCardNumber">
): ReadonlyArray<LinkField> => {
  const asked = methodFields[method].filter((field) => asksCardNumber || !numberFields.includes(field))
  return link.amount_type === "open" ? ["amount", ...asked] : asked
}

/** The e-mail address is optional for mobile money, unless the route demands it. */
export const asksEmail = (method: LinkMethod, offer: Pick<Offer, "mobileMoneyNeedsEmail">): boolean =>
  method !== "mobile_money" || offer.mobileMoneyNeedsEmail

export const methodIn = (text: string | null | undefined): LinkMethod | undefined =>
  linkMethods.find((method) => method === text)

export const keptOf = (form: URLSearchParams): Kept => {
  const number = (form.get("number") ?? "").replaceAll(/\D/g, "")
  return Object.fromEntries(
    keptFields.flatMap((field) => {
      const text = form.get(field)
      if (text === null || holdsNumber(text, number)) return []
      return field !== "account_number" && holdsCardNumber(text) ? [] : [[field, text]]
    })
  )
}

const textOf = (details: Payment["payer_details"], field: string): string | undefined => {
  const value = details[field]
  return typeof value === "string" ? value : undefined
}

/** Form values of a failed payment, for another try. */
export const keptFrom = ({ link, payment }: Pick<StatusVisit, "link" | "payment">, words: PageText): Kept => {
  const { amount, mobile_money_details: momo, payer_details: payer } = payment
  const bank = payer["bank_details"]
  const inBank = (field: string) =>
    typeof bank === "object" && bank !== null ? textOf(bank as Payment["payer_details"], field) : undefined
  const typed: Readonly<Record<KeptField, string | undefined>> = {
    amount: link.amount_type === "open" ? amount.toNumericText().replace(".", words.decimalSeparator) : undefined,
    name: textOf(payer, "name"),
    email: textOf(payer, "email"),
    phone: textOf(momo, "phone_number") ?? textOf(payer, "phone"),
    network: textOf(momo, "provider"),
    bank_name: inBank("bank_name"),
    account_number: inBank("account_number")
  }
  return Object.fromEntries(Object.entries(typed).filter(([, text]) => text !== undefined))
}

const CONTROL = /\p{Cc}/u

const line = (longest: number) => (text: string) => {
  const trimmed = text.trim()
  return trimmed !== "" && trimmed.length <= longest && !CONTROL.test(trimmed) ? Option.some(trimmed) : Option.none()
}

/** Only the account number may look like a card number. */
const prose = (longest: number) => (text: string) => Option.filter(line(longest)(text), (one) => !holdsCardNumber(one))

const [name, bankName, accountNumber] = [prose(200), prose(200), line(64)]

const email = Schema.decodeUnknownOption(EmailAddress)

interface Circumstances {
  readonly link: PaymentLink
  readonly method: LinkMethod
  readonly now: Date
  readonly words: PageText
}

type Read = Partial<Record<LinkField, Option.Option<unknown>>>

const missingIn = (read: Read): ReadonlyArray<LinkField> =>
  linkFields.filter((field) => read[field] !== undefined && Option.isNone(read[field]))

/** Left: invalid fields. */
export const orderOf = (
  form: URLSearchParams,
  { link, method, now, words }: Circumstances
): Either.Either<Omit<LinkPaymentRequest, "browser">, ReadonlyArray<LinkField>> => {
  const typed = (field: LinkField): string => form.get(field) ?? ""
  const phone = (method === "mobile_money" ? readPhoneNumberOf : readPhoneNumber)(typed("phone"), link.country)
  const isLeftOut = method === "mobile_money" && typed("email").trim() === ""
  const payer = { name: name(typed("name")), phone: Either.getRight(phone) }
  const mail = isLeftOut ? {} : { email: email(typed("email")) }
  const amount = link.amount_type === "open" ? { amount: typedAmount(typed("amount"), link.payer_currency, words) } : {}
  const own = methodDetails(typed, form.has("number"), { link, method, now, words })
  const wrong = Arr.union(
    missingIn({ ...amount, ...payer, ...mail }),
    Either.getOrElse(Either.flip(own), () => [])
  )
  const details = Option.all({ ...payer, ...mail })
  if (wrong.length > 0 || Option.isNone(details) || Either.isLeft(own)) return Either.left(wrong)
  return Either.right({
    ...sentForm(form),
    method,
    chosen: amount.amount === undefined ? null : Option.getOrNull(amount.amount),
    seal: form.get("rate"),
    details: { payer_details: details.value, ...own.right(details.value) }
  })
}

type Payer = NonNullable<PayerDetails["payer_details"]>
type Own = (payer: Payer) => PayerDetails

const methodDetails = (
  typed: (field: LinkField) => string,
  hasNumber: boolean,
  { link: { country }, method, now }: Circumstances
): Either.Either<Own, ReadonlyArray<LinkField>> => {
  switch (method) {
    case "mobile_money":
      return Option.match(findNetwork(country, typed("network")), {
        onNone: () => Either.left<ReadonlyArray<LinkField>>(["network"]),
        onSome: ({ code }) =>
          Either.right<Own>(({ phone }) => ({ mobile_money_details: { provider: code, phone_number: phone } }))
      })
    case "card": {
      // The route has the last word on whether the number may be left out.
      if (!hasNumber) return Either.right<Own>(() => ({ card_entry: "hosted" }))
      const [number, expiry, cvv] = [typed("number"), typed("expiry"), typed("cvv")]
      return Either.mapBoth(cardOf(new URLSearchParams({ number, expiry, cvv, holder: typed("name") }), now), {
        onLeft: (fields): ReadonlyArray<LinkField> => fields.map((field) => (field === "holder" ? "name" : field)),
        onRight: (card): Own => {
          const { cvv, expiryMonth, expiryYear, number } = Redacted.value(card)
          return ({ name: holder }) => ({
            card_details: {
              card_number: number,
              expiry_month: expiryMonth,
              expiry_year: expiryYear,
              ...(cvv === null ? {} : { cvv }),
              card_holder_name: holder
            }
          })
        }
      })
    }
    case "bank_transfer": {
      const read = { bank_name: bankName(typed("bank_name")), account_number: accountNumber(typed("account_number")) }
      return Option.match(Option.all(read), {
        onNone: () => Either.left(missingIn(read)),
        onSome: (bank) =>
          Either.right<Own>((payer) => ({ bank_details: { account_name: payer.name, ...bank, country } }))
      })
    }
  }
}
