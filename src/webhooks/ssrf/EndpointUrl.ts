/**
 * Checks an endpoint's URL and resolves it to addresses that may be called. One refused address refuses the name.
 * Connections use the addresses returned here and do not resolve the name again.
 */
import { isIP } from "node:net"
import { Data, Effect, Either } from "effect"
import type { Mode } from "../../platform/config/Settings.ts"
import { type CheckedAddress, checkAddress, type Protocol } from "./PublicAddress.ts"
import { Dns } from "./Dns.ts"
import { givenUrl } from "../../domain/Url.ts"

const longest = 2000

/** Ports for HTTPS; other ports may belong to other services. */
const livePorts = new Set(["", "443", "8443"])

export const parseEndpointUrl = (text: string, mode: Mode): Either.Either<URL, string> =>
  Either.gen(function* () {
    if (text.length > longest) return yield* Either.left(`is longer than ${longest} characters`)
    const url = yield* givenUrl(text, "https://example.com/webhooks")
    if (text.includes("#")) return yield* Either.left("must not hold a fragment")
    if (url.protocol !== "https:" && !(url.protocol === "http:" && mode === "sandbox")) {
      return yield* Either.left("must start with https://")
    }
    if (url.port === "0") return yield* Either.left("must not name port 0")
    if (mode === "live" && !livePorts.has(url.port)) return yield* Either.left("must be on port 443 or 8443")
    return url
  })

/** `message` follows the name of the field, and never reveals an address behind a name. */
export class EndpointRefused extends Data.TaggedError("EndpointRefused")<{
  readonly kind: "url" | "unresolved" | "address"
  readonly message: string
}> {}

export interface CheckedEndpoint {
  readonly url: URL
  readonly addresses: readonly [CheckedAddress, ...ReadonlyArray<CheckedAddress>]
}

const addressesOf = Effect.fnUntraced(function* (host: string) {
  if (isIP(host) !== 0) return [host]
  const dns = yield* Dns
  return yield* dns
    .lookup(host)
    .pipe(
      Effect.catchAll(
        ({ reason }) =>
          new EndpointRefused({ kind: "unresolved", message: `the name ${host} cannot be resolved (${reason})` })
      )
    )
})

export const resolveChecked = Effect.fn("resolveChecked")(function* (endpointUrl: string, mode: Mode) {
  const url = yield* Either.mapLeft(
    parseEndpointUrl(endpointUrl, mode),
    (message) => new EndpointRefused({ kind: "url", message })
  )
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  const found = yield* addressesOf(host)
  const checked = yield* Either.mapLeft(
    Either.all(found.map((address) => checkAddress(address, mode, url.protocol as Protocol))),
    (message) => new EndpointRefused({ kind: "address", message })
  )
  const [first, ...others] = checked
  if (first === undefined) {
    return yield* new EndpointRefused({ kind: "unresolved", message: `the name ${host} has no address` })
  }
  const endpoint: CheckedEndpoint = { url, addresses: [first, ...others] }
  return endpoint
})
