/** The frame of every hosted page, and the headers that keep it to itself: no scripts, no other hosts, no copies. */
import { createHash } from "node:crypto"
import { type Content, Html, html } from "../../domain/Html.ts"
import { empty, type Outgoing } from "../../platform/http/Outgoing.ts"
import { style } from "./Style.ts"
import type { Words } from "./Words.ts"

const styleElement = Html.trusted(`<style>${style}</style>`)

/** Given as data, so that the browser does not ask for /favicon.ico. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231d4ed8'/%3E%3Cpath d='M5 7V5.5a3 3 0 0 1 6 0V7m-7 0h8v5H4z' fill='none' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E"

const headers: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "img-src data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; "),
  // The address of a page is all that it takes to open it.
  "referrer-policy": "no-referrer",
  vary: "accept-language",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow"
}

export interface Page {
  readonly title: string
  readonly content: Content
  /** When to go on by itself, and where to. */
  readonly refresh?: { readonly seconds: number; readonly address: string }
}

export const pageReply = (status: number, words: Words, { content, refresh, title }: Page): Outgoing => ({
  status,
  headers: { ...headers, "content-type": "text/html; charset=utf-8", "content-language": words.language },
  body: html`<!doctype html>
    <html lang="${words.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        ${
          refresh !== undefined &&
          html`<meta http-equiv="refresh" content="${refresh.seconds};url=${refresh.address}" />`
        }
        <title>${title}</title>
        <link rel="icon" href="${icon}" />
        ${styleElement}
      </head>
      <body>
        <main><article>${content}</article></main>
        <footer>${words.securedBy}</footer>
      </body>
    </html> `.markup
})

export const redirectReply = (location: string): Outgoing => empty(303, { ...headers, location })
