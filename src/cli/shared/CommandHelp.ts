/** The help texts of `@effect/cli`, put into a shape that fits a terminal: whole command paths, one line for a command. */
import { stripVTControlCharacters } from "node:util"
import type { Paint } from "./Terminal.ts"
import { type CliConfig, CommandDescriptor, HelpDoc, Span, Usage } from "@effect/cli"

/** What each command looks like when it is used: the end of its help text, and the beginning of docs/cli.md. */

const API =
  "By API too: --url URL with --api-key KEY or --token JWT (or CORRIDOR_URL and CORRIDOR_API_KEY or CORRIDOR_TOKEN)."
const API_ONLY =
  "By API: of the server at --url URL with --api-key KEY or --token JWT (or CORRIDOR_URL and CORRIDOR_API_KEY or CORRIDOR_TOKEN), or else of the sandbox whose DATA_DIR is here."
const DATABASE_ONLY = "Beside the database only: DATA_DIR or DATABASE_URL says which."

interface About {
  readonly reach: string
  readonly examples: readonly [string, ...ReadonlyArray<string>]
}

const api = (...examples: About["examples"]): About => ({ reach: API, examples })
const apiOnly = (...examples: About["examples"]): About => ({ reach: API_ONLY, examples })
const database = (...examples: About["examples"]): About => ({ reach: DATABASE_ONLY, examples })

/** By the words of the command. */
export const commandsAbout: Readonly<Record<string, About>> = {
  demo: database("corridor demo"),
  doctor: database("corridor doctor", "corridor doctor --live"),
  listen: apiOnly(
    "corridor listen --forward-to http://localhost:4000/webhooks",
    "corridor listen --forward-to localhost:4000/webhooks --events payment.completed,payment.failed"
  ),
  trigger: apiOnly("corridor trigger payment.completed", "corridor trigger payment.refunded --json"),
  "logs tail": apiOnly("corridor logs tail", "corridor logs tail --only audit --lines 50 --no-follow"),
  open: apiOnly("corridor open", "corridor open docs --url https://pay.example"),
  whoami: apiOnly("corridor whoami", "corridor whoami --url https://pay.example --token JWT"),
  migrate: database("corridor migrate"),
  "orgs create": api('corridor orgs create --name "Kilimo Ltd" --country KE --currency KES --email ops@kilimo.example'),
  "orgs list": api("corridor orgs list"),
  "orgs set": api("corridor orgs set ORG --feature escrow --review-threshold 50000"),
  "users create": database("corridor users create --email ada@kilimo.example --org ORG --role org-admin"),
  "users list": api("corridor users list --org ORG"),
  "users join": database("corridor users join --user ada@kilimo.example --org ORG --role staff"),
  "users role": database("corridor users role --user ada@kilimo.example --org ORG --role org-admin"),
  "users leave": database("corridor users leave --user ada@kilimo.example --org ORG"),
  "keys create": api('corridor keys create --org ORG --name "Checkout server" --role staff'),
  "keys list": api("corridor keys list --org ORG"),
  "keys rotate": api("corridor keys rotate KEY_ID --grace-seconds 3600"),
  "keys revoke": api("corridor keys revoke KEY_ID"),
  "tokens issue": database('corridor tokens issue --user ada@kilimo.example --ttl "90 minutes"'),
  "rates set": api("corridor rates set USD KES 129.35"),
  "rates list": database("corridor rates list"),
  "fees set": database(
    "corridor fees set --org ORG --method mobile_money --direction inbound --bps 150 --fixed 10 --currency KES"
  ),
  "fees list": database("corridor fees list --org ORG"),
  "ledger check": database("corridor ledger check"),
  "ledger balances": database("corridor ledger balances", "corridor ledger balances --org ORG"),
  "ledger limit": database("corridor ledger limit --org ORG --currency KES --amount 50000"),
  queue: api("corridor queue", "corridor queue --org ORG --json"),
  "payments list": api("corridor payments list --status pending", "corridor payments list --reference order-1042"),
  "payments show": api("corridor payments show order-1042"),
  "payments resolve": api(
    'corridor payments resolve PAYMENT_ID --as completed --reason "Seen on the statement of 3 March"',
    "corridor payments resolve PAYMENT_ID"
  ),
  "payments refund": api(
    'corridor payments refund PAYMENT_ID --reason "Paid twice by mistake"',
    'corridor payments refund PAYMENT_ID --amount 500.00 --reason "One cup was broken" --url URL --token JWT'
  ),
  "accounts list": api("corridor accounts list --org ORG"),
  "accounts freeze": api('corridor accounts freeze ACCOUNT_ID --reason "Suspicious activity"'),
  "accounts unfreeze": api("corridor accounts unfreeze ACCOUNT_ID"),
  "providers list": api("corridor providers list"),
  "providers add": api(
    "corridor providers add pawapay --country KE --method mobile_money --direction inbound --priority 10"
  ),
  "providers enable": api("corridor providers enable stripe"),
  "providers disable": api("corridor providers disable stripe"),
  "providers credentials set": database(
    "corridor providers credentials set CONFIG_ID --field secret_key=@STRIPE_KEY",
    "corridor providers credentials set CONFIG_ID --stdin < credentials.json"
  ),
  "providers test": database("corridor providers test", "corridor providers test stripe"),
  "webhooks list": api("corridor webhooks list"),
  "webhooks create": api("corridor webhooks create https://shop.example/webhooks --events payment.*,kyb.approved"),
  "dlq list": api("corridor dlq list"),
  "dlq show": api("corridor dlq show DELIVERY_ID"),
  "dlq replay": api("corridor dlq replay --all", "corridor dlq replay --webhook WEBHOOK_ID --since 2026-03-01"),
  "notifications list": database("corridor notifications list"),
  "notifications show": database("corridor notifications show NOTIFICATION_ID"),
  "secrets rotate": database('CORRIDOR_NEW_MASTER_KEY="$(openssl rand -hex 32)" corridor secrets rotate'),
  backup: database("corridor backup corridor.backup", "corridor backup corridor.backup --by copy --json"),
  restore: database("corridor restore corridor.backup"),
  "sandbox reset": database("corridor sandbox reset --yes")
}

