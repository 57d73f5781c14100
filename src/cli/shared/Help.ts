/** The help texts of `@effect/cli`, put into a shape that fits a terminal: whole command paths, one line for a command. */
import { stripVTControlCharacters } from "node:util"
import type { Paint } from "./Colour.ts"
import { examplesOf, reachOf } from "./Examples.ts"

/** What it says about the type of a value; our placeholders and descriptions say more. */
const TYPES = /^ {2}(?:A user-defined piece of text(?: that is confidential)?\.|A true or false value\.)\n\n/gm

/** The brackets in the usage line say it already. */
const OPTIONAL = /\n\n {2}This setting is optional\./g

/** Up to so many values say more than a placeholder would; of more, or of an argument, the text below it says which. */
const IN_A_LINE = 4

const CHOICES = /(--[a-z-]+|<[A-Z]+>) ([a-z_.-]+(?: \| [a-z_.-]+)+)/g

const LIST = /^((--|<).*)\n\n {2}One of the following: (.*)\n\n {2}(\S.*)$/gm

const withPlaceholders = (text: string): string =>
  text
    .replace(CHOICES, (_, name: string, choices: string) => {
      const values = choices.split(" | ")
      if (name.startsWith("<")) return name
      return `${name} ${values.length > IN_A_LINE ? name.slice(2).toUpperCase() : values.join("|")}`
    })
    .replace(LIST, (_, heading: string, kind: string, values: string, about: string) => {
      const told = kind === "--" && values.split(", ").length <= IN_A_LINE
      return `${heading}\n\n  ${about}${told ? "" : ` One of ${values}.`}`
    })

const LISTED = /^ {2}- (.+?) {2,}(\S.*)$/

/** A group within a group has the name of the outer one twice. */
const wordsOf = (usage: string): string => usage.split(/ (?=[-[<(])/)[0]!.replace(/^(\S+) (?=\1 )/, "")

/** A group is left out where its own commands are listed too. */
const commandList = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = lines.flatMap((line) => {
    const [, usage, description] = LISTED.exec(line) ?? []
    return usage === undefined || description === undefined ? [] : [[wordsOf(usage), description] as const]
  })
  const shown = all.filter(([words]) => !all.some(([other]) => other.startsWith(`${words} `)))
  const width = Math.max(...shown.map(([words]) => words.length))
  return shown.map(([words, description]) => `  ${words.padEnd(width)}  ${description}`)
}

const HEADING = "\nCOMMANDS\n"

/** Example lines, and whom the command can talk to. */
const endingOf = (path: ReadonlyArray<string>): string => {
  const examples = examplesOf(path)
  const shown = examples.length === 0 ? "" : `\n\nEXAMPLES\n${examples.map((line) => `  $ ${line}`).join("\n")}`
  const reach = reachOf(path)
  return `${shown}${reach === undefined ? "" : `\n\n${reach}`}`
}

/** `path` leads to the command whose help it is, without the program's name. */
export const readableHelp = (text: string, path: ReadonlyArray<string>): string => {
  const full = ["corridor", ...path].join(" ")
  const plain = withPlaceholders(stripVTControlCharacters(text))
    .replace(/^corridor\n\n(?=corridor )/, "")
    .replace(TYPES, "")
    .replace(OPTIONAL, "")
    .replace(/ (--[a-z-]+ [A-Za-z|_]+)\.\.\./g, " [$1]...")
    .replace(/^( *(?:--|<).*)\n\n(?= {2}\S)/gm, "$1\n")
    .replace(/^((?:USAGE|DESCRIPTION|ARGUMENTS|OPTIONS|COMMANDS)\n)\n/gm, "$1")
    .replace(`$ ${path.at(-1) ?? "corridor"}`, `$ ${full}`)
    .trim()
  const at = plain.indexOf(HEADING)
  if (at === -1) return `${plain}${endingOf(path)}`
  const list = commandList(plain.slice(at).split("\n")).join("\n")
  const opening = plain.slice(0, at).replace(`$ ${full}`, `$ ${full} COMMAND`)
  return `${opening}${HEADING}${list}${endingOf(path)}\n\nAdd --help to a command to see its options.`
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
