/** The browsable API reference: a page in which Scalar, served from here as well, shows the OpenAPI document. */
import { html } from "../../domain/Html.ts"

export interface ReferencePage {
  readonly html: string
  /** Value of the `Content-Security-Policy` header that the page is to be served with. */
  readonly contentSecurityPolicy: string
}

/** Addresses are relative to the page, which may stand below a path of another server. */
const script = "docs/scalar.js"
const openApi = "./openapi.json"

export const scriptPath = `/${script}` as const

/**
 * Scalar adds style elements and style attributes as it draws, whose text cannot be known before, and takes its hashes
 * from WebAssembly, which is no way to run text as script.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** Given as data, so that the browser does not ask for /favicon.ico. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231f4fd8'/%3E%3Cpath d='M11 5.2a4 4 0 1 0 0 5.6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

/** A heading cell without text keeps its column, and a phone does not scroll sideways. */
const customCss = ".scalar-app .markdown th:empty{display:table-cell}.references-rendered{overflow-x:clip}"

/** Everything by which Scalar would ask another host, or send a reader to one, is off. */
const configurationOf = (publicUrl: string) => ({
  url: openApi,
  // A request may go to where the page came from and nowhere else, so it is not tried at a server of the document.
  servers: [{ url: `${new URL(publicUrl).pathname.replace(/\/$/, "")}/v1`, description: "This server" }],
  authentication: {
    preferredSecurityScheme: [["authorization", "apiKey"]],
    securitySchemes: { authorization: { value: "NONE" } }
  },
  customCss,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showToolbar: "never",
  persistAuth: false,
  documentDownloadType: "direct",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" }
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
      </head>
      <body>
        <noscript>
          <p>
            The reference needs JavaScript. Everything that it shows is in the
            <a href="${openApi}">OpenAPI document</a>.
          </p>
        </noscript>
        <script id="api-reference" type="application/json" data-configuration="${configuration}"></script>
        <script src="${script}"></script>
      </body>
    </html> `
  return { html: page.markup, contentSecurityPolicy }
}
