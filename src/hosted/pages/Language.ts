/** Which language a reader of the hosted pages asks for: the one chosen on a page, or else the browser's. */
import type { Incoming } from "../../platform/http/Route.ts"
import { english, french, type Words } from "./Words.ts"

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

/** English, unless `Accept-Language` would rather have French. */
export const wordsFor = (acceptLanguage: string | undefined): Words => {
  const preferences = (acceptLanguage ?? "").split(",", 50).map(preferenceOf)
  const wish = (language: string): number =>
    Math.max(0, ...preferences.filter((one) => one.language === language).map(({ weight }) => weight))
  const [inFrench, inEnglish] = [wish("fr"), wish("en")]
  if (inFrench !== inEnglish) return inFrench > inEnglish ? french : english
  const first = preferences.find(({ language }) => language === "fr" || language === "en")
  return inFrench > 0 && first?.language === "fr" ? french : english
}

export interface Reader {
  readonly words: Words
  /** The same page in the other language. */
  readonly other: { readonly words: Words; readonly address: string }
  /** Chosen on this very page, and to be remembered on those that follow. */
  readonly choice: Words["language"] | undefined
}

const LANGUAGE = "lang"
const COOKIE = "corridor_language"

const spoken = (language: unknown): Words | undefined => [english, french].find((one) => one.language === language)

const remembered = (cookies: string | undefined): Words | undefined =>
  spoken(new RegExp(`(?:^|;\\s*)${COOKIE}=(\\w{2})(?:;|$)`).exec(cookies ?? "")?.[1])

/** Whatever else the address says stays. */
const inLanguage = ({ query }: Incoming, language: string): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  return `?${new URLSearchParams({ ...Object.fromEntries(given), [LANGUAGE]: language })}`
}

export const readerOf = (incoming: Incoming): Reader => {
  const { headers } = incoming.request
  const chosen = spoken(incoming.query[LANGUAGE])
  const words = chosen ?? remembered(headers.cookie) ?? wordsFor(headers["accept-language"])
  const other = words === english ? french : english
  return { words, other: { words: other, address: inLanguage(incoming, other.language) }, choice: chosen?.language }
}

/** A choice of the reader's own, of no interest to anybody else; it lasts for a year. */
export const rememberChoice = ({ choice }: Reader): Readonly<Record<string, string>> =>
  choice === undefined ? {} : { "set-cookie": `${COOKIE}=${choice}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly` }
