/** Markup of the reference page, and the Markdown subset that the contract's descriptions are written in. */
import { type Content, type Html, html as template } from "../domain/Html.ts"

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

const pieces = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(((?:https?:\/\/|#|\.{0,2}\/)[^)\s]*)\)/g

export const inlineMarkdown = (text: string): Content => {
  const parts: Array<Content> = []
  let at = 0
  for (const found of text.matchAll(pieces)) {
    const [whole, code, strong, label, href] = found
    parts.push(text.slice(at, found.index))
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(html`<strong>${strong}</strong>`)
    else parts.push(html`<a href="${href}">${label}</a>`)
    at = found.index + whole.length
  }
  return [...parts, text.slice(at)]
}

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/^\||\|\s*$/g, "")
    .split("|")
    .map((cell) => cell.trim())

const headCell = (cell: string): Html =>
  cell === "" ? html`<td></td>` : html`<th scope="col">${inlineMarkdown(cell)}</th>`

const table = ([head = "", , ...rows]: ReadonlyArray<string>): Html =>
  html`<div class="wide" tabindex="0" role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${cellsOf(head).map(headCell)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${cellsOf(row).map((cell) => html`<td>${inlineMarkdown(cell)}</td>`)}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

const block = (text: string): Html => {
  const lines = text.split("\n")
  if (lines.length > 2 && lines[0]!.startsWith("|")) return table(lines)
  if (lines.every((line) => /^([-*] |\s)/.test(line))) {
    const items = text.replace(/^[-*] /, "").split(/\n[-*] /)
    return html`<ul>
      ${items.map((item) => html`<li>${inlineMarkdown(item)}</li>`)}
    </ul>`
  }
  const list = lines.findIndex((line) => /^[-*] /.test(line))
  if (list < 1) return html`<p>${inlineMarkdown(text)}</p>`
  return html`<p>${inlineMarkdown(lines.slice(0, list).join("\n"))}</p>
    ${block(lines.slice(list).join("\n"))}`
}

export const markdown = (text: string): Html => {
  const blocks = text.split(/\n{2,}/).map((one) => one.trim())
  return html`<div class="markdown">${blocks.filter((one) => one !== "").map(block)}</div>`
}
