/**
 * The only door for JSON that comes from outside: what passes can be stored in PostgreSQL, written back, and never
 * holds a number that silently lost digits. Text without oddities costs one scan and one `JSON.parse`.
 */
import { Either } from "effect"
import { parse as parseKeepingLiterals } from "lossless-json"

const MAX_DEPTH = 32
/** Any decimal with this many significant digits survives the way through a double unchanged. */
const EXACT_DIGITS = 15

export interface JsonRefusal {
  readonly message: string
}

interface Scan {
  readonly tooDeepAt: number | undefined
  readonly hasLongNumber: boolean
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/** Exact for valid JSON; for anything else it need not be, because `JSON.parse` refuses that afterwards. */
const scan = (text: string): Scan => {
  let depth = 0
  let hasLongNumber = false
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) {
      inString = true
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return { tooDeepAt: at, hasLongNumber }
    } else if (code === 0x7d || code === 0x5d) {
      depth--
    } else if (isDigit(code)) {
      const start = at
      let next = text.charCodeAt(at + 1)
      while (isDigit(next) || next === 0x2e) next = text.charCodeAt(++at + 1)
      hasLongNumber ||= at - start >= EXACT_DIGITS || next === 0x65 || next === 0x45
    }
  }
  return { tooDeepAt: undefined, hasLongNumber }
}

class NumberTooLarge extends Error {}

/** A boxed number says "this literal may not be exact": money refuses it, free-form metadata may keep it. */
const readNumber = (literal: string): number | object => {
  const value = Number(literal)
  if (!Number.isFinite(value)) throw new NumberTooLarge()
  const digits = literal
    .replace(/[eE].*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "")
    .replace(/(?<!0)0+$/, "")
  const exact = digits.length <= EXACT_DIGITS && (value !== 0 || digits === "")
  return exact ? value : new Number(value)
}

const LONE_SURROGATE = /\p{Surrogate}/u

const flawOfText = (text: string): string | undefined =>
  text.includes("\0")
    ? "holds a NUL character"
    : LONE_SURROGATE.test(text)
      ? "holds half of a surrogate pair, which is not a character"
      : undefined

const child = (path: string, key: string) => {
  const shown = key.length > 64 ? "…" : key
  return path === "" ? shown : `${path}.${shown}`
}

/** Recursion is safe here: the scan has bounded the depth. */
const flawOf = (value: unknown, path: string): string | undefined => {
  if (typeof value === "string") {
    const flaw = flawOfText(value)
    return flaw && `${path === "" ? "the text" : path} ${flaw}`
  }
  if (typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const flaw = flawOf(value[index], child(path, String(index)))
      if (flaw !== undefined) return flaw
    }
    return undefined
  }
  const where = path === "" ? "the top level" : path
  for (const [key, member] of Object.entries(value)) {
    if (key === "__proto__") return `${where} has a field named __proto__, which is not allowed`
    const flawOfKey = flawOfText(key)
    if (flawOfKey !== undefined) return `a field name in ${where} ${flawOfKey}`
    const flaw = flawOf(member, child(path, key))
    if (flaw !== undefined) return flaw
  }
  return undefined
}

/** Every flaw that `flawOf` looks for needs one of these in the text. */
const mayBeFlawed = (text: string) => text.includes("\\u") || text.includes("__proto__") || LONE_SURROGATE.test(text)

const lineAndColumn = (text: string, at: number): string => {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1
  const line = text.slice(0, lineStart).split("\n").length
  return `line ${line}, column ${at - lineStart + 1}`
}

/** The parsers' own messages quote the text around the mistake, which may be a card number: only the place is kept. */
const placeOfMistake = (text: string): string => {
  if (text.trim() === "") return "it is empty"
  if (text.charCodeAt(0) === 0xfeff) return "it starts with a byte order mark"
  try {
    parseKeepingLiterals(text)
  } catch (error) {
    const at = /at position (\d+)$/.exec(error instanceof Error ? error.message : "")?.[1]
    if (at !== undefined) return `look at ${lineAndColumn(text, Number(at))}`
  }
  return "it does not follow the grammar"
}

const refuse = (message: string): Either.Either<never, JsonRefusal> => Either.left({ message })

/** A key that occurs twice counts with its last value, as with `JSON.parse`. */
export const parseJsonText = (text: string): Either.Either<unknown, JsonRefusal> => {
  const { tooDeepAt, hasLongNumber } = scan(text)
  if (tooDeepAt !== undefined) {
    return refuse(`the JSON is nested more than ${MAX_DEPTH} levels deep at ${lineAndColumn(text, tooDeepAt)}`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse(`the JSON is malformed: ${placeOfMistake(text)}`)
  }
  if (mayBeFlawed(text)) {
    const flaw = flawOf(value, "")
    if (flaw !== undefined) return refuse(flaw)
  }
  if (!hasLongNumber) return Either.right(value)
  try {
    return Either.right(
      parseKeepingLiterals(text, null, { parseNumber: readNumber, onDuplicateKey: ({ newValue }) => newValue })
    )
  } catch (error) {
    if (error instanceof NumberTooLarge) return refuse("the JSON holds a number that is too large")
    throw error
  }
}
