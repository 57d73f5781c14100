/** A heading of a level that is only known at run time, with a link to itself when it has an anchor. */
import { type Content, Html, html } from "./Html.ts"

export const heading = (level: number, content: Content, anchor?: string): Html => {
  const name = `h${Math.min(6, Math.max(1, level))}`
  const inner = html`${content}`.markup
  return anchor === undefined
    ? Html.trusted(`<${name}>${inner}</${name}>`)
    : Html.trusted(`<${name} id="${html`${anchor}`.markup}">${inner}</${name}>`)
}
