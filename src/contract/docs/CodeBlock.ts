/** Preformatted text that scrolls inside itself, reachable by keyboard. */
import { type Html, html } from "./Html.ts"

export const codeBlock = (label: string, text: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`
