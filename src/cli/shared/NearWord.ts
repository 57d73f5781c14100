/** Refuses mistyped words, and suggests the nearest known one. */
import { Option } from "effect"

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

/** `name` is an option or argument with a fixed set of values. */
export const badValue = (name: string, values: ReadonlyArray<string>, given: string): string =>
  `${name}: expected one of ${values.join(", ")}; ${given === "" ? "an empty text" : given} is none of them.${didYouMean(given, values)}`

export const badOption = (names: ReadonlyArray<string>, given: string): string =>
  `${given} is not an option here; there are: ${names.join(", ")}.${didYouMean(given, names)}`
