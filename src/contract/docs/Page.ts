/** The browsable API reference: the page that the script of src/reference fills with the OpenAPI document. */
import { html } from "../../domain/Html.ts"

export interface ReferencePage {
  readonly html: string
  /** Value of the `Content-Security-Policy` header that the page is to be served with. */
  readonly contentSecurityPolicy: string
}

/** Addresses are relative to the page, which may stand below a path of another server. */
const script = "docs/reference.js"
const style = "docs/reference.css"
const openApi = "./openapi.json"

export const scriptPath = `/${script}` as const
export const stylePath = `/${style}` as const

/** No script or style but its own two files, nobody to talk to but this server, nothing made of text, no frame around it. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** Given as data, so that the browser does not ask for /favicon.ico. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231f4fd8'/%3E%3Cpath d='M11 5.2a4 4 0 1 0 0 5.6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

const configurationOf = (publicUrl: string) => ({
  url: openApi,
  // A request may go to where the page came from and nowhere else, so it is not tried at a server of the document.
  servers: [{ url: `${new URL(publicUrl).pathname.replace(/\/$/, "")}/v1` }]
})

export const renderReference = (title: string, publicUrl: string): ReferencePage => {
  const configuration = JSON.stringify(configurationOf(publicUrl))
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} API reference</title>
        <link rel="icon" href="${icon}" />
        <link rel="preload" href="${openApi}" as="fetch" crossorigin="anonymous" />
        <link rel="stylesheet" href="${style}" />
        <script type="module" src="${script}"></script>
      </head>
      <body>
        <div id="reference" data-configuration="${configuration}">
          <p class="waiting">${title} API reference</p>
          <noscript>
            <p>
              The reference needs JavaScript. Everything that it shows is in the
              <a href="${openApi}">OpenAPI document</a>.
            </p>
          </noscript>
        </div>
      </body>
    </html> `
  return { html: page.markup, contentSecurityPolicy }
}
