/** The words of a command line that name the command, such as `keys create`, and what is wrong with them. */
import { Option } from "effect"

/** Every command by name; a group maps to its own commands, a command to nothing. */
export type CommandNames = Readonly<Record<string, ReadonlyArray<string>>>

/** The words before the first option. */
const leadingWords = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.findIndex((arg) => arg.startsWith("-"))
  return end === -1 ? args : args.slice(0, end)
}

const groupOf = (names: CommandNames, word: string | undefined): ReadonlyArray<string> =>
  word !== undefined && Object.hasOwn(names, word) ? (names[word] ?? []) : []

/** The command that is named, without the program's name and the command's arguments. */
export const commandPath = (names: CommandNames, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, second] = leadingWords(args)
  if (first === undefined || !Object.hasOwn(names, first)) return []
  return second !== undefined && groupOf(names, first).includes(second) ? [first, second] : [first]
}

/** `@effect/cli` names the wrong level for a word that it does not know, so it is looked for beforehand. */
export const unknownCommand = (names: CommandNames, args: ReadonlyArray<string>): Option.Option<string> => {
  const path = commandPath(names, args)
  const word = leadingWords(args)[path.length]
  const known = path.length === 0 ? Object.keys(names) : path.length === 1 ? groupOf(names, path[0]) : []
  if (word === undefined || known.length === 0) return Option.none()
  const parent = ["corridor", ...path].join(" ")
  return Option.some(`"${parent} ${word}" is not a command; "${parent}" has: ${known.join(", ")}.`)
}
