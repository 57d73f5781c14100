/** Where the console is served: its page, and the two files that the page names. */
import { Effect, Option } from "effect"
import { NotFound } from "../../domain/Failure.ts"
import { type Outgoing, withoutSlash } from "../../platform/http/Outgoing.ts"
import { alsoByHead, type Incoming, type Route } from "../../platform/http/Route.ts"
import { type ConsoleFile, type ConsoleFiles, consoleFiles } from "./ConsoleFiles.ts"
import { consolePage } from "./ConsolePage.ts"

const notBuilt = new NotFound({ message: "The console is not built: run npm run build, then start the server again." })

const takes = (accepted: string, encoding: string): boolean =>
  new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, "i").test(accepted)

/** Its name changes with what is in it, so nobody asks for it twice. */
const fileReply = ({ contentType, packed }: ConsoleFile, { request }: Incoming): Outgoing => {
  const accepted = String(request.headers["accept-encoding"] ?? "")
  const chosen = packed.find(({ encoding }) => encoding === undefined || takes(accepted, encoding))!
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

export const consoleRoutes = Effect.map(Effect.cached(consoleFiles), (files): ReadonlyArray<Route> => {
  const built = Effect.flatMap(
    files,
    Option.match({ onNone: () => Effect.fail(notBuilt), onSome: Effect.succeed<ConsoleFiles> })
  )
  return alsoByHead([
    { method: "GET", path: "/console", handle: () => Effect.map(built, ({ names }) => consolePage(names)) },
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
  ])
})
