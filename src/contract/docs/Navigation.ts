/**
 * The side navigation. On a phone it is an overlay that shows while it is the page's target, so that it opens by a link
 * and following one of its entries closes it, without a script.
 */
import { type Html, html } from "./Html.ts"
import { methodBadge } from "./OperationView.ts"
import type { Outline } from "./Outline.ts"

export const navigation = (outline: Outline): Html => {
  const shallowest = Math.min(6, ...outline.headings.map(({ depth }) => depth))
  const about = outline.headings
    .filter(({ depth }) => depth === shallowest)
    .map(({ anchor, title }) => html`<li><a href="#${anchor}">${title.replaceAll("`", "")}</a></li>`)
  const tags = outline.tags.map(
    ({ anchor, name, operations }) =>
      html`<details open>
        <summary>${name}</summary>
        <ul>
          <li class="tag"><a href="#${anchor}">About ${name}</a></li>
          ${operations.map(
            (entry) =>
              html`<li>
                <a href="#${entry.anchor}">${methodBadge(entry.method)} <span>${entry.title}</span></a>
              </li> `
          )}
        </ul>
      </details> `
  )
  return html`<nav id="contents" aria-label="Contents">
    <p class="close"><a href="#top">Close</a></p>
    <ul>
      <li><a href="#top">Overview</a></li>
      ${about}
    </ul>
    ${tags}
    ${
      outline.schemas.length !== 0 &&
      html`<ul>
        <li><a href="#schemas">Schemas</a></li>
      </ul>`
    }
  </nav>`
}
