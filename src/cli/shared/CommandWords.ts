/** The words of a command line that name the command, such as `keys create`, and what is wrong with them. */
import { Option } from "effect"
import { nearest } from "./Nearest.ts"

/** The commands under each path of words, such as `keys`; the empty path is the program itself. */
export type CommandNames = ReadonlyMap<string, ReadonlyArray<string>>

/** The words before the first option. */
const leadingWords = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.findIndex((arg) => arg.startsWith("-"))
  return end === -1 ? args : args.slice(0, end)
}

export const under = (names: CommandNames, path: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.get(path.join(" ")) ?? []

/** `corridor help keys create` is another way to write `corridor keys create --help`. */
export const asHelp = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args[0] === "help" ? [...args.slice(1).filter((word) => word !== "--help"), "--help"] : args

/** The command that is named, without the program's name and the command's arguments. */
export const commandPath = (names: CommandNames, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const path: Array<string> = []
  for (const word of leadingWords(args)) {
    if (!under(names, path).includes(word)) break
    path.push(word)
  }
  return path
}

/** A near word, or the groups that have this very one, where somebody left the group out. */
const guess = (names: CommandNames, path: ReadonlyArray<string>, word: string): string => {
  const parent = ["corridor", ...path].join(" ")
  const inGroups = path.length === 0 ? under(names, []).filter((group) => under(names, [group]).includes(word)) : []
  const meant = Option.match(nearest(word, under(names, path)), {
    onNone: () => inGroups.map((group) => `${parent} ${group} ${word}`),
    onSome: (one) => [`${parent} ${one}`]
  })
  return meant.length === 0 ? "" : ` Did you mean "${meant.join('" or "')}"?`
}

/** A group alone says what it has. */
const wantsHelp = (args: ReadonlyArray<string>): boolean =>
  !args.some((arg) => arg.startsWith("-")) || args.includes("--help") || args.includes("-h")

/** `@effect/cli` names the wrong level for a word that it does not know, so it is looked for beforehand. */
export const unknownCommand = (names: CommandNames, args: ReadonlyArray<string>): Option.Option<string> => {
  const path = commandPath(names, args)
  const word = leadingWords(args)[path.length]
  const known = under(names, path)
  const parent = ["corridor", ...path].join(" ")
  if (word === undefined && path.length > 0 && known.length > 0 && !wantsHelp(args)) {
    return Option.some(`"${parent}" needs one of its commands after it: ${known.join(", ")}.`)
  }
  if (word === undefined || known.length === 0) return Option.none()
  return Option.some(
    `"${parent} ${word}" is not a command; "${parent}" has: ${known.join(", ")}.${guess(names, path, word)}`
  )
}
