/** The script of the API reference: Scalar, as @effect/platform carries it for pages of its own. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import type { Outgoing } from "./Outgoing.ts"
import { pack, packedReply } from "./Packed.ts"
import type { Incoming } from "./Route.ts"

/**
 * The module is one that the package does not export, so it is found as a file; the package's version is exact. At three
 * megabytes it is read when the first reader comes, and not part of what every start has to parse.
 */
const readScript = async (): Promise<string> => {
  const folder = dirname(createRequire(import.meta.url).resolve("@effect/platform/package.json"))
  const file = pathToFileURL(join(folder, "dist", "esm", "internal", "httpApiScalar.js"))
  const { javascript } = (await import(file.href)) as { readonly javascript: string }
  return javascript
}

const load = async () => pack(await readScript(), { "content-type": "text/javascript; charset=utf-8" })

let loaded: ReturnType<typeof load> | undefined

export const referenceScript = (incoming: Incoming): Effect.Effect<Outgoing> =>
  Effect.map(
    Effect.promise(() => (loaded ??= load())),
    (packed) => packedReply(incoming, packed)
  )
