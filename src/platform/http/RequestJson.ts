/**
 * Parses all JSON that comes from outside. The result can be stored in PostgreSQL and written back, and no number has
 * silently lost digits. Text without oddities costs one scan and one `JSON.parse`.
 */
import { Either, Predicate } from "effect"
import { parse as parseKeepingLiterals } from "lossless-json"
import { inexact, WireNumber, parseExactJson } from "../../domain/Decimal.ts"

const MAX_DEPTH = 32
/** Any decimal with this many significant digits survives the way through a double unchanged. */
const EXACT_DIGITS = 15

interface JsonRefusal {
  readonly message: string
}

interface Scan {
  readonly tooDeepAt: number | undefined
  readonly hasLongNumber: boolean
  /** Whether a double might write a number with other digits. */
  readonly hasOddNumber: boolean
  /** Path of a field that occurs twice in one object. */
  readonly twice: string | undefined
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

/** Where the closing quote stands; the end of the text if there is none. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  for (let code = text.charCodeAt(at); code !== 0x22 && at < text.length; code = text.charCodeAt(at)) {
    at += code === 0x5c ? 2 : 1
  }
  return at
}

/** One name may be written in several ways. */
const nameIn = (raw: string): string => {
  if (!raw.includes("\\")) return raw
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    return raw
  }
}

const child = (path: string, key: string) => {
  const shown = key.length > 64 ? "…" : key
  return path === "" ? shown : `${path}.${shown}`
}

/** Names of an open object so far, or the index in an open array. */
type Open = Set<string> | { index: number }

/** The last name of each object around is on the path; in text that is not JSON there may be none. */
const pathWithin = (around: ReadonlyArray<Open>, name: string): string =>
  [...around.map((one) => (one instanceof Set ? ([...one].at(-1) ?? "") : String(one.index))), name].reduce(child, "")

/** Exact for valid JSON; for anything else it need not be, because `JSON.parse` refuses that afterwards. */
const scan = (text: string): Scan => {
  const open: Array<Open> = []
  let hasLongNumber = false
  let hasOddNumber = false
  let twice: string | undefined
  let nameComes = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      const end = endOfString(text, at)
      if (nameComes) {
        const name = nameIn(text.slice(at + 1, end))
        const names = open.at(-1) as Set<string>
        if (names.has(name)) twice ??= pathWithin(open.slice(0, -1), name)
        names.add(name)
        nameComes = false
      }
      at = end
    } else if (code === 0x7b || code === 0x5b) {
      if (open.length >= MAX_DEPTH) return { tooDeepAt: at, hasLongNumber, hasOddNumber, twice }
      nameComes = code === 0x7b
      open.push(nameComes ? new Set() : { index: 0 })
    } else if (code === 0x7d || code === 0x5d) {
      open.pop()
      nameComes = false
    } else if (code === 0x2c) {
      const around = open.at(-1)
      nameComes = around instanceof Set
      if (around !== undefined && !(around instanceof Set)) around.index += 1
    } else if (isDigit(code)) {
      const start = at
      let next = text.charCodeAt(at + 1)
      while (isDigit(next) || next === 0x2e) {
        hasOddNumber ||= next === 0x2e
        next = text.charCodeAt(++at + 1)
      }
      const long = at - start >= EXACT_DIGITS || next === 0x65 || next === 0x45
      hasLongNumber ||= long
      hasOddNumber ||= long || (code === 0x30 && text.charCodeAt(start - 1) === 0x2d)
    }
  }
  return { tooDeepAt: undefined, hasLongNumber, hasOddNumber, twice }
}

/** Money refuses what may not be exact. */
const readNumber = (literal: string): number | symbol => {
  const value = Number(literal)
  const digits = literal
    .replace(/[eE].*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "")
    .replace(/(?<!0)0+$/, "")
  const exact = digits.length <= EXACT_DIGITS && (value !== 0 || digits === "")
  return exact ? value : inexact(literal)
}

const LONE_SURROGATE = /\p{Surrogate}/u

const flawOfText = (text: string): string | undefined =>
  text.includes("\0")
    ? "holds a NUL character"
    : LONE_SURROGATE.test(text)
      ? "holds half of a surrogate pair, which is not a character"
      : undefined

/** Recursion is safe here: the scan has bounded the depth. */
const flawOf = (value: unknown, path: string): string | undefined => {
  if (typeof value === "string") {
    const flaw = flawOfText(value)
    return flaw && `${path === "" ? "the text" : path} ${flaw}`
  }
  if (typeof value !== "object" || value === null) return undefined
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

const pathOf = (value: unknown, path: string, isWanted: (value: unknown) => boolean): string | undefined => {
  if (isWanted(value)) return path
  if (typeof value !== "object" || value === null || value instanceof WireNumber) return undefined
  for (const [key, member] of Object.entries(value)) {
    const found = pathOf(member, child(path, key), isWanted)
    if (found !== undefined) return found
  }
  return undefined
}

/** Neither a double nor the database gives it back as it was written. */
const isInexactNumber = (value: unknown): boolean => value instanceof WireNumber && /e|^-0(\.0*)?$/i.test(value.text)

const isInfinite = (value: unknown): boolean => value === Infinity || value === -Infinity

/** Metadata is the caller's own: its numbers are kept digit for digit, or refused. */
const withExactMetadata = (text: string, value: unknown): Either.Either<unknown, JsonRefusal> => {
  if (!Predicate.isRecord(value) || !Predicate.isRecord(value["metadata"])) return Either.right(value)
  const exact = parseExactJson(text)
  const metadata = Predicate.isRecord(exact) ? exact["metadata"] : undefined
  const at = pathOf(metadata, "metadata", isInexactNumber)
  return at === undefined
    ? Either.right({ ...value, metadata })
    : refuse(`${at}: a number with an exponent, or -0, cannot be kept as it is; write its digits, or send it as text`)
}

/** Parses JSON. A field that is given twice is refused: parsers differ in which one they take. */
export const parseJsonText = (text: string): Either.Either<unknown, JsonRefusal> => {
  const { hasLongNumber, hasOddNumber, tooDeepAt, twice } = scan(text)
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
  if (twice !== undefined) return refuse(`the field ${twice} is given twice`)
  if (!hasOddNumber) return Either.right(value)
  if (!hasLongNumber) return withExactMetadata(text, value)
  const tooLarge = pathOf(value, "", isInfinite)
  if (tooLarge !== undefined) return refuse(`${tooLarge === "" ? "the JSON" : tooLarge}: the number is too large`)
  return withExactMetadata(text, parseKeepingLiterals(text, null, { parseNumber: readNumber }))
}
