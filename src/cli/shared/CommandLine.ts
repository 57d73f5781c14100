/** What a command takes, read from its usage: its options, its arguments, and the values of those that have a fixed set. */
import { CommandDescriptor, type Usage } from "@effect/cli"
import { Option } from "effect"

/** Suggests the known word nearest to a mistyped one. */

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

export interface Parameter {
  /** Such as `--status`, or `<PROVIDER>` of an argument. */
  readonly name: string
  readonly hasValue: boolean
  readonly isRepeated: boolean
  /** The only ones there are; none where it is any text. */
  readonly values: ReadonlyArray<string>
}

export interface CommandUsage {
  readonly options: ReadonlyArray<Parameter>
  readonly arguments: ReadonlyArray<Parameter>
}

/** A placeholder, which stands for any text, is in capitals. */
const valuesIn = (accepted: string): ReadonlyArray<string> => (/[a-z]/.test(accepted) ? accepted.split(" | ") : [])

const parametersOf = (usage: Usage.Usage, isRepeated: boolean): ReadonlyArray<Parameter> => {
  switch (usage._tag) {
    case "Named":
      return usage.names.map((name) => ({
        name,
        hasValue: Option.isSome(usage.acceptedValues),
        isRepeated,
        values: Option.match(usage.acceptedValues, { onNone: () => [], onSome: valuesIn })
      }))
    case "Optional":
      return parametersOf(usage.usage, isRepeated)
    case "Repeated":
      return parametersOf(usage.usage, true)
    case "Concat":
    case "Alternation":
      return [...parametersOf(usage.left, isRepeated), ...parametersOf(usage.right, isRepeated)]
    default:
      return []
  }
}

/** They belong to no command: whom to talk to, and what the program as a whole can be asked. */
const flag = (name: string): Parameter => ({ name, hasValue: false, isRepeated: false, values: [] })
const valued = (name: string, values: ReadonlyArray<string>): Parameter => ({ ...flag(name), hasValue: true, values })

export const shells = ["bash", "zsh", "fish"] as const

const everywhere: ReadonlyArray<Parameter> = [
  valued("--url", []),
  valued("--api-key", []),
  valued("--token", []),
  flag("--help")
]

/** Before any command. */
export const programOptions: ReadonlyArray<Parameter> = [
  ...everywhere,
  flag("--version"),
  valued("--completions", shells)
]

/** Options of the library that the help does not list. */
const silent: ReadonlyArray<Parameter> = [flag("-h"), flag("--wizard"), valued("--log-level", [])]

export const usageOf = (command: CommandDescriptor.Command<unknown>): CommandUsage => {
  const taken = parametersOf(CommandDescriptor.getUsage(command), false)
  return {
    options: [...taken.filter(({ name }) => name.startsWith("-")), ...everywhere],
    arguments: taken.filter(({ name }) => name.startsWith("<"))
  }
}

const expected = ({ name, values }: Parameter, given: string): string =>
  `${name.replace(/[<>]/g, "")}: expected one of ${values.join(", ")}; ${given === "" ? "an empty text" : given} is none of them.${didYouMean(given, values)}`

const unknownOption = (options: ReadonlyArray<Parameter>, given: string): string => {
  const names = options.map(({ name }) => name)
  return `${given} is not an option here; there are: ${names.join(", ")}.${didYouMean(given, names)}`
}

/**
 * `words` are those after the command. The library says neither which option it speaks of nor what may have been meant,
 * so the words are checked before it parses them.
 */
export const usageProblem = (usage: CommandUsage, words: ReadonlyArray<string>): Option.Option<string> => {
  const unnamed = [...usage.arguments]
  const seen = new Set<string>()
  for (let at = 0; at < words.length && words[at] !== "--"; at++) {
    const [name = "", ...rest] = words[at]!.split("=")
    if (!name.startsWith("-")) {
      const argument = unnamed.shift()
      if (argument !== undefined && argument.values.length > 0 && !argument.values.includes(words[at]!)) {
        return Option.some(expected(argument, words[at]!))
      }
      continue
    }
    const option = [...usage.options, ...silent].find((one) => one.name === name)
    if (option === undefined) return Option.some(unknownOption(usage.options, name))
    if (!option.hasValue) continue
    const value = rest.length > 0 ? rest.join("=") : words[++at]
    if (value === undefined) return Option.some(`${name} needs a value after it.`)
    if (seen.has(name) && !option.isRepeated) return Option.some(`${name} stands there twice.`)
    seen.add(name)
    if (option.values.length > 0 && !option.values.includes(value)) {
      return Option.some(expected(option, value))
    }
  }
  return Option.none()
}

