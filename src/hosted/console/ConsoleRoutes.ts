/** Serves the built console: its page, one script and one style sheet, each also compressed. */
import { Effect, Option } from "effect"
import { NotFound } from "../../domain/Failure.ts"
import { type Outgoing, withoutSlash, alsoByHead, type Route } from "../../platform/http/Route.ts"
import { assetReply, compressAsset, once, policyWith } from "../../platform/http/ReferenceFiles.ts"
import { type Mode, Settings } from "../../platform/config/Settings.ts"
import type { ConsoleSignIn } from "../../platform/config/ConsoleSignIn.ts"
import { html } from "../../domain/Html.ts"
import { readFile } from "node:fs/promises"

/** The build writes them beside the server's bundle. */
const folder = new URL("console/", import.meta.url)

interface Names {
  readonly script: string
  readonly style: string
}

const read = (name: string): Promise<Buffer> => readFile(new URL(name, folder))

/** Cached forever: the name contains a hash of the content. */
const readAsset = async (name: string, contentType: string) => {
  const headers = { "cache-control": "public, max-age=31536000, immutable", "content-type": contentType }
  return [name, await compressAsset(await read(name), headers, await read(`${name}.br`))] as const
}

const notBuilt = new NotFound({ message: "The console is not built: run npm run build, then start the server again." })

const readConsole = async () => {
  const names = JSON.parse((await read("names.json")).toString()) as Names
  const script = await readAsset(names.script, "text/javascript; charset=utf-8")
  return { names, assets: new Map([script, await readAsset(names.style, "text/css; charset=utf-8")]) }
}

/** A data URL saves the request for /favicon.ico. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231f4fd8'/%3E%3Cpath d='M11 5.2a4 4 0 1 0 0 5.6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

/** Settings that the page's script needs before sign-in: src/console/api/ProviderSignIn.ts reads them. */
const pageSettings = (mode: Mode, signIn: Option.Option<ConsoleSignIn>): string => {
  const { origins: _, ...provider } = Option.getOrElse(signIn, () => ({ origins: [] }))
  return JSON.stringify({ mode, ...(Option.isSome(signIn) && { provider }) })
}

/** URLs are relative, so that the console works below any path of a proxy. */
const consolePage = ({ script, style }: Names, mode: Mode, signIn: Option.Option<ConsoleSignIn>): Outgoing => ({
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy": policyWith(Option.match(signIn, { onNone: () => [], onSome: ({ origins }) => origins })),
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
        <div id="console" data-settings="${pageSettings(mode, signIn)}">
          <p class="waiting">Corridor</p>
          <noscript
            >The console needs JavaScript. Everything that it does is in the API and the command line too.</noscript
          >
        </div>
      </body>
    </html> `.markup
})

export const consoleRoutes = Effect.gen(function* () {
  const { consoleSignIn, mode } = yield* Settings
  const built = Effect.tryPromise(once(readConsole)).pipe(
    Effect.tapError((error) => Effect.logDebug("The console is not built", error)),
    Effect.mapError(() => notBuilt)
  )
  return alsoByHead([
    {
      method: "GET",
      path: "/console",
      handle: () => Effect.map(built, ({ names }) => consolePage(names, mode, consoleSignIn))
    },
    {
      method: "GET",
      path: "/console/",
      handle: ({ request }) => Effect.succeed(withoutSlash("console", request.url))
    },
    {
      method: "GET",
      path: "/console/:file",
      handle: (incoming) =>
        Effect.flatMap(built, ({ assets }) => {
          const asset = assets.get(incoming.params["file"] ?? "")
          return asset === undefined
            ? Effect.fail(new NotFound({ message: "There is no such file: the console has changed, load it again." }))
            : Effect.succeed(assetReply(incoming, asset))
        })
    }
  ] satisfies ReadonlyArray<Route>)
})
