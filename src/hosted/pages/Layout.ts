/** The frame of every hosted page, and the headers that keep it to itself: no scripts, no other hosts, no copies. */
import { createHash } from "node:crypto"
import { type Content, Html, html } from "../../domain/Html.ts"
import { empty, type Outgoing } from "../../platform/http/Outgoing.ts"
import { brandStyle } from "./BrandStyle.ts"
import { type Reader, rememberChoice } from "./Language.ts"
import { style } from "./Style.ts"

const styleElement = (css: string): Html => Html.trusted(`<style>${css}</style>`)
const pagesStyle = styleElement(style)

const hashOf = (css: string): string => `'sha256-${createHash("sha256").update(css).digest("base64")}'`
const pagesHash = hashOf(style)

/** Given as data, so that the browser does not ask for /favicon.ico. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231d4ed8'/%3E%3Cpath d='M5 7V5.5a3 3 0 0 1 6 0V7m-7 0h8v5H4z' fill='none' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E"

const policyOf = (styles: ReadonlyArray<string>, images: "data:" | "'self' data:"): string =>
  [
    "default-src 'none'",
    `style-src ${styles.join(" ")}`,
    `img-src ${images}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

const headers: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": policyOf([pagesHash], "data:"),
  // The address of a page is all that it takes to open it.
  "referrer-policy": "no-referrer",
  vary: "accept-language, cookie",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow"
}

/** What a page is known by where its address is shared. */
export interface Preview {
  /** Whose page it is. */
  readonly site?: string
  readonly description?: string | undefined
  /** The address of a picture, in full. */
  readonly image?: string | undefined
}

export interface Page extends Preview {
  readonly title: string
  readonly content: Content
  /** The colour of a brand, as `#rrggbb`. */
  readonly color?: string | null
  /** Shows a picture of this server's. */
  readonly pictured?: boolean
  /** When to go on by itself, and where to. */
  readonly refresh?: { readonly seconds: number; readonly address: string }
}

const locales = { en: "en_GB", fr: "fr_FR" } as const

const previewOf = (title: string, { description, image, site }: Preview, language: keyof typeof locales): Html =>
  html`<meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" />
    <meta property="og:locale" content="${locales[language]}" />
    ${site !== undefined && html`<meta property="og:site_name" content="${site}" />`}
    ${
      description !== undefined &&
      html`<meta name="description" content="${description}" />
        <meta property="og:description" content="${description}" />`
    }
    ${image !== undefined && html`<meta property="og:image" content="${image}" />`}
    <meta name="twitter:card" content="summary" />`

export const pageReply = (status: number, reader: Reader, page: Page): Outgoing => {
  const { other, words } = reader
  const { color, content, refresh, site } = page
  const title = site === undefined || site === "" ? page.title : `${page.title} · ${site}`
  // Whatever was wrong with an address that leads nowhere, nothing of it is repeated.
  const otherAddress = status === 404 ? `?lang=${other.words.language}` : other.address
  const brand = color === undefined || color === null ? "" : brandStyle(color)
  return {
    status,
    headers: {
      ...headers,
      "content-security-policy": policyOf(
        brand === "" ? [pagesHash] : [pagesHash, hashOf(brand)],
        page.image === undefined && page.pictured !== true ? "data:" : "'self' data:"
      ),
      ...rememberChoice(reader),
      "content-type": "text/html; charset=utf-8",
      "content-language": words.language
    },
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
          ${previewOf(title, page, words.language)}
          <link rel="icon" href="${icon}" />
          ${pagesStyle} ${brand !== "" && styleElement(brand)}
        </head>
        <body>
          <main><article>${content}</article></main>
          <footer>
            ${words.securedBy}
            <nav aria-label="${words.languageLabel}">
              <a href="${otherAddress}" lang="${other.words.language}" hreflang="${other.words.language}"
                >${other.words.ownName}</a
              >
            </nav>
          </footer>
        </body>
      </html> `.markup
  }
}

export const redirectReply = (location: string): Outgoing => empty(303, { ...headers, location })