/** The words of a command line that name the command, such as `keys create`, and what is wrong with them. */

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

/** A near word, or the groups that have this command, where the group was left out. */
const guess = (names: CommandNames, path: ReadonlyArray<string>, word: string): string => {
  const parent = ["corridor", ...path].join(" ")
  const inGroups = path.length === 0 ? under(names, []).filter((group) => under(names, [group]).includes(word)) : []
  const meant = Option.match(nearest(word, under(names, path)), {
    onNone: () => inGroups.map((group) => `${parent} ${group} ${word}`),
    onSome: (one) => [`${parent} ${one}`]
  })
  return meant.length === 0 ? "" : ` Did you mean "${meant.join('" or "')}"?`
}

/** A group alone shows its help. */
const wantsHelp = (args: ReadonlyArray<string>): boolean =>
  !args.some((arg) => arg.startsWith("-")) || args.includes("--help") || args.includes("-h")

/** `@effect/cli` names the wrong level for a word that it does not know, so the word is checked before it parses the line. */
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

/**
 * Completions for shells: each shell's script asks the program itself, by `corridor --complete` and the words so far, so
 * that what can follow is known in one place.
 */
type Shell = (typeof shells)[number]

export const COMPLETE = "--complete"

/** bash parts `--status=completed` into three words; where there is nothing to offer, it offers files. */
const bash = `_corridor() {
  local IFS=$'\\n' current=\${COMP_WORDS[COMP_CWORD]}
  [ "$current" = "=" ] && current=
  COMPREPLY=($(corridor ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null))
}
complete -o default -F _corridor corridor`

const zsh = `#compdef corridor
_corridor() {
  local -a found
  found=(\${(f)"$(corridor ${COMPLETE} "\${(@)words[2,CURRENT-1]}" "$words[CURRENT]" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
if [ "$funcstack[1]" = "_corridor" ]; then _corridor "$@"; else compdef _corridor corridor; fi`

const fish = `function __corridor_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  corridor ${COMPLETE} $words[2..-1] "$current" 2>/dev/null
end
complete -c corridor -f -a "(__corridor_complete)"
complete -c corridor -n "__fish_seen_subcommand_from backup restore" -F`

export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish }

export interface Commands {
  readonly names: CommandNames
  readonly usageAt: (path: ReadonlyArray<string>) => CommandUsage
}

const beginning = (words: ReadonlyArray<string>, current: string): ReadonlyArray<string> =>
  words.filter((word) => word.startsWith(current))

const valuesFor = (options: ReadonlyArray<Parameter>, current: string): ReadonlyArray<string> => {
  const [name, value] = current.split("=")
  const values = options.find((option) => option.name === name)?.values ?? []
  return beginning(values, value!).map((one) => `${name}=${one}`)
}

/** What the last of the words can become, the others standing before it. */
export const completions = (commands: Commands, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const current = words.at(-1) ?? ""
  const path: Array<string> = []
  const used = new Set<string>()
  let unnamed = 0
  let waiting: Parameter | undefined
  const optionsLeft = (start: string) =>
    beginning(
      known().map(({ name }) => name),
      start
    ).filter((name) => !used.has(name))
  const known = () => (path.length === 0 ? programOptions : commands.usageAt(path).options)
  for (const word of words.slice(0, -1).filter((one) => one !== "=")) {
    if (waiting !== undefined) waiting = undefined
    else if (word.startsWith("-")) {
      const [name] = word.split("=")
      const option = known().find((one) => one.name === name)
      if (option !== undefined && !option.isRepeated) used.add(option.name)
      if (option?.hasValue === true && !word.includes("=")) waiting = option
    } else if (unnamed === 0 && under(commands.names, path).includes(word)) path.push(word)
    else unnamed++
  }
  if (waiting !== undefined) return beginning(waiting.values, current)
  if (current.startsWith("-")) {
    if (current.includes("=")) return valuesFor(known(), current)
    return optionsLeft(current)
  }
  const below = under(commands.names, path)
  if (below.length > 0) return unnamed === 0 ? beginning(below, current) : []
  if (path.length === 0) return []
  const argument = commands.usageAt(path).arguments[unnamed]
  if (argument !== undefined) return beginning(argument.values, current)
  // Nothing but options can follow: a shell that is offered nothing offers files.
  return current === "" ? optionsLeft("") : []
}
