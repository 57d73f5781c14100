/** Language of hosted pages, and amounts, times and rates as text. */
import type { Money } from "../../domain/Money.ts"
import type { Incoming } from "../../platform/http/Route.ts"
import { arabic } from "./languages/Arabic.ts"
import { english, type Language, type PageText } from "./languages/English.ts"
import { french } from "./languages/French.ts"
import { hausa } from "./languages/Hausa.ts"
import { portuguese } from "./languages/Portuguese.ts"
import { swahili } from "./languages/Swahili.ts"

/** In the order of the choice on the pages. */
export const languages: ReadonlyArray<PageText> = [english, french, swahili, portuguese, arabic, hausa]

type Numerals = Pick<PageText, "groupSeparator" | "decimalSeparator" | "direction">

/** Keeps digits and Latin letters in their order within a sentence from right to left. */
const isolated = (text: string, { direction }: Pick<PageText, "direction">): string =>
  direction === "rtl" ? `\u2066${text}\u2069` : text

export const amountText = (money: Money, words: Numerals): string => {
  const { decimalSeparator, groupSeparator } = words
  const [whole = "", fraction] = money.toNumericText().split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, groupSeparator)
  const digits = fraction === undefined ? grouped : `${grouped}${decimalSeparator}${fraction}`
  return isolated(`${digits}\u00a0${money.currency}`, words)
}

/** Arabic keyboards write digits of their own, of which there are two rows. */
export const latinDigits = (text: string, { language }: Pick<PageText, "language">): string =>
  language === "ar"
    ? text.replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    : text

const inUtc = (locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone: "UTC" })

const formats: Readonly<Record<Language, Intl.DateTimeFormat>> = {
  en: inUtc("en-GB"),
  fr: inUtc("fr-FR"),
  sw: inUtc("sw-KE"),
  pt: inUtc("pt-PT"),
  ar: inUtc("ar-EG-u-nu-latn"),
  ha: inUtc("ha-NG")
}

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

const isSpoken = ({ language, weight }: Preference): boolean =>
  weight > 0 && languages.some((one) => one.language === language)

/** The language that `Accept-Language` prefers: the highest weight, then the first in the header; English otherwise. */
export const pageTextFor = (acceptLanguage: string | undefined): PageText => {
  const [first] = (acceptLanguage ?? "")
    .split(",", 50)
    .map(preferenceOf)
    .filter(isSpoken)
    .toSorted((one, other) => other.weight - one.weight)
  return languages.find(({ language }) => language === first?.language) ?? english
}

export interface Reader {
  readonly words: PageText
  /** The same page in the other languages. */
  readonly others: ReadonlyArray<{ readonly words: PageText; readonly address: string }>
  /** Chosen on this page; stored in a cookie. */
  readonly choice: Language | undefined
}

const LANGUAGE = "lang"
const COOKIE = "corridor_language"

const spoken = (language: unknown): PageText | undefined => languages.find((one) => one.language === language)

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
  const others = languages
    .filter((one) => one !== words)
    .map((one) => ({ words: one, address: inLanguage(incoming, one.language) }))
  return { words, others, choice: chosen?.language }
}

/** The cookie lasts a year. */
export const rememberChoice = ({ choice }: Reader): Readonly<Record<string, string>> =>
  choice === undefined ? {} : { "set-cookie": `${COOKIE}=${choice}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly` }
