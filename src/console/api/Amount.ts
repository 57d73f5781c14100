/** Exact amounts: the digits of the API, never floats. */
import { LosslessNumber } from "lossless-json"
import { Problem } from "./ApiResponse.ts"

export type Amount = LosslessNumber

const shape = /^-?\d{1,15}(\.\d{1,18})?$/

/** Parses typed text; undefined if it is not an amount. */
export const parseAmount = (text: string): Amount | undefined => {
  const plain = text.replace(/[\s,_]/g, "")
  return shape.test(plain) ? new LosslessNumber(plain) : undefined
}

/** The API writes a single zero for currencies without minor units. */
const partsOf = ({ value }: Amount): readonly [sign: string, whole: string, fraction: string] => {
  const [whole = "0", fraction = ""] = value.replace("-", "").split(".")
  return [value.startsWith("-") ? "−" : "", whole, fraction === "0" ? "" : fraction]
}

export const amountText = (amount: Amount): string => {
  const [sign, whole, fraction] = partsOf(amount)
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return `${sign}${grouped}${fraction === "" ? "" : `.${fraction}`}`
}

/** Text for an input, without grouping. */
export const inputText = (amount: Amount): string => {
  const [, whole, fraction] = partsOf(amount)
  return fraction === "" ? whole : `${whole}.${fraction}`
}

const scaled = ({ value }: Amount, scale: number): bigint => {
  const [whole = "0", fraction = ""] = value.split(".")
  return BigInt(`${whole}${fraction.padEnd(scale, "0")}`)
}

const scaleOf = ({ value }: Amount): number => value.split(".")[1]?.length ?? 0

export const minus = (a: Amount, b: Amount): Amount => {
  const scale = Math.max(scaleOf(a), scaleOf(b))
  const difference = scaled(a, scale) - scaled(b, scale)
  const digits = (difference < 0n ? -difference : difference).toString().padStart(scale + 1, "0")
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return new LosslessNumber(difference < 0n ? `-${text}` : text)
}

export const isZero = ({ value }: Amount): boolean => /^-?0*(\.0*)?$/.test(value)

export const isNegative = (amount: Amount): boolean => amount.value.startsWith("-") && !isZero(amount)

/** Float for drawing only, never for arithmetic. */
export const plotValue = ({ value }: Amount): number => Number(value)

/** Percentage from 0 to 100, for a bar. */
export const percentOf = (part: Amount, whole: Amount): number => {
  const all = plotValue(whole)
  return all === 0 ? 0 : Math.min(100, Math.max(0, (plotValue(part) / all) * 100))
}

/** Amount of a required form field. */
export const requireAmount = (text: string): Amount => {
  const amount = parseAmount(text)
  if (amount === undefined) throw new Problem(400, "Write the amount as a number, such as 1500.00.")
  return amount
}

/** Amount of an optional form field; undefined if empty. */
export const optionalAmount = (text: string): Amount | undefined => (text === "" ? undefined : requireAmount(text))
