/** The help documents of `@effect/cli` as plain text. Its own printer takes longer for it than a command for its start. */
import { type CliConfig, CommandDescriptor, HelpDoc, Span, Usage } from "@effect/cli"

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
