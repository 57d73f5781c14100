/** Serves the API reference: its page, script and style, and the OpenAPI document. Files are read at the first request. */
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { openApiTemplate, openApiText, referenceHtml } from "../../contract/openapi/OpenApiDocument.ts"
import type { Mode } from "../config/Settings.ts"
import type { Incoming, Outgoing, Route } from "./Route.ts"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

/** Assets that never change while the service runs: compressed once, with an ETag. */
interface Version {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

interface CompressedAsset {
  readonly plain: Version
  readonly gzipped: Version
}

const versionOf = (body: Buffer, headers: Version["headers"]): Version => ({
  body,
  headers: {
    "cache-control": "no-cache",
    etag: `"${createHash("sha256").update(body).digest("base64url")}"`,
    vary: "Accept-Encoding, Origin",
    ...headers
  }
})

export const compressAsset = async (text: string, headers: Version["headers"]): Promise<CompressedAsset> => {
  const plain = Buffer.from(text)
  return {
    plain: versionOf(plain, headers),
    gzipped: versionOf(await promisify(gzip)(plain), { ...headers, "content-encoding": "gzip" })
  }
}

export const assetReply = ({ request }: Incoming, { gzipped, plain }: CompressedAsset): Outgoing => {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(request.headers["accept-encoding"] ?? ""))
  const { body, headers } = takesGzip ? gzipped : plain
  const known = request.headers["if-none-match"]?.includes(headers["etag"] ?? "") === true
  return known ? { status: 304, headers, body: undefined } : { status: 200, headers, body, shared: true }
}

/** Beside the bundle of the server, where the build puts them. */
const folder = new URL("reference/", import.meta.url)

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

/** A server that runs from its sources has no bundle: it makes what is missing, and keeps it. */
const builtOr = async (name: string, make: () => string | Promise<string>): Promise<string> => {
  try {
    return await readFile(new URL(name, folder), "utf8")
  } catch (error) {
    if (!isMissing(error)) throw error
    return make()
  }
}

interface Builder {
  readonly referenceInMemory: (openApi: string) => Promise<(name: string) => string>
}

const makeFiles = async (): ReturnType<Builder["referenceInMemory"]> => {
  const builder = new URL("../../reference/buildReference.mjs", import.meta.url)
  return ((await import(builder.href)) as Builder).referenceInMemory(openApiTemplate())
}

/** Made for the first reader and kept; what could not be made is made again for the next. */
const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  const forget = (error: unknown) => {
    made = undefined
    throw error
  }
  return () => (made ??= make().catch(forget))
}

type Handler = (incoming: Incoming) => Effect.Effect<Outgoing>

const packedOnce = (read: () => Promise<string>, headers: Readonly<Record<string, string>>): Handler => {
  const packed = once(async () => compressAsset(await read(), { ...headers, "x-content-type-options": "nosniff" }))
  return (incoming) => Effect.map(Effect.promise(packed), (one) => assetReply(incoming, one))
}

const madeFiles = once(makeFiles)

const built = (name: string): Promise<string> => builtOr(name, async () => (await madeFiles())(name))

/** Allows a page its own script and style and requests to this server; no inline code, no frame around it. */
export const contentSecurityPolicy = [
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

export const referenceRoutes = (publicUrl: string, mode: Mode): ReadonlyArray<Route> => [
  {
    method: "GET",
    path: "/docs",
    handle: packedOnce(async () => referenceHtml(await built("reference.html"), publicUrl), {
      "content-security-policy": contentSecurityPolicy,
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer"
    })
  },
  {
    method: "GET",
    path: "/docs/reference.js",
    handle: packedOnce(() => built("reference.js"), { "content-type": "text/javascript; charset=utf-8" })
  },
  {
    method: "GET",
    path: "/docs/reference.css",
    handle: packedOnce(() => built("reference.css"), { "content-type": "text/css; charset=utf-8" })
  },
  {
    method: "GET",
    path: "/openapi.json",
    handle: packedOnce(async () => openApiText(await builtOr("openapi.json", openApiTemplate), publicUrl, mode), {
      "access-control-allow-origin": "*",
      "content-type": "application/json"
    })
  }
]
