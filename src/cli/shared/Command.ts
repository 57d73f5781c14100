/** Declares commands with their options and arguments: parser, help and completions follow from it. */
import { Effect, Option, type Utils } from "effect"
import type { ApiClient } from "./ApiClient.ts"
import type { Target } from "./CommandTarget.ts"
import type { CommandResult } from "./Terminal.ts"

export interface Parameter<A = unknown> {
  /** Name as typed, such as `--status`; `PROVIDER` for an argument. */
  readonly name: string
  readonly about: string
  readonly kind: "flag" | "required" | "optional" | "repeated"
  /** Stands for the value of an option in the help. */
  readonly placeholder: string
  /** The only accepted values; none: any text. */
  readonly values: ReadonlyArray<string>
  readonly decode: (given: ReadonlyArray<string>) => A
}

const first = (given: ReadonlyArray<string>): string => given[0]!

const required = (name: string, placeholder: string, about: string): Parameter<string> => ({
  name,
  about,
  kind: "required",
  placeholder,
  values: [],
  decode: first
})

export const option = (name: string, placeholder: string, about: string) => required(`--${name}`, placeholder, about)

export const argument = (name: string, about: string) => required(name, name, about)

export const flag = (name: string, about: string): Parameter<boolean> => ({
  ...option(name, "", about),
  kind: "flag",
  decode: ([value]) => value === "true"
})

/** Restricts a parameter to a fixed set of values. */
export const oneOf = <const Value extends string>(
  values: ReadonlyArray<Value>,
  parameter: Parameter<string>
): Parameter<Value> => ({ ...parameter, values, decode: (given) => first(given) as Value })

export const choice = <const Value extends string>(name: string, values: ReadonlyArray<Value>, about: string) =>
  oneOf(values, option(name, name.toUpperCase(), about))

export const withDefault = <A>(value: A, parameter: Parameter<A>): Parameter<A> => ({
  ...parameter,
  kind: "optional",
  decode: (given) => (given.length === 0 ? value : parameter.decode(given))
})

export const maybe = <A>(parameter: Parameter<A>): Parameter<Option.Option<A>> =>
  withDefault(Option.none<A>(), { ...parameter, decode: (given) => Option.some(parameter.decode(given)) })

export const optional = (name: string, placeholder: string, about: string) => maybe(option(name, placeholder, about))

export const repeated = <A>(parameter: Parameter<A>): Parameter<ReadonlyArray<A>> => ({
  ...parameter,
  kind: "repeated",
  decode: (given) => given.map((one) => parameter.decode([one]))
})

/** `--events`, several times or with commas between the types. */
export const eventList = (about: string): Parameter<ReadonlyArray<string>> => ({
  ...repeated(option("events", "TYPES", about)),
  decode: (given) => given.flatMap((text) => text.split(",")).map((type) => type.trim())
})

/** `either`: over HTTP where a server is named, otherwise on the database. */
export type Reach = "api" | "database" | "either"

export type Parameters = Readonly<Record<string, Parameter>>

export type Input<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer A> ? A : never
} & { readonly json: boolean }

export interface Command {
  /** The words that lead to it, such as `keys create`. */
  readonly path: string
  readonly about: string
  readonly reach: Reach
  readonly examples: readonly [string, ...ReadonlyArray<string>]
  readonly parameters: Parameters
  /** Loads the code of the command only when it runs, so that help does not wait for it. */
  readonly run: Run<never>
}

type Run<Input> = (input: Input) => Promise<Effect.Effect<unknown, unknown, Target>>

const json = flag("json", "Write one JSON document to standard output, and nothing else.")

const commandOf =
  (reach: Reach) =>
  <P extends Parameters>(
    path: string,
    about: string,
    {
      examples,
      run,
      takes
    }: {
      readonly examples: Command["examples"]
      readonly takes: P
      readonly run: Run<Input<P>>
    }
  ): Command => ({ path, about, reach, examples, parameters: { ...takes, json }, run })

/** Commands that find their server or database themselves. */
export const apiCommand = commandOf("api")
export const databaseCommand = commandOf("database")

/** Sets of the server's handlers that run in this process, each with the part of the service that it needs. */
export type HandlerSet = "payments" | "providers" | "records" | "reserves" | "settlements" | "whole"

type Steps = Generator<Utils.YieldWrap<Effect.Effect<unknown, unknown, ApiClient | Target>>, CommandResult, never>

/**
 * A command by calls of the API: over HTTP where a server is named, otherwise by handlers in this process. `server`: over
 * HTTP only.
 */
export const commandOn =
  (handlers: HandlerSet | "server") =>
  <P extends Parameters, Checked = undefined>(
    path: string,
    about: string,
    {
      check,
      run,
      ...rest
    }: {
      readonly examples: Command["examples"]
      readonly takes: P
      /** Checks and decodes the input before the database is opened or the server is called. */
      readonly check?: (input: Input<P>) => Effect.Effect<Checked, unknown, Target>
      readonly run: (input: Input<P>, checked: Checked) => Steps
    }
  ): Command =>
    commandOf(handlers === "server" ? "api" : "either")(path, about, {
      ...rest,
      run: async (input) => {
        const { runOn } = await import("../client/RunCommand.ts")
        const checked = check === undefined ? Effect.succeed(undefined as Checked) : check(input)
        return Effect.flatMap(checked, (known) =>
          runOn(
            handlers,
            input.json,
            Effect.gen(() => run(input, known))
          )
        )
      }
    })

export const isArgument = ({ name }: Parameter): boolean => !name.startsWith("-")

/** Options of every command: the server to call. They are taken out of the line before it is parsed. */
export const targetOptions = [
  option("url", "", ""),
  option("api-key", "", ""),
  option("token", "", ""),
  flag("help", "")
]
