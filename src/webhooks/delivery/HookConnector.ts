/** Opens connections to receivers, only to addresses that were checked a moment before, and to no others by the same name. */
import { isIP, type LookupFunction } from "node:net"
import { Cause, Duration, Exit, Runtime } from "effect"
import { buildConnector } from "undici"
import type { Settings } from "../../platform/config/Settings.ts"
import { checkAddress, type Protocol } from "../ssrf/Address.ts"
import { EndpointRefused, resolveChecked } from "../ssrf/ResolveChecked.ts"
import type { HookNetwork } from "./HookNetwork.ts"

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1")

const errorOf = (cause: Cause.Cause<EndpointRefused>): Error => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error : new Error(String(error))
}

export const connectorIn = (
  { mode, webhookTimeout }: Settings["Type"],
  { authorities, reach }: HookNetwork["Type"],
  runtime: Runtime.Runtime<never>
): buildConnector.connector => {
  const runFork = Runtime.runFork(runtime)

  /** Node connects to what this answers, and asks nobody else; the certificate is still held against the name. */
  const lookupFor =
    (protocol: Protocol): LookupFunction =>
    (hostname, options, callback) => {
      runFork(resolveChecked(`${protocol}//${hostname}/`, mode)).addObserver((exit) => {
        if (Exit.isFailure(exit)) return callback(errorOf(exit.cause), "")
        const [first, ...others] = exit.value.addresses
        if (options.all === true) return callback(null, [first, ...others].map(reach))
        const { address, family } = reach(first)
        callback(null, address, family)
      })
    }

  const connectorFor = (protocol: Protocol) =>
    buildConnector({
      lookup: lookupFor(protocol),
      autoSelectFamily: true,
      timeout: Duration.toMillis(webhookTimeout),
      ...(authorities === undefined ? {} : { ca: [...authorities] })
    })

  const connectors = { "http:": connectorFor("http:"), "https:": connectorFor("https:") }

  return (options, callback) => {
    const protocol: Protocol = options.protocol === "https:" ? "https:" : "http:"
    const host = bare(options.hostname)
    // A literal address is never looked up, so it is checked here.
    const literal = isIP(host) === 0 ? undefined : checkAddress(host, mode, protocol)
    if (literal?._tag === "Left") return callback(new EndpointRefused({ kind: "address", message: literal.left }), null)
    connectors[protocol]({ ...options, hostname: host }, callback)
  }
}
