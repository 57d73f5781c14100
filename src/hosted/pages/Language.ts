/** Which language a reader of the hosted pages asks for. */
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
