/** Reads the words after a command, and suggests the nearest known word for a mistyped one. */
import { Either, Option } from "effect"
import { isArgument, type Parameter, type Parameters, targetOptions } from "./Command.ts"

/** Number of letters that are wrong, missing, too many or swapped with their neighbour. */
const distance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : Infinity
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same, swapped))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

/** A third of the letters may be wrong; the beginning of a word always matches. */
export const nearest = (given: string, words: ReadonlyArray<string>): Option.Option<string> => {
  const typed = given.toLowerCase()
  const near = words
    .map((word) => ({ word, far: word.startsWith(typed) && typed.length > 1 ? 0.5 : distance(typed, word) }))
    .filter(({ far, word }) => far <= Math.max(1, Math.floor(Math.max(typed.length, word.length) / 3)))
    .sort((a, b) => a.far - b.far)
  return Option.map(Option.fromNullable(near[0]), ({ word }) => word)
}

/** Goes behind a refusal; empty where no word is near. */
export const didYouMean = (given: string, words: ReadonlyArray<string>): string =>
  Option.match(nearest(given, words), { onNone: () => "", onSome: (word) => ` Did you mean ${word}?` })

const shown = (given: string): string => (given === "" ? "an empty text" : given)

/** `name` is an option or argument with a fixed set of values. */
export const badValue = (name: string, values: ReadonlyArray<string>, given: string): string =>
  `${name}: expected one of ${values.join(", ")}; ${shown(given)} is none of them.${didYouMean(given, values)}`

export const badOption = (names: ReadonlyArray<string>, given: string): string =>
  `${given} is not an option here; there are: ${names.join(", ")}.${didYouMean(given, names)}`

const booleans = ["true", "false"]

/**
 * Options and arguments in any order; words after `--` are arguments. The word after an option is its value, whatever it
 * looks like. Fails with what is wrong.
 */
export const parseInput = (
  parameters: Parameters,
  words: ReadonlyArray<string>
): Either.Either<Readonly<Record<string, unknown>>, string> => {
  const all = Object.values(parameters)
  const options = all.filter((one) => !isArgument(one))
  const given = new Map<Parameter, ReadonlyArray<string>>()
  const unnamed: Array<string> = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (word === "--") {
      unnamed.push(...words.slice(at + 1))
      break
    }
    if (!word.startsWith("-")) {
      unnamed.push(word)
      continue
    }
    const [name = "", ...rest] = word.split("=")
    const option = options.find((one) => one.name === name)
    if (option === undefined) {
      return Either.left(
        badOption(
          [...options, ...targetOptions].map((one) => one.name),
          name
        )
      )
    }
    const isFlag = option.kind === "flag"
    const value = rest.length > 0 ? rest.join("=") : isFlag ? "true" : words[++at]
    if (value === undefined || (value === "" && rest.length > 0)) return Either.left(`${name} needs a value after it.`)
    if (isFlag && !booleans.includes(value)) return Either.left(badValue(name, booleans, value))
    const before = given.get(option) ?? []
    if (before.length > 0 && option.kind !== "repeated") return Either.left(`${name} stands there twice.`)
    given.set(option, [...before, value])
  }
  for (const argument of all.filter(isArgument)) {
    const word = unnamed.shift()
    if (word !== undefined) given.set(argument, [word])
  }
  if (unnamed[0] !== undefined) return Either.left(`${shown(unnamed[0])} is one word too many.`)
  const missing = all.find((one) => one.kind === "required" && !given.has(one))
  if (missing !== undefined) return Either.left(`${missing.name} is missing.`)
  for (const [{ name, values }, texts] of given) {
    const wrong = texts.find((text) => values.length > 0 && !values.includes(text))
    if (wrong !== undefined) return Either.left(badValue(name, values, wrong))
  }
  return Either.right(
    Object.fromEntries(Object.entries(parameters).map(([key, one]) => [key, one.decode(given.get(one) ?? [])]))
  )
}
