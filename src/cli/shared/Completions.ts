/**
 * Completions for shells: each shell's script asks the program itself, by `corridor --complete` and the words so far, so
 * that what can follow is known in one place.
 */
import { type CommandNames, under } from "./CommandWords.ts"
import { type CommandUsage, programOptions, type shells, type Taken } from "./CommandUsage.ts"

type Shell = (typeof shells)[number]

export const ASKED = "--complete"

/** bash parts `--status=completed` into three words; where there is nothing to offer, it offers files. */
const bash = `_corridor() {
  local IFS=$'\\n' current=\${COMP_WORDS[COMP_CWORD]}
  [ "$current" = "=" ] && current=
  COMPREPLY=($(corridor ${ASKED} "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null))
}
complete -o default -F _corridor corridor`

const zsh = `#compdef corridor
_corridor() {
  local -a found
  found=(\${(f)"$(corridor ${ASKED} "\${(@)words[2,CURRENT-1]}" "$words[CURRENT]" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
if [ "$funcstack[1]" = "_corridor" ]; then _corridor "$@"; else compdef _corridor corridor; fi`

const fish = `function __corridor_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  corridor ${ASKED} $words[2..-1] "$current" 2>/dev/null
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

const valuesFor = (options: ReadonlyArray<Taken>, current: string): ReadonlyArray<string> => {
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
  let waiting: Taken | undefined
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
