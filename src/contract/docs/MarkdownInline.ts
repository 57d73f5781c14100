/** Inline part of the small Markdown that descriptions use: code, strong, and links to safe addresses. */
import { type Html, html } from "./Html.ts"

const token = /(`+)(.+?)\1|\*\*(.+?)\*\*|\[([^\][]+)\]\(([^()\s]+)\)/gs

const safeAddress = /^(https?:\/\/|mailto:|#|\/(?!\/))/i

export const renderInline = (text: string): Html => {
  const parts: Array<Html | string> = []
  let end = 0
  for (const match of text.matchAll(token)) {
    const [whole, , code, strong, label, address] = match
    parts.push(text.slice(end, match.index))
    end = match.index + whole.length
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(html`<strong>${renderInline(strong)}</strong>`)
    else if (label !== undefined && address !== undefined && safeAddress.test(address))
      parts.push(html`<a href="${address}" rel="noreferrer">${renderInline(label)}</a>`)
    else parts.push(whole)
  }
  parts.push(text.slice(end))
  return html`${parts}`
}
