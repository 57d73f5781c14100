/** What a command takes, read from its usage: its options, its arguments, and the values of those that have a fixed set. */
import { CommandDescriptor, type Usage } from "@effect/cli"
import { Option } from "effect"
import { didYouMean } from "./Nearest.ts"

export interface Taken {
  /** Such as `--status`, or `<PROVIDER>` of an argument. */
  readonly name: string
  readonly hasValue: boolean
  readonly isRepeated: boolean
  /** The only ones there are; none where it is any text. */
  readonly values: ReadonlyArray<string>
}

export interface CommandUsage {
  readonly options: ReadonlyArray<Taken>
  readonly arguments: ReadonlyArray<Taken>
}

/** A placeholder, which stands for any text, is in capitals. */
const valuesIn = (accepted: string): ReadonlyArray<string> => (/[a-z]/.test(accepted) ? accepted.split(" | ") : [])

const takenBy = (usage: Usage.Usage, isRepeated: boolean): ReadonlyArray<Taken> => {
  switch (usage._tag) {
    case "Named":
      return usage.names.map((name) => ({
        name,
        hasValue: Option.isSome(usage.acceptedValues),
        isRepeated,
        values: Option.match(usage.acceptedValues, { onNone: () => [], onSome: valuesIn })
      }))
    case "Optional":
      return takenBy(usage.usage, isRepeated)
    case "Repeated":
      return takenBy(usage.usage, true)
    case "Concat":
    case "Alternation":
      return [...takenBy(usage.left, isRepeated), ...takenBy(usage.right, isRepeated)]
    default:
      return []
  }
}

/** They belong to no command: whom to talk to, and what the program as a whole can be asked. */
const flag = (name: string): Taken => ({ name, hasValue: false, isRepeated: false, values: [] })
const valued = (name: string, values: ReadonlyArray<string>): Taken => ({ ...flag(name), hasValue: true, values })

export const shells = ["bash", "zsh", "fish"] as const

const everywhere: ReadonlyArray<Taken> = [
  valued("--url", []),
  valued("--api-key", []),
  valued("--token", []),
  flag("--help")
]

/** Before any command. */
export const programOptions: ReadonlyArray<Taken> = [...everywhere, flag("--version"), valued("--completions", shells)]

/** The library's own, which nobody is told about. */
const silent: ReadonlyArray<Taken> = [flag("-h"), flag("--wizard"), valued("--log-level", [])]

export const usageOf = (command: CommandDescriptor.Command<unknown>): CommandUsage => {
  const taken = takenBy(CommandDescriptor.getUsage(command), false)
  return {
    options: [...taken.filter(({ name }) => name.startsWith("-")), ...everywhere],
    arguments: taken.filter(({ name }) => name.startsWith("<"))
  }
}

const expected = ({ name, values }: Taken, given: string): string =>
  `${name.replace(/[<>]/g, "")}: expected one of ${values.join(", ")}; ${given === "" ? "an empty text" : given} is none of them.${didYouMean(given, values)}`

const unknownOption = (options: ReadonlyArray<Taken>, given: string): string => {
  const names = options.map(({ name }) => name)
  return `${given} is not an option here; there are: ${names.join(", ")}.${didYouMean(given, names)}`
}

/**
 * `words` are those after the command. The library says neither which option it speaks of nor what may have been meant,
 * so what can be told from the words alone is looked for beforehand.
 */
export const wrongWord = (usage: CommandUsage, words: ReadonlyArray<string>): Option.Option<string> => {
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
