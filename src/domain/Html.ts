/** Markup of the API reference and the hosted pages: a tagged template in which every interpolated value is text unless it is `Html` itself. */
export class Html {
  readonly markup: string
  private constructor(markup: string) {
    this.markup = markup
  }
  /** Only the `html` template and the hosted pages' style sheet, whose text is ours, come through here. */
  static trusted(markup: string): Html {
    return new Html(markup)
  }
}

export type Content = Html | string | number | false | undefined | ReadonlyArray<Content>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

const markupOf = (content: Content): string => {
  if (content === undefined || content === false) return ""
  if (content instanceof Html) return content.markup
  if (typeof content === "string") return escapeText(content)
  if (typeof content === "number") return String(content)
  return content.map(markupOf).join("")
}

const compacted = new WeakMap<TemplateStringsArray, ReadonlyArray<string>>()

/** The indentation of our own templates is for their reader, not for the wire. */
const compact = (strings: TemplateStringsArray): ReadonlyArray<string> => {
  const known = compacted.get(strings)
  if (known !== undefined) return known
  const parts = strings.map((part) => part.replace(/\n\s*/g, "\n"))
  compacted.set(strings, parts)
  return parts
}

export const html = (strings: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html =>
  Html.trusted(compact(strings).reduce((markup, part, index) => markup + markupOf(contents[index - 1]) + part))
