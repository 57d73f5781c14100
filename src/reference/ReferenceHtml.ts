/** Markup of the reference page, and the Markdown of the contract's descriptions. */
import { Marked } from "marked"
import { type Content, escapeText, Html, html as template } from "../domain/Html.ts"

const compacted = new WeakMap<TemplateStringsArray, TemplateStringsArray>()

/** Drops the line breaks of a template: 30,000 text nodes less for the browser. */
const compact = (strings: TemplateStringsArray): TemplateStringsArray => {
  const lines = strings.map((part) => part.replace(/(?<=>|^)\s*\n\s*|\s*\n\s*(?=<|$)/g, ""))
  return Object.assign(lines, { raw: lines })
}

export const html = (strings: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html => {
  const parts = compacted.get(strings) ?? compact(strings)
  compacted.set(strings, parts)
  return template(parts, ...contents)
}

const marked = new Marked({ renderer: { html: ({ text }) => escapeText(text) } })

export const inlineMarkdown = (text: string): Html => Html.trusted(marked.parseInline(text, { async: false }))

export const markdown = (text: string): Html => {
  const blocks = marked
    .parse(text, { async: false })
    .replaceAll("<table>", '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll(/>\n(?=<|$)/g, ">")
    .replaceAll("<th></th>", "<td></td>")
    .replaceAll("<th>", '<th scope="col">')
  return html`<div class="markdown">${Html.trusted(blocks)}</div>`
}
