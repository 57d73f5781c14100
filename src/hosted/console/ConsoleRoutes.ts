/** Serves the built console: its page, one script and one style sheet, each also compressed. */
import { Effect, Option, Schema } from "effect"
import { NotFound } from "../../domain/Failure.ts"
import { type Outgoing, withoutSlash, alsoByHead, type Incoming, type Route } from "../../platform/http/Route.ts"
import { policyWith } from "../../platform/http/ReferenceFiles.ts"
import { type Mode, Settings } from "../../platform/config/Settings.ts"
import type { ConsoleSignIn } from "../../platform/config/ConsoleSignIn.ts"
import { html } from "../../domain/Html.ts"
import { readFile } from "node:fs/promises"

/** The build writes them beside the server's bundle. */
const folder = new URL("console/", import.meta.url)

const Names = Schema.parseJson(Schema.Struct({ script: Schema.String, style: Schema.String }))
export type Names = typeof Names.Type

const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
  [undefined, ""]
] as const

export interface CompressedBody {
  readonly encoding: string | undefined
  readonly body: Buffer
}

export interface ConsoleFile {
  readonly contentType: string
  /** Smallest first; the last is uncompressed. */
  readonly bodies: ReadonlyArray<CompressedBody>
}

export interface ConsoleFiles {
  readonly names: Names
  readonly files: ReadonlyMap<string, ConsoleFile>
}

const read = (name: string) => Effect.tryPromise(() => readFile(new URL(name, folder)))

const readCompressed = (name: string, contentType: string) =>
  Effect.map(
    Effect.forEach(encodings, ([encoding, ending]) =>
      Effect.map(read(`${name}${ending}`), (body): CompressedBody => ({ encoding, body }))
    ),
    (bodies) => [name, { contentType, bodies }] as const
  )

/** Built console; none if the service runs from its sources and the console is not built. */
export const consoleFiles: Effect.Effect<Option.Option<ConsoleFiles>> = Effect.gen(function* () {
  const names = yield* Effect.flatMap(read("names.json"), (text) => Schema.decode(Names)(text.toString()))
  const files = yield* Effect.all([
    readCompressed(names.script, "text/javascript; charset=utf-8"),
    readCompressed(names.style, "text/css; charset=utf-8")
  ])
  return { names, files: new Map<string, ConsoleFile>(files) }
}).pipe(
  Effect.tapError((error) => Effect.logDebug("The console is not built", error)),
  Effect.option
)

/** A data URL saves the request for /favicon.ico. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231f4fd8'/%3E%3Cpath d='M11 5.2a4 4 0 1 0 0 5.6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

/** Settings that the page's script needs before sign-in: src/console/api/ProviderSignIn.ts reads them. */
const pageSettings = (mode: Mode, signIn: Option.Option<ConsoleSignIn>): string => {
  const { origins: _, ...provider } = Option.getOrElse(signIn, () => ({ origins: [] }))
  return JSON.stringify({ mode, ...(Option.isSome(signIn) && { provider }) })
}

/** URLs are relative, so that the console works below any path of a proxy. */
export const consolePage = ({ script, style }: Names, mode: Mode, signIn: Option.Option<ConsoleSignIn>): Outgoing => ({
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

const notBuilt = new NotFound({ message: "The console is not built: run npm run build, then start the server again." })

const takes = (accepted: string, encoding: string): boolean =>
  new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, "i").test(accepted)

/** Cached forever: the name contains a hash of the content. */
const fileReply = ({ contentType, bodies }: ConsoleFile, { request }: Incoming): Outgoing => {
  const accepted = String(request.headers["accept-encoding"] ?? "")
  const chosen = bodies.find(({ encoding }) => encoding === undefined || takes(accepted, encoding))!
  return {
    status: 200,
    headers: {
      "content-type": contentType,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding, Origin",
      ...(chosen.encoding === undefined ? {} : { "content-encoding": chosen.encoding })
    },
    body: chosen.body
  }
}

export const consoleRoutes = Effect.gen(function* () {
  const { consoleSignIn, mode } = yield* Settings
  const files = yield* Effect.cached(consoleFiles)
  const built = Effect.flatMap(
    files,
    Option.match({ onNone: () => Effect.fail(notBuilt), onSome: Effect.succeed<ConsoleFiles> })
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
        Effect.flatMap(built, ({ files: all }) => {
          const file = all.get(incoming.params["file"] ?? "")
          return file === undefined
            ? Effect.fail(new NotFound({ message: "There is no such file: the console has changed, load it again." }))
            : Effect.succeed(fileReply(file, incoming))
        })
    }
  ] satisfies ReadonlyArray<Route>)
})
