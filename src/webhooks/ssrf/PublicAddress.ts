/**
 * Decides which addresses may receive webhooks (SSRF protection). Checked at registration and for every connection, so
 * that no endpoint reaches the service's own network.
 */
import { isIP } from "node:net"
import { Either } from "effect"
import ipaddr from "ipaddr.js"
import type { Mode } from "../../platform/config/Settings.ts"

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
