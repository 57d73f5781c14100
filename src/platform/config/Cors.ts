/**
 * CORS: allowed browser origins and headers. Callers authenticate with a header, never with a cookie, so there is no
 * credentials mode.
 */
import type { IncomingHttpHeaders } from "node:http"
import { Either } from "effect"
import { urlOf } from "../../domain/Url.ts"

type HeaderFields = Readonly<Record<string, string>>

const NONE: HeaderFields = {}
const VARY: HeaderFields = { vary: "Origin" }

const PREFLIGHT: HeaderFields = {
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": "authorization, x-api-key, content-type, idempotency-key, x-request-id",
  "access-control-max-age": "600"
}

const EXPOSED: HeaderFields = {
  "access-control-expose-headers": "x-request-id, retry-after, idempotent-replayed"
}

/** The allowed origins. Empty means that CORS is off. */
export type Cors = ReadonlySet<string>

const checkOrigin = (entry: string): Either.Either<string, string> => {
  if (entry.includes("*")) return Either.left(`${entry} holds a wildcard: list the exact origins`)
  const url = urlOf(entry)
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return Either.left(`${entry} is not an origin: write it like https://app.example.com`)
  }
  return url.origin === entry ? Either.right(entry) : Either.left(`${entry} never matches: write ${url.origin}`)
}

/** Reads a comma-separated list of exact origins; empty text turns CORS off. */
export const parseCorsOrigins = (text: string): Either.Either<Cors, string> => {
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
  return Either.map(Either.all(entries.map(checkOrigin)), (origins) => new Set(origins))
}

const headersFor = (cors: Cors, { origin }: IncomingHttpHeaders, added: HeaderFields): HeaderFields => {
  if (cors.size === 0) return NONE
  const isAllowed = origin !== undefined && cors.has(origin)
  return isAllowed ? { ...VARY, "access-control-allow-origin": origin, ...added } : VARY
}

/** Goes on every response that is not a preflight's, errors included, or the browser hides them from its page. */
export const corsHeaders = (cors: Cors, headers: IncomingHttpHeaders): HeaderFields =>
  headersFor(cors, headers, EXPOSED)

export const isPreflight = (cors: Cors, method: string | undefined, headers: IncomingHttpHeaders): boolean =>
  cors.size > 0 &&
  method === "OPTIONS" &&
  headers.origin !== undefined &&
  headers["access-control-request-method"] !== undefined

/** Goes on the empty 204 that answers a preflight. For an origin that is not allowed the browser stops there. */
export const preflightHeaders = (cors: Cors, headers: IncomingHttpHeaders): HeaderFields =>
  headersFor(cors, headers, PREFLIGHT)
