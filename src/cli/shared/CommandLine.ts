/** Finds the command that a line names, and completes a line for a shell. */
import { Option } from "effect"
import { choice, type Command, flag, isArgument, type Parameter, targetOptions } from "./Command.ts"
import { nearest } from "./CommandParser.ts"

export interface Commands {
  readonly all: ReadonlyArray<Command>
  /** Descriptions by path; the empty path is the program. */
  readonly groups: Readonly<Record<string, string>>
}

/** The words that can follow a path, such as `create` and `list` after `keys`. */
export const namesUnder = ({ all }: Commands, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  const below = all
    .map((command) => command.path.split(" "))
    .filter((words) => words.length > path.length && path.every((word, at) => words[at] === word))
  const names = Array.from(new Set(below.map((words) => words[path.length]!)))
  return path.length === 0 ? names : names.sort()
}

/** The words before the first option. */
const leadingWords = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.findIndex((arg) => arg.startsWith("-"))
  return end === -1 ? args : args.slice(0, end)
}

/** `corridor help keys create` is another way to write `corridor keys create --help`. */
export const asHelp = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args[0] === "help" ? [...args.slice(1).filter((word) => word !== "--help"), "--help"] : args

/** The command that is named, without the program's name and the command's arguments. */
export const commandPath = (commands: Commands, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const path: Array<string> = []
  for (const word of leadingWords(args)) {
    if (!namesUnder(commands, path).includes(word)) break
    path.push(word)
  }
  return path
}

/** A near word, or the groups that have this command, where the group was left out. */
const guess = (commands: Commands, path: ReadonlyArray<string>, word: string): string => {
  const parent = ["corridor", ...path].join(" ")
  const inGroups =
    path.length === 0 ? namesUnder(commands, []).filter((group) => namesUnder(commands, [group]).includes(word)) : []
  const meant = Option.match(nearest(word, namesUnder(commands, path)), {
    onNone: () => inGroups.map((group) => `${parent} ${group} ${word}`),
    onSome: (one) => [`${parent} ${one}`]
  })
  return meant.length === 0 ? "" : ` Did you mean "${meant.join('" or "')}"?`
}

export const wantsHelp = (args: ReadonlyArray<string>): boolean => args.includes("--help") || args.includes("-h")

export const unknownCommand = (commands: Commands, args: ReadonlyArray<string>): Option.Option<string> => {
  const path = commandPath(commands, args)
  const word = leadingWords(args)[path.length]
  const names = namesUnder(commands, path)
  const parent = ["corridor", ...path].join(" ")
  if (names.length === 0) return Option.none()
  if (word !== undefined) {
    return Option.some(
      `"${parent} ${word}" is not a command; "${parent}" has: ${names.join(", ")}.${guess(commands, path, word)}`
    )
  }
  return path.length === 0 || args.length === path.length || wantsHelp(args)
    ? Option.none()
    : Option.some(`"${parent}" needs one of its commands after it: ${names.join(", ")}.`)
}

const COMPLETE = "--complete"

/** Each shell's script asks the program itself, by `corridor --complete` and the words so far. */
export const completionScripts = {
  // bash parts `--status=completed` into three words; where there is nothing to offer, it offers files.
  bash: `_corridor() {
  local IFS=$'\\n' current=\${COMP_WORDS[COMP_CWORD]}
  [ "$current" = "=" ] && current=
  COMPREPLY=($(corridor ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null))
}
complete -o default -F _corridor corridor`,
  zsh: `#compdef corridor
_corridor() {
  local -a found
  found=(\${(f)"$(corridor ${COMPLETE} "\${(@)words[2,CURRENT-1]}" "$words[CURRENT]" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
if [ "$funcstack[1]" = "_corridor" ]; then _corridor "$@"; else compdef _corridor corridor; fi`,
  fish: `function __corridor_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  corridor ${COMPLETE} $words[2..-1] "$current" 2>/dev/null
end
complete -c corridor -f -a "(__corridor_complete)"
complete -c corridor -n "__fish_seen_subcommand_from backup restore" -F`
} as const

/** Options before any command. */
const ownOptions = [flag("version", ""), choice("completions", Object.keys(completionScripts), "")]

export const programOptions: ReadonlyArray<string> = [...ownOptions, ...targetOptions].map(({ name }) => name)

/** The words to complete, where a shell's script asks. */
export const wordsToComplete = (words: ReadonlyArray<string>): Option.Option<ReadonlyArray<string>> =>
  words[0] === COMPLETE ? Option.some(words.slice(1)) : Option.none()

const beginning = (words: ReadonlyArray<string>, current: string): ReadonlyArray<string> =>
  words.filter((word) => word.startsWith(current))

/** Completions of the last word after the words before it. */
export const completions = (commands: Commands, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const current = words.at(-1) ?? ""
  const path: Array<string> = []
  const used = new Set<Parameter>()
  let unnamed = 0
  let waiting: Parameter | undefined
  const taken = (): ReadonlyArray<Parameter> =>
    Object.values(commands.all.find((command) => command.path === path.join(" "))?.parameters ?? {})
  const options = () =>
    path.length === 0
      ? [...targetOptions, ...ownOptions]
      : [...taken().filter((one) => !isArgument(one)), ...targetOptions]
  const optionsLeft = (start: string) =>
    beginning(
      options().flatMap((one) => (used.has(one) ? [] : [one.name])),
      start
    )
  for (const word of words.slice(0, -1).filter((one) => one !== "=")) {
    if (waiting !== undefined) waiting = undefined
    else if (word.startsWith("-")) {
      const [name] = word.split("=")
      const option = options().find((one) => one.name === name)
      if (option !== undefined && option.kind !== "repeated") used.add(option)
      if (option !== undefined && option.kind !== "flag" && !word.includes("=")) waiting = option
    } else if (unnamed === 0 && namesUnder(commands, path).includes(word)) path.push(word)
    else unnamed++
  }
  if (waiting !== undefined) return beginning(waiting.values, current)
  if (current.startsWith("-")) {
    const [name, value] = current.split("=")
    if (value === undefined) return optionsLeft(current)
    const values = options().find((option) => option.name === name)?.values ?? []
    return beginning(values, value).map((one) => `${name}=${one}`)
  }
  const below = namesUnder(commands, path)
  if (below.length > 0) return unnamed === 0 ? beginning(below, current) : []
  const argument = taken().filter(isArgument)[unnamed]
  if (argument !== undefined) return beginning(argument.values, current)
  // Offers options where nothing else can follow: without an offer a shell lists files.
  return current === "" ? optionsLeft("") : []
}
