/** Serves the API reference: its page, script and style, and the OpenAPI document. Files are read at the first request. */
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { openApiTemplate, openApiText, referenceHtml } from "../../contract/openapi/OpenApiDocument.ts"
import { referenceMarkdown } from "../../contract/openapi/ReferenceMarkdown.ts"
import type { Mode } from "../config/Settings.ts"
import type { Incoming, Outgoing, Route } from "./Route.ts"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

type Headers = Readonly<Record<string, string>>

const versionOf = (body: Buffer, headers: Headers, encoding?: "br" | "gzip") => ({
  body,
  headers: {
    "cache-control": "no-cache",
    etag: `"${createHash("sha256").update(body).digest("base64url")}"`,
    vary: "Accept-Encoding, Origin",
    ...headers,
    ...(encoding === undefined ? {} : { "content-encoding": encoding })
  }
})

type Version = ReturnType<typeof versionOf>

/** Smallest first; the last is not compressed. */
type CompressedAsset = ReadonlyArray<Version>

/**
 * An asset that never changes while the service runs: compressed once, with an ETag. `brotli`: compressed by the build.
 * Pictures stay as they are.
 */
export const compressAsset = async (
  content: string | Buffer,
  headers: Headers,
  brotli?: Buffer
): Promise<CompressedAsset> => {
  const plain = Buffer.from(content)
  if (headers["content-type"]?.startsWith("image/") === true) return [versionOf(plain, headers)]
  return [
    ...(brotli === undefined ? [] : [versionOf(brotli, headers, "br")]),
    versionOf(await promisify(gzip)(plain, { level: 9 }), headers, "gzip"),
    versionOf(plain, headers)
  ]
}

const takes = (accepted: string, encoding: string | undefined): boolean =>
  encoding === undefined || new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, "i").test(accepted)

export const assetReply = ({ request }: Incoming, versions: CompressedAsset): Outgoing => {
  const accepted = String(request.headers["accept-encoding"] ?? "")
  const { body, headers } = versions.find((one) => takes(accepted, one.headers["content-encoding"]))!
  const isCurrent = request.headers["if-none-match"]?.includes(headers.etag) === true
  return isCurrent ? { status: 304, headers, body: undefined } : { status: 200, headers, body, shared: true }
}

/** Reads a file beside the bundle of the server. A server that runs from its sources makes it. */
const builtOr = (name: string, make: () => string | Promise<string>): Promise<string> =>
  readFile(new URL(`reference/${name}`, import.meta.url), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return make()
    throw error
  })

/**
 * Made for the first reader and kept; after a failure it is made again for the next. A reader that hangs up does not stop
 * it, as it would stop an Effect that is cached.
 */
export const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}

interface Builder {
  readonly referenceInMemory: (openApi: string) => Promise<(name: string) => string>
}

const referenceInMemory = once(async () => {
  const builder = new URL("../../reference/buildReference.mjs", import.meta.url)
  return ((await import(builder.href)) as Builder).referenceInMemory(openApiTemplate())
})

const built = (name: string): Promise<string> => builtOr(name, async () => (await referenceInMemory())(name))

const asset = (path: `/${string}`, read: () => Promise<string>, headers: Headers): Route => {
  const compressed = once(async () => compressAsset(await read(), { ...headers, "x-content-type-options": "nosniff" }))
  return {
    method: "GET",
    path,
    handle: (incoming) => Effect.map(Effect.promise(compressed), (one) => assetReply(incoming, one))
  }
}

/** Allows a page its own script and style, and requests to this server and to `origins`; no inline code, no frame around it. */
export const policyWith = (origins: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["connect-src 'self'", ...origins].join(" "),
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

export const contentSecurityPolicy = policyWith([])

const openApi = async (publicUrl: string, mode: Mode): Promise<string> =>
  openApiText(await builtOr("openapi.json", openApiTemplate), publicUrl, mode)

export const referenceRoutes = (publicUrl: string, mode: Mode): ReadonlyArray<Route> => [
  asset("/docs", async () => referenceHtml(await built("reference.html"), publicUrl), {
    "content-security-policy": contentSecurityPolicy,
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer"
  }),
  asset("/docs/reference.js", () => built("reference.js"), { "content-type": "text/javascript; charset=utf-8" }),
  asset("/docs/reference.css", () => built("reference.css"), { "content-type": "text/css; charset=utf-8" }),
  asset("/docs.md", async () => referenceMarkdown(await openApi(publicUrl, mode)), {
    "content-type": "text/markdown; charset=utf-8"
  }),
  asset("/openapi.json", () => openApi(publicUrl, mode), {
    "access-control-allow-origin": "*",
    "content-type": "application/json"
  })
]
