/** The page that the console's script fills, and the headers that keep it to itself. */
import { html } from "../../domain/Html.ts"
import type { Outgoing } from "../../platform/http/Outgoing.ts"
import type { Names } from "./ConsoleFiles.ts"

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

/** Addresses are relative to the page, which may stand below a path of another server. */
export const consolePage = ({ script, style }: Names): Outgoing => ({
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy": contentSecurityPolicy,
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow"
  },
  body: html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Corridor console</title>
        <link rel="icon" href="${icon}" />
        <link rel="stylesheet" href="console/${style}" />
        <script type="module" src="console/${script}"></script>
      </head>
      <body>
        <div id="console">
          <p class="waiting">Corridor</p>
          <noscript
            >The console needs JavaScript. Everything that it does is in the API and the command line too.</noscript
          >
        </div>
      </body>
    </html> `.markup
})
