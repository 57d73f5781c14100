/** The word that somebody may have meant. */
import { Option } from "effect"

/** How many letters differ, are missing, are too many, or have changed places with their neighbour. */
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

/** To be put behind a refusal; nothing where no word is near. */
export const didYouMean = (given: string, known: ReadonlyArray<string>): string =>
  Option.match(nearest(given, known), { onNone: () => "", onSome: (one) => ` Did you mean ${one}?` })

/** A third of its letters may be wrong; a beginning of a word always means it. */
export const nearest = (given: string, known: ReadonlyArray<string>): Option.Option<string> => {
  const word = given.toLowerCase()
  const judged = known
    .map((one) => ({ one, far: one.startsWith(word) && word.length > 1 ? 0.5 : distance(word, one) }))
    .filter(({ far, one }) => far <= Math.max(1, Math.floor(Math.max(word.length, one.length) / 3)))
    .sort((a, b) => a.far - b.far)
  return Option.map(Option.fromNullable(judged[0]), ({ one }) => one)
}