const ofProgram = [
  "corridor doctor",
  "corridor listen --forward-to http://localhost:4000/webhooks",
  "corridor payments list --url https://pay.example --token JWT",
  "corridor help keys create"
]

/** Of a group: those of its commands, one each. */
export const examplesOf = (path: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (path.length === 0) return ofProgram
  const words = path.join(" ")
  return (
    commandsAbout[words]?.examples ??
    Object.entries(commandsAbout).flatMap(([name, { examples }]) => (name.startsWith(`${words} `) ? [examples[0]] : []))
  )
}

export const reachOf = (path: ReadonlyArray<string>): string | undefined => commandsAbout[path.join(" ")]?.reach

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

/** The help documents of `@effect/cli` as plain text. Its own printer takes longer for it than a command for its start. */
const words = (span: Span.Span): string => {
  switch (span._tag) {
    case "Text":
    case "URI":
      return span.value
    case "Highlight":
    case "Strong":
    case "Weak":
      return words(span.value)
    case "Sequence":
      return `${words(span.left)}${words(span.right)}`
  }
}

const indented = (text: string): string => text.replace(/^(?=[^\n])/gm, "  ")

export const plainText = (doc: HelpDoc.HelpDoc): string => {
  switch (doc._tag) {
    case "Empty":
      return ""
    case "Header":
    case "Paragraph":
      return `${words(doc.value)}\n`
    case "DescriptionList":
      return doc.definitions.map(([term, about]) => `${words(term)}\n\n${indented(plainText(about))}`).join("\n")
    case "Enumeration":
      return indented(doc.elements.map((element) => `- ${plainText(element)}`).join("\n"))
    case "Sequence":
      return `${plainText(doc.left)}\n${plainText(doc.right)}`
  }
}

/** What `--help` says about a command. */
export const helpDocument = (
  command: CommandDescriptor.Command<unknown>,
  config: CliConfig.CliConfig,
  version: string
): string => {
  const usage = Usage.enumerate(CommandDescriptor.getUsage(command), config).map((span) =>
    HelpDoc.p(Span.concat(Span.text("$ "), span))
  )
  return plainText(
    HelpDoc.blocks([
      HelpDoc.h1("corridor"),
      HelpDoc.p(`corridor ${version}`),
      HelpDoc.h1("USAGE"),
      ...usage,
      CommandDescriptor.getHelp(command, config)
    ])
  )
}
