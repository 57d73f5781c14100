/** Block part of the small Markdown that descriptions use: paragraphs, headings, lists, fenced code and simple tables. */
import { codeBlock } from "./CodeBlock.ts"
import { heading } from "./Heading.ts"
import { type Html, html } from "./Html.ts"
import { renderInline } from "./MarkdownInline.ts"

export interface MarkdownOptions {
  /** Level of the description's topmost heading; deeper ones follow without a gap. */
  readonly topHeading: number
  readonly anchorOf?: (title: string) => string | undefined
}

const fence = /^\s*(`{3,})/
const headingLine = /^(#{1,6})\s+(.+?)\s*#*$/
const listItem = /^(\s*)(?:[-*+]|\d+[.)])\s+(.*)$/
const tableRule = /^\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?$/
const access = /^Who may call it:\s*/

export const headingsOf = (text: string): ReadonlyArray<{ readonly depth: number; readonly title: string }> => {
  let open: string | undefined
  return text.split("\n").flatMap((line) => {
    const mark = fence.exec(line)?.[1]
    if (mark !== undefined && (open === undefined || line.trim() === open)) open = open === undefined ? mark : undefined
    const [, hashes, title] = open === undefined ? (headingLine.exec(line) ?? []) : []
    return hashes === undefined || title === undefined ? [] : [{ depth: hashes.length, title }]
  })
}

const cellsOf = (row: string): ReadonlyArray<string> =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))

const table = (rows: ReadonlyArray<string>): Html => {
  const [head = "", , ...body] = rows
  const columns = cellsOf(head)
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${columns.map((cell) => (cell === "" ? html`<td></td>` : html`<th scope="col">${renderInline(cell)}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${body.map(
          (row) =>
            html`<tr>
              ${cellsOf(row).map((cell) => html`<td>${renderInline(cell)}</td>`)}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`
}

const paragraph = (text: string): Html =>
  access.test(text)
    ? html`<p class="access"><strong>Who may call it</strong> ${renderInline(text.replace(access, ""))}</p>`
    : html`<p>${renderInline(text)}</p>`

/** The index after the last line, from `start` on, for which the predicate holds without a gap. */
const runEnd = (
  lines: ReadonlyArray<string>,
  start: number,
  holds: (line: string, index: number) => boolean
): number => {
  let index = start
  while (index < lines.length && holds(lines[index] ?? "", index)) index++
  return index
}

export const renderMarkdown = (text: string, options: MarkdownOptions): Html => {
  const shallowest = Math.min(6, ...headingsOf(text).map(({ depth }) => depth))
  let level = options.topHeading - 1

  const startsTable = (lines: ReadonlyArray<string>, index: number): boolean =>
    (lines[index] ?? "").includes("|") && tableRule.test(lines[index + 1] ?? "")

  const startsBlock = (lines: ReadonlyArray<string>, index: number): boolean => {
    const line = lines[index] ?? ""
    return [fence, headingLine, listItem, access].some((start) => start.test(line)) || startsTable(lines, index)
  }

  const list = (lines: ReadonlyArray<string>): Html => {
    const indent = listItem.exec(lines[0] ?? "")?.[1]?.length ?? 0
    const items: Array<Array<string>> = []
    for (const line of lines) {
      const item = listItem.exec(line)
      if (item !== null && (item[1] ?? "").length <= indent) items.push([item[2] ?? ""])
      else items.at(-1)?.push(line.replace(/^ {1,4}/, ""))
    }
    const rendered = items.map((item) => html`<li>${blocks(item, true)}</li>`)
    return /^\s*\d/.test(lines[0] ?? "")
      ? html`<ol>
          ${rendered}
        </ol>`
      : html`<ul>
          ${rendered}
        </ul>`
  }

  const blocks = (lines: ReadonlyArray<string>, tight: boolean): ReadonlyArray<Html> => {
    const rendered: Array<Html> = []
    let index = 0
    while (index < lines.length) {
      const line = lines[index] ?? ""
      const start = index
      const mark = fence.exec(line)?.[1]
      const title = headingLine.exec(line)
      if (line.trim() === "") {
        index++
      } else if (mark !== undefined) {
        index = runEnd(lines, start + 1, (inner) => inner.trim() !== mark)
        rendered.push(codeBlock("Example", lines.slice(start + 1, index).join("\n")))
        index++
      } else if (title !== null) {
        const wanted = options.topHeading + (title[1] ?? "").length - shallowest
        level = Math.min(wanted, level + 1)
        rendered.push(heading(level, renderInline(title[2] ?? ""), options.anchorOf?.(title[2] ?? "")))
        index++
      } else if (startsTable(lines, index)) {
        index = runEnd(lines, start, (row) => row.includes("|"))
        rendered.push(table(lines.slice(start, index)))
      } else if (listItem.test(line)) {
        index = runEnd(lines, start, (inner) => listItem.test(inner) || /^\s+\S/.test(inner))
        rendered.push(list(lines.slice(start, index)))
      } else {
        index = runEnd(lines, start, (inner, at) => inner.trim() !== "" && (at === start || !startsBlock(lines, at)))
        const prose = lines.slice(start, index).join("\n").trim()
        rendered.push(tight ? renderInline(prose) : paragraph(prose))
      }
    }
    return rendered
  }

  return html`${blocks(text.replaceAll("\r\n", "\n").split("\n"), false)}`
}
