/** The script of the API reference: Scalar, as @effect/platform carries it for pages of its own. */
import { createHash } from "node:crypto"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Effect } from "effect"
import type { Outgoing } from "./Outgoing.ts"
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

interface Packed {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const packed = (body: Buffer, encoding: Readonly<Record<string, string>>): Packed => ({
  body,
  headers: {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "no-cache",
    etag: `"${createHash("sha256").update(body).digest("base64url")}"`,
    vary: "Accept-Encoding, Origin",
    ...encoding
  }
})

const load = async () => {
  const plain = Buffer.from(await readScript())
  return {
    plain: packed(plain, {}),
    gzipped: packed(await promisify(gzip)(plain), { "content-encoding": "gzip" })
  }
}

let loaded: ReturnType<typeof load> | undefined

export const referenceScript = ({ request }: Incoming): Effect.Effect<Outgoing> =>
  Effect.map(
    Effect.promise(() => (loaded ??= load())),
    ({ gzipped, plain }) => {
      const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(request.headers["accept-encoding"] ?? ""))
      const { body, headers } = takesGzip ? gzipped : plain
      const known = request.headers["if-none-match"]?.includes(headers["etag"] ?? "") === true
      return known ? { status: 304, headers, body: undefined } : { status: 200, headers, body }
    }
  )
