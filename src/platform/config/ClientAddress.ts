/**
 * Client address of a request. X-Forwarded-For is written by anyone, so only the entries of trusted proxies count: they
 * are read from the right, and by default not at all.
 */
import { isIP } from "node:net"
import { Either } from "effect"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = readonly [address: Address, prefixLength: number]

export type TrustProxy =
  | { readonly _tag: "None" }
  | { readonly _tag: "Hops"; readonly count: number }
  | { readonly _tag: "Networks"; readonly networks: ReadonlyArray<Network> }

const MAX_HOPS = 10
const FORMS = `write false, true, a number of proxies from 1 to ${MAX_HOPS}, or a comma-separated list of addresses and CIDRs`

/** Node's check comes first because ipaddr.js also takes octal, hexadecimal and shortened forms. */
const parseAddress = (text: string): Address | undefined => (isIP(text) === 0 ? undefined : ipaddr.process(text))

const parseNetwork = (entry: string): Either.Either<Network, string> => {
  const [host = "", prefix, ...rest] = entry.split("/")
  const refused = Either.left(`"${entry}" is neither an address nor a CIDR: ${FORMS}`)
  if (isIP(host) === 0 || rest.length > 0) return refused
  const address = ipaddr.process(host)
  const bits = address.kind() === "ipv4" ? 32 : 128
  if (prefix === undefined) return Either.right([address, bits])
  if (!/^\d{1,3}$/.test(prefix)) return refused
  const isMapped = isIP(host) === 6 && bits === 32
  const length = Number(prefix) - (isMapped ? 96 : 0)
  if (length > bits) return refused
  if (length < 1) return Either.left(`${entry} would trust everybody: name the addresses of your proxies`)
  return Either.right([address, length])
}

export const parseTrustProxy = (text: string): Either.Either<TrustProxy, string> => {
  const wanted = text.trim().toLowerCase()
  if (wanted === "" || wanted === "false") return Either.right({ _tag: "None" })
  if (wanted === "true") return Either.right({ _tag: "Hops", count: 1 })
  if (/^\d+$/.test(wanted)) {
    const count = Number(wanted)
    return count >= 1 && count <= MAX_HOPS
      ? Either.right({ _tag: "Hops", count })
      : Either.left(`${wanted} is not a possible number of proxies: ${FORMS}`)
  }
  const entries = wanted.split(",").map((entry) => parseNetwork(entry.trim()))
  return Either.map(Either.all(entries), (networks) => ({ _tag: "Networks", networks }))
}

const isIn = (address: Address, [network, prefixLength]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, prefixLength)

const isTrusted = (trust: TrustProxy, hop: number, address: Address | undefined): boolean => {
  switch (trust._tag) {
    case "None":
      return false
    case "Hops":
      return hop < trust.count
    case "Networks":
      return address !== undefined && trust.networks.some((network) => isIn(address, network))
  }
}

/** Entry without a port, which some proxies add. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry

/** Address of a peer without one: a Unix socket, or a closed connection. */
export const UNKNOWN_ADDRESS = "unknown"

export const clientAddress = (
  remote: string | undefined,
  xForwardedFor: string | undefined,
  trust: TrustProxy
): string => {
  let address = remote === undefined ? undefined : parseAddress(remote)
  if (trust._tag !== "None" && xForwardedFor !== undefined) {
    const forwarded = xForwardedFor.split(",").reverse()
    for (let hop = 0; hop < forwarded.length && isTrusted(trust, hop, address); hop++) {
      const next = parseAddress(withoutPort((forwarded[hop] ?? "").trim()))
      if (next === undefined) break
      address = next
    }
  }
  return address?.toString() ?? UNKNOWN_ADDRESS
}

/** Key of rate limits. One IPv6 customer holds at least a /64, so limits count prefixes there. */
export const rateLimitKey = (address: string): string => {
  const parsed = parseAddress(address)
  if (parsed === undefined || parsed.kind() === "ipv4") return parsed?.toString() ?? address
  return `${new ipaddr.IPv6([...parsed.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`
}
