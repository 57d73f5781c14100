/** Texts of hosted pages in English and French, amounts and times as text, and the choice of language. */
import type { PaymentMethod } from "../../domain/Corridor.ts"
import type { CardField } from "./CardForm.ts"
import type { Money } from "../../domain/Money.ts"
import type { Incoming } from "../../platform/http/Route.ts"

type MethodNames = Readonly<Partial<Record<PaymentMethod, string>>>
type CardTexts = Readonly<Record<CardField, string>>

export const english = {
  language: "en" as "en" | "fr",
  groupSeparator: ",",
  decimalSeparator: ".",
  /** Between a label and its value. */
  colon: ":",
  testMode: "Test mode: no money moves.",
  securedBy: "Payment page by Corridor",
  paymentTo: "Payment to",
  description: "Description",
  reference: "Reference",
  checkTitle: "Confirm your payment",
  checkText: "Please check the details before you pay.",
  pay: (amount: string) => `Pay ${amount}`,
  cancel: "Cancel",
  cardTitle: "Pay by card",
  cardText: "Your card details go to the payment provider and are not kept here.",
  cardElsewhere: "You enter your card on the next page, at the payment provider.",
  cardFields: { number: "Card number", expiry: "Expiry date", cvv: "Security code", holder: "Name on card" },
  cardHints: { number: "", expiry: "MM/YY", cvv: "3 or 4 digits", holder: "" } satisfies CardTexts,
  cardProblems: {
    number: "Check the card number: a digit is missing or wrong.",
    expiry: "Enter an expiry date in the future, such as 09/30.",
    cvv: "Enter the 3 or 4 digits printed on the card.",
    holder: "Enter the name as it is on the card."
  },
  notNow: "Payment is not possible at the moment. Nothing was charged. Please try again in a few minutes.",
  waitingTitle: "Your payment is being processed",
  waitingText: (merchant: string) =>
    `This page updates by itself and continues once the result is known. ${merchant} is notified even if you close it. Please do not pay again.`,
  unpaidTitle: "Your payment is not complete yet",
  unpaidText:
    "Continue to the page of the payment provider. If you have just paid there, wait: this page updates by itself.",
  completedTitle: "Payment complete",
  completedText: (merchant: string) => `Thank you. ${merchant} has been notified.`,
  failedTitle: "Payment not completed",
  failedText: (merchant: string) => `The payment did not go through. To try again, go back to ${merchant}.`,
  canceledTitle: "Payment cancelled",
  canceledText: (merchant: string) => `This payment was cancelled. To pay, go back to ${merchant}.`,
  refundedTitle: "Payment refunded",
  refundedText: (merchant: string) => `${merchant} has refunded this payment.`,
  leavingText: (merchant: string) => `You are being redirected to ${merchant}.`,
  continue: "Continue",
  closeThis: "You can close this page.",
  notFoundTitle: "Page not found",
  notFoundText: "This payment link is not valid. Check that the link is complete, or ask the sender for a new one.",
  refusedTitle: "Invalid form",
  refusedText: "Nothing was charged. Go back to the payment page and try again.",
  /** The language's own name. */
  ownName: "English",
  languageLabel: "Language",
  behind: (organization: string) => `Paid to ${organization}`,
  receives: (merchant: string) => `${merchant} receives`,
  date: "Date",
  paidBy: "Paid by",
  methodNames: { mobile_money: "Mobile money", card: "Card", bank_transfer: "Bank transfer" } as MethodNames,
  backTo: (merchant: string) => `Back to ${merchant}`,
  mailReceipt: "E-mail me this receipt",
  receiptSent: (address: string) => `Receipt sent to ${address}.`,
  receiptFailed: "The receipt could not be sent. Please try again in a minute.",
  receiptSubject: (amount: string, merchant: string) => `Receipt: ${amount} to ${merchant}`,
  receiptText: (amount: string, merchant: string) => `You paid ${amount} to ${merchant}.`
}

export type PageText = Readonly<typeof english>

