/** Reads the words after a command with @effect/cli: its options and arguments are built from the table of commands. */
import { Args, CliConfig, Command, CommandDescriptor, HelpDoc, Options, type ValidationError } from "@effect/cli"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Either, Option } from "effect"
import { stripVTControlCharacters } from "node:util"
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

type Given = ReadonlyArray<string>

const orNone = Option.match({ onNone: (): Given => [], onSome: (value: string): Given => [value] })

const optionOf = ({ kind, name }: Parameter): Options.Options<Given> => {
  const plain = name.slice("--".length)
  if (kind === "flag") return Options.map(Options.boolean(plain), (isSet) => (isSet ? ["true"] : []))
  if (kind === "repeated") return Options.repeated(Options.text(plain))
  return kind === "optional"
    ? Options.map(Options.optional(Options.text(plain)), orNone)
    : Options.map(Options.text(plain), (value) => [value])
}

const argumentOf = ({ kind, name }: Parameter): Args.Args<Given> =>
  kind === "optional"
    ? Args.map(Args.optional(Args.text({ name })), orNone)
    : Args.map(Args.text({ name }), (value) => [value])

const config = CliConfig.make({ isCaseSensitive: true, showBuiltIns: false })

const explain = ({ error }: ValidationError.ValidationError): string =>
  `${stripVTControlCharacters(HelpDoc.toAnsiText(error))
    .trim()
    .replace(/\.?\s*\n\s*/g, "; ")
    .replace(/\s+/g, " ")
    .replace(/\.$/, "")}.`.replace(
    /^(?:Expected to find option: '(--[\w-]+)'|Missing argument <(\w+)>).*$/,
    "$1$2 is missing."
  )

const booleans = ["true", "false"]

/**
 * The words as @effect/cli reads them alike wherever they stand: `--name=value` in two words, a word after an option as its
 * value whatever it looks like, and flags last, where no word after them can be taken for their value.
 */
const separated = (options: ReadonlyArray<Parameter>, words: Given): Either.Either<Given, string> => {
  const end = words.includes("--") ? words.indexOf("--") : words.length
  const named: Array<string> = []
  const flags: Array<string> = []
  for (let at = 0; at < end; at++) {
    const word = words[at]!
    const [name = "", ...rest] = word.startsWith("--") ? word.split("=") : []
    const value = rest.length === 0 ? undefined : rest.join("=")
    const option = options.find((one) => one.name === name)
    if (value === "") return Either.left(`${name} needs a value after it.`)
    if (option === undefined) named.push(word)
    else if (option.kind !== "flag") named.push(name, ...(value === undefined ? words.slice(++at, at + 1) : [value]))
    else if (value !== undefined && !booleans.includes(value)) return Either.left(badValue(name, booleans, value))
    else if (value !== "false") flags.push(name)
  }
  return Either.right([...named, ...flags, ...words.slice(end)])
}

/** Explains the words that no option or argument took. */
const explainLeftover = (names: ReadonlyArray<string>, words: Given, [left = ""]: Given): string => {
  if (!left.startsWith("-")) return `${shown(left)} is one word too many.`
  if (!names.includes(left)) return badOption(names, left)
  return words.filter((word) => word === left).length > 1
    ? `${left} stands there twice.`
    : `${left} needs a value after it.`
}

/** Fails with what is wrong with the words. */
export const parseInput = (
  parameters: Parameters,
  given: Given
): Effect.Effect<Readonly<Record<string, unknown>>, string> =>
  Effect.gen(function* () {
    const options = Object.values(parameters).filter((one) => !isArgument(one))
    const words = yield* separated(options, given)
    const taken = Object.entries(parameters).map(
      ([key, one]) => [key, isArgument(one) ? argumentOf(one) : optionOf(one)] as const
    )
    const { descriptor } = Command.make("corridor", Object.fromEntries(taken))
    const parsed = yield* Effect.mapError(CommandDescriptor.parse(descriptor, ["corridor", ...words], config), explain)
    const names = [...options, ...targetOptions].map(({ name }) => name)
    // Options of @effect/cli's own, such as --wizard, are none of ours.
    const left =
      parsed._tag === "UserDefined"
        ? parsed.leftover
        : words.filter((word) => word.startsWith("-") && !names.includes(word))
    if (parsed._tag !== "UserDefined" || left.length > 0) return yield* Effect.fail(explainLeftover(names, words, left))
    const values = parsed.value as unknown as Readonly<Record<string, Given>>
    const wrong = Object.entries(parameters)
      .flatMap(([key, one]) =>
        one.values.length === 0
          ? []
          : (values[key] ?? []).filter((text) => !one.values.includes(text)).map((text) => ({ one, text }))
      )
      .sort((a, b) => words.indexOf(a.one.name) - words.indexOf(b.one.name))
    if (wrong[0] !== undefined)
      return yield* Effect.fail(badValue(wrong[0].one.name, wrong[0].one.values, wrong[0].text))
    return Object.fromEntries(Object.entries(parameters).map(([key, one]) => [key, one.decode(values[key] ?? [])]))
  }).pipe(Effect.provide(NodeContext.layer))
