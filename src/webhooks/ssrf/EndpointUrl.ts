/**
 * Checks an endpoint's URL and resolves it to addresses that may be called. One refused address refuses the name.
 * Connections use the addresses returned here and do not resolve the name again.
 */
import { isIP } from "node:net"
import { Data, Effect, Either } from "effect"
import type { Mode } from "../../platform/config/Settings.ts"
import { Dns } from "./Dns.ts"
import { givenUrl } from "../../domain/Url.ts"
import ipaddr from "ipaddr.js"
import { traced } from "../../platform/observability/Spans.ts"

/**
 * Decides which addresses may receive webhooks (SSRF protection). Checked at registration and for every connection, so
 * that no endpoint reaches the service's own network.
 */
export interface CheckedAddress {
  readonly address: string
  readonly family: 4 | 6
}

export type Protocol = "http:" | "https:"

/** The only IPv6 range that is allocated on the public internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** Azure's virtual machines reach the platform below them at this otherwise public address. */
const hostServices = new Set(["168.63.129.16"])

const ipv4At = (bytes: ReadonlyArray<number>, from: number): ipaddr.IPv4 => new ipaddr.IPv4(bytes.slice(from, from + 4))

const compatible = ipaddr.IPv6.parseCIDR("::/96")
const nat64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")
const sixToFour = ipaddr.IPv6.parseCIDR("2002::/16")
const teredo = ipaddr.IPv6.parseCIDR("2001::/32")

/** IPv4 addresses embedded in an IPv6 address by NAT64, 6to4, Teredo or IPv4-compatible notation. */
const embeddedIn = (address: ipaddr.IPv6): ReadonlyArray<ipaddr.IPv4> => {
  const bytes = address.toByteArray()
  if (address.match(compatible) || address.match(nat64)) return [ipv4At(bytes, 12)]
  if (address.match(sixToFour)) return [ipv4At(bytes, 2)]
  if (address.match(teredo)) {
    const inverted = bytes.map((byte) => byte ^ 0xff)
    return [ipv4At(bytes, 4), ipv4At(inverted, 12)]
  }
  return []
}

const isPublicIpv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === "unicast" && !hostServices.has(address.toString())

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => {
  if (address instanceof ipaddr.IPv4) return isPublicIpv4(address)
  const embedded = embeddedIn(address)
  return embedded.length > 0
    ? embedded.every(isPublicIpv4)
    : address.range() === "unicast" && address.match(globalUnicast)
}

/** Uses Node's check first, because ipaddr.js also accepts octal, hexadecimal and shortened forms. */
const parse = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  isIP(text) === 0 || text.includes("%") ? undefined : ipaddr.process(text)

const notPublic = "is not on the public internet"

/** Returns the address, with IPv4-mapped ones as IPv4, or the reason to refuse it. */
export const checkAddress = (text: string, mode: Mode, protocol: Protocol): Either.Either<CheckedAddress, string> => {
  const address = parse(text)
  if (address === undefined) return Either.left(notPublic)
  const checked: CheckedAddress = { address: address.toString(), family: address.kind() === "ipv4" ? 4 : 6 }
  if (protocol === "https:") {
    if (isPublic(address)) return Either.right(checked)
    const hint = mode === "sandbox" && address.range() === "loopback" ? "; in sandbox mode it takes http://" : ""
    return Either.left(`${notPublic}${hint}`)
  }
  return mode === "sandbox" && address.range() === "loopback"
    ? Either.right(checked)
    : Either.left("must start with https://; http:// is for loopback addresses in sandbox mode")
}

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

interface CheckedEndpoint {
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

export const resolveChecked = traced("resolveChecked")(function* (endpointUrl: string, mode: Mode) {
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