export const french: PageText = {
  language: "fr",
  groupSeparator: "\u202f",
  decimalSeparator: ",",
  colon: "\u00a0:",
  testMode: "Mode test : aucun argent n’est transféré.",
  securedBy: "Page de paiement Corridor",
  paymentTo: "Paiement à",
  description: "Description",
  reference: "Référence",
  checkTitle: "Confirmez votre paiement",
  checkText: "Veuillez vérifier les informations avant de payer.",
  pay: (amount) => `Payer ${amount}`,
  cancel: "Annuler",
  cardTitle: "Payer par carte",
  cardText: "Les données de votre carte sont transmises au prestataire de paiement et ne sont pas conservées ici.",
  cardElsewhere: "Vous saisissez votre carte sur la page suivante, chez le prestataire de paiement.",
  cardFields: {
    number: "Numéro de carte",
    expiry: "Date d’expiration",
    cvv: "Code de sécurité",
    holder: "Nom sur la carte"
  },
  cardHints: { number: "", expiry: "MM/AA", cvv: "3 ou 4 chiffres", holder: "" },
  cardProblems: {
    number: "Vérifiez le numéro de carte : un chiffre manque ou est erroné.",
    expiry: "Indiquez une date d’expiration future, par exemple 09/30.",
    cvv: "Indiquez les 3 ou 4 chiffres imprimés sur la carte.",
    holder: "Indiquez le nom tel qu’il figure sur la carte."
  },
  notNow:
    "Ce paiement ne peut pas être accepté pour le moment. Rien n’a été débité ; veuillez réessayer dans quelques minutes.",
  waitingTitle: "Votre paiement est en cours",
  waitingText: (merchant) =>
    `Cette page s’actualise d’elle-même et vous redirige dès que le résultat est connu. ${merchant} en sera informé même si vous la fermez. Ne payez pas une seconde fois.`,
  unpaidTitle: "Votre paiement n’est pas encore terminé",
  unpaidText:
    "Continuez sur la page du prestataire de paiement. Si vous venez d’y payer, patientez : cette page s’actualise d’elle-même.",
  completedTitle: "Paiement effectué",
  completedText: (merchant) => `Merci. ${merchant} en a été informé.`,
  failedTitle: "Paiement non abouti",
  failedText: (merchant) => `Le paiement n’a pas abouti. Pour réessayer, retournez chez ${merchant}.`,
  canceledTitle: "Paiement annulé",
  canceledText: (merchant) => `Ce paiement a été annulé. Pour payer, retournez chez ${merchant}.`,
  refundedTitle: "Paiement remboursé",
  refundedText: (merchant) => `${merchant} vous a remboursé ce paiement.`,
  leavingText: (merchant) => `Vous êtes redirigé vers ${merchant}.`,
  continue: "Continuer",
  closeThis: "Vous pouvez fermer cette page.",
  notFoundTitle: "Page introuvable",
  notFoundText:
    "Ce lien de paiement n’est pas valable. Vérifiez que vous avez ouvert le lien en entier, ou demandez à la personne qui vous l’a envoyé.",
  refusedTitle: "Formulaire non valable",
  refusedText: "Rien n’a été débité. Revenez à la page de paiement et réessayez.",
  ownName: "Français",
  languageLabel: "Langue",
  behind: (organization) => `Versé à ${organization}`,
  receives: (merchant) => `${merchant} reçoit`,
  date: "Date",
  paidBy: "Payé par",
  methodNames: { mobile_money: "Mobile money", card: "Carte", bank_transfer: "Virement" },
  backTo: (merchant) => `Retour chez ${merchant}`,
  mailReceipt: "Recevoir ce reçu par e-mail",
  receiptSent: (address) => `Reçu envoyé à ${address}.`,
  receiptFailed: "Le reçu n’a pas pu être envoyé. Veuillez réessayer dans une minute.",
  receiptSubject: (amount, merchant) => `Reçu : ${amount} à ${merchant}`,
  receiptText: (amount, merchant) => `Vous avez payé ${amount} à ${merchant}.`
}

type Separators = Pick<PageText, "groupSeparator" | "decimalSeparator">

export const amountText = (money: Money, { decimalSeparator, groupSeparator }: Separators): string => {
  const [whole = "", fraction] = money.toNumericText().split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, groupSeparator)
  const digits = fraction === undefined ? grouped : `${grouped}${decimalSeparator}${fraction}`
  return `${digits}\u00a0${money.currency}`
}

const inUtc = (locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone: "UTC" })

const formats = { en: inUtc("en-GB"), fr: inUtc("fr-FR") } as const satisfies Record<PageText["language"], unknown>

/** In UTC, with the month as a word. */
export const timeText = (moment: Date, { language }: Pick<PageText, "language">): string =>
  `${formats[language].format(moment)}\u00a0UTC`

interface Preference {
  readonly language: string
  readonly weight: number
}

const WEIGHT = /^q=(0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/

const preferenceOf = (range: string): Preference => {
  const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
  const weight = parameters.map((parameter) => WEIGHT.exec(parameter)?.[1]).find((value) => value !== undefined)
  return { language: tag.split("-", 1)[0] ?? "", weight: weight === undefined ? 1 : Number(weight) }
}

/** English, unless `Accept-Language` prefers French. */
export const pageTextFor = (acceptLanguage: string | undefined): PageText => {
  const preferences = (acceptLanguage ?? "").split(",", 50).map(preferenceOf)
  const wish = (language: string): number =>
    Math.max(0, ...preferences.filter((one) => one.language === language).map(({ weight }) => weight))
  const [inFrench, inEnglish] = [wish("fr"), wish("en")]
  if (inFrench !== inEnglish) return inFrench > inEnglish ? french : english
  const first = preferences.find(({ language }) => language === "fr" || language === "en")
  return inFrench > 0 && first?.language === "fr" ? french : english
}

export interface Reader {
  readonly words: PageText
  /** The same page in the other language. */
  readonly other: { readonly words: PageText; readonly address: string }
  /** Chosen on this page; stored in a cookie. */
  readonly choice: PageText["language"] | undefined
}

const LANGUAGE = "lang"
const COOKIE = "corridor_language"

const spoken = (language: unknown): PageText | undefined => [english, french].find((one) => one.language === language)

const remembered = (cookies: string | undefined): PageText | undefined =>
  spoken(new RegExp(`(?:^|;\\s*)${COOKIE}=(\\w{2})(?:;|$)`).exec(cookies ?? "")?.[1])

/** Keeps all other query parameters. */
const inLanguage = ({ query }: Incoming, language: string): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  return `?${new URLSearchParams({ ...Object.fromEntries(given), [LANGUAGE]: language })}`
}

export const readerOf = (incoming: Incoming): Reader => {
  const { headers } = incoming.request
  const chosen = spoken(incoming.query[LANGUAGE])
  const words = chosen ?? remembered(headers.cookie) ?? pageTextFor(headers["accept-language"])
  const other = words === english ? french : english
  return { words, other: { words: other, address: inLanguage(incoming, other.language) }, choice: chosen?.language }
}

/** The cookie lasts a year. */
export const rememberChoice = ({ choice }: Reader): Readonly<Record<string, string>> =>
  choice === undefined ? {} : { "set-cookie": `${COOKIE}=${choice}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly` }
