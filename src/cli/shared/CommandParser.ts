/** Reads the words after a command: sorts them into options and arguments, which @effect/cli counts and takes apart. */
import { Args, CliConfig, HelpDoc, Options, type ValidationError } from "@effect/cli"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Array as Arr, Effect, Either, Option } from "effect"
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
    : Options.map(Options.text(plain), Arr.of)
}

const argumentOf = ({ kind, name }: Parameter): Args.Args<Given> =>
  kind === "optional" ? Args.map(Args.optional(Args.text({ name })), orNone) : Args.map(Args.text({ name }), Arr.of)

/** Without the guesses of @effect/cli: unknown options are refused before. */
const config = CliConfig.make({ isCaseSensitive: true, autoCorrectLimit: 0 })

const missing = ({ error }: ValidationError.ValidationError): string => {
  const [, option, argument] = /(--[\w-]+)|<(\w+)>/.exec(HelpDoc.toAnsiText(error)) ?? []
  return `${option ?? argument} is missing.`
}

const booleans = ["true", "false"]

const checkValue = ({ name, values }: Pick<Parameter, "name" | "values">, text: string): Either.Either<void, string> =>
  values.length === 0 || values.includes(text) ? Either.void : Either.left(badValue(name, values, text))

/**
 * Options as pairs of name and value, which @effect/cli reads alike wherever they stand, and arguments. The word after an
 * option is its value, even one with dashes.
 */
const sorted = (options: ReadonlyArray<Parameter>, words: Given) =>
  Either.gen(function* () {
    const names = [...options, ...targetOptions].map(({ name }) => name)
    const end = words.includes("--") ? words.indexOf("--") : words.length
    const [sortable, behind] = [words.slice(0, end), words.slice(end + 1)]
    const pairs: Array<string> = []
    const unnamed: Array<string> = []
    for (let at = 0; at < sortable.length; at++) {
      const [name = "", ...rest] = sortable[at]!.split("=")
      const option = options.find((one) => one.name === name)
      if (!name.startsWith("--")) {
        unnamed.push(sortable[at]!)
        continue
      }
      if (option === undefined) return yield* Either.left(badOption(names, name))
      const attached = rest.length === 0 ? undefined : rest.join("=")
      const isFlag = option.kind === "flag"
      const value = attached ?? (isFlag ? "true" : sortable[++at])
      if (value === undefined || attached === "") return yield* Either.left(`${name} needs a value after it.`)
      yield* checkValue(isFlag ? { name, values: booleans } : option, value)
      pairs.push(name, value)
    }
    return { names, pairs, unnamed: [...unnamed, ...behind] }
  })

/** Fails with what is wrong with the words. */
export const parseInput = (
  parameters: Parameters,
  given: Given
): Effect.Effect<Readonly<Record<string, unknown>>, string> =>
  Effect.gen(function* () {
    const [options, unnamed] = Arr.partition(Object.entries(parameters), ([, one]) => isArgument(one))
    const words = yield* sorted(
      Arr.map(options, ([, one]) => one),
      given
    )
    const [, [twice], ofOptions] = yield* Effect.mapError(
      Options.processCommandLine(Options.all(options.map(([, one]) => optionOf(one))), words.pairs, config),
      missing
    )
    if (twice !== undefined) return yield* Effect.fail(`${twice} stands there twice.`)
    const [[left], ofArguments] = yield* Effect.mapError(
      Args.validate(Args.all(unnamed.map(([, one]) => argumentOf(one))), words.unnamed, config),
      missing
    )
    if (left !== undefined) {
      return yield* Effect.fail(
        left.startsWith("-") ? badOption(words.names, left) : `${shown(left)} is one word too many.`
      )
    }
    // @effect/cli reads no arguments at all as undefined.
    const taken = Arr.zip(unnamed, ofArguments ?? [])
    for (const [[, one], texts] of taken) yield* Effect.forEach(texts, (text) => checkValue(one, text))
    const all = [...Arr.zip(options, ofOptions), ...taken]
    return Object.fromEntries(all.map(([[key, one], texts]) => [key, one.decode(texts)]))
  }).pipe(Effect.provide(NodeContext.layer))
