/** Help texts of the program, of groups of commands and of commands. */
import { type Command, isArgument, type Parameter, type Reach } from "./Command.ts"
import type { Commands } from "./CommandLine.ts"
import type { Paint } from "./Terminal.ts"

const reaches: Readonly<Record<Reach, string>> = {
  either:
    "By API too: --url URL with --api-key KEY or --token JWT (or CORRIDOR_URL and CORRIDOR_API_KEY or CORRIDOR_TOKEN).",
  api: "By API: of the server at --url URL with --api-key KEY or --token JWT (or CORRIDOR_URL and CORRIDOR_API_KEY or CORRIDOR_TOKEN), or else of the sandbox whose DATA_DIR is here.",
  database: "Beside the database only: DATA_DIR or DATABASE_URL says which."
}

/** More values than this go into the text below the option. */
const IN_A_LINE = 4

const headingOf = (parameter: Parameter): string => {
  const { kind, name, placeholder, values } = parameter
  if (isArgument(parameter)) return `<${name}>`
  if (kind === "flag") return name
  return `${name} ${values.length > 0 && values.length <= IN_A_LINE ? values.join("|") : placeholder}`
}

const usageOf = (parameter: Parameter): string => {
  const heading = headingOf(parameter)
  if (parameter.kind === "required") return heading
  return parameter.kind === "repeated" ? `[${heading}]...` : `[${heading}]`
}

const described = (parameter: Parameter): string => {
  const { about, kind, values } = parameter
  const isListed = values.length > IN_A_LINE || (values.length > 0 && isArgument(parameter))
  const choices = isListed ? ` One of ${values.join(", ")}.` : ""
  return `${headingOf(parameter)}\n  ${about}${choices}${kind === "repeated" ? " May be repeated." : ""}`
}

const section = (title: string, parts: ReadonlyArray<string>, between: string): ReadonlyArray<string> =>
  parts.length === 0 ? [] : [`${title}\n${parts.join(between)}`]

const examplesSection = (examples: ReadonlyArray<string>) =>
  section(
    "EXAMPLES",
    examples.map((line) => `  $ ${line}`),
    "\n"
  )

const commandHelp = ({ about, examples, parameters, path, reach }: Command): ReadonlyArray<string> => {
  const all = Object.values(parameters)
  const options = all.filter((one) => !isArgument(one))
  const unnamed = all.filter(isArgument)
  return [
    `USAGE\n$ corridor ${[path, ...[...options, ...unnamed].map(usageOf)].join(" ")}`,
    `DESCRIPTION\n${about}`,
    ...section("ARGUMENTS", unnamed.map(described), "\n\n"),
    ...section("OPTIONS", options.map(described), "\n\n"),
    ...examplesSection(examples),
    reaches[reach]
  ]
}

const programExamples = [
  "corridor doctor",
  "corridor listen --forward-to http://localhost:4000/webhooks",
  "corridor payments list --url https://pay.example --token JWT",
  "corridor help keys create"
]

const groupHelp = ({ all, groups }: Commands, path: string): ReadonlyArray<string> => {
  const prefix = path === "" ? "" : `${path} `
  const commands = all.filter((command) => command.path.startsWith(prefix))
  const nameOf = (command: Command) => command.path.slice(prefix.length)
  const width = Math.max(...commands.map((command) => nameOf(command).length))
  return [
    `USAGE\n$ corridor ${prefix}COMMAND`,
    `DESCRIPTION\n${groups[path]}`,
    `COMMANDS\n${commands.map((command) => `  ${nameOf(command).padEnd(width)}  ${command.about}`).join("\n")}`,
    ...examplesSection(path === "" ? programExamples : commands.map(({ examples }) => examples[0])),
    "Add --help to a command to see its options."
  ]
}

/** `path` leads to a command or a group; empty: the program. */
export const helpText = (commands: Commands, path: string, version: string): string => {
  const command = commands.all.find((one) => one.path === path)
  const sections = command === undefined ? groupHelp(commands, path) : commandHelp(command)
  return [`corridor ${version}`, ...sections].join("\n\n")
}

/** On a terminal: headings stand out, and a line that is too long goes on below its own beginning. */
export const onTerminal = (text: string, columns: number, paint: Paint): string =>
  text
    .split("\n")
    .flatMap((line) => {
      if (line.length <= columns || line.startsWith("  $ ")) return [line]
      const [beginning = ""] = /^ *(?:[a-z]+(?: [a-z]+)* {2,})?/.exec(line) ?? []
      const hang = " ".repeat(Math.min(beginning.length, Math.floor(columns / 2)))
      const broken: Array<string> = []
      let rest = line
      while (rest.length > columns) {
        const cut = rest.lastIndexOf(" ", columns)
        if (cut <= hang.length) break
        broken.push(rest.slice(0, cut))
        rest = `${hang}${rest.slice(cut + 1)}`
      }
      return [...broken, rest]
    })
    .map((line) => (/^[A-Z]+$/.test(line) ? paint("bold", line) : line))
    .join("\n")
