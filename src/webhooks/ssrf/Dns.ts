/**
 * Resolves all addresses of a host name. Queries name servers over sockets with a timeout, because `getaddrinfo` would
 * block one of the process's few libuv threads.
 */
import { Resolver } from "node:dns"
import { Context, Data, Duration, Effect, Either } from "effect"
import { dnsTimeout, dnsTries, dnsTryTimeout } from "../../domain/policies/WebhookPolicies.ts"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"

type KnownNames = ReadonlyMap<string, ReadonlyArray<string>>

const path = "/etc/hosts"

/** Excludes addresses with a zone, which are valid on a local link only. */
const isAddress = (text: string | undefined): text is string =>
  text !== undefined && isIP(text) !== 0 && !text.includes("%")

export const parseHosts = (text: string): KnownNames => {
  const known = new Map<string, ReadonlyArray<string>>()
  for (const line of text.split("\n")) {
    const [address, ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (!isAddress(address)) continue
    for (const name of names.map((one) => one.toLowerCase())) known.set(name, [...(known.get(name) ?? []), address])
  }
  return known
}

/** Reads the hosts file; a missing file is empty. */
const readHosts = (): KnownNames => {
  try {
    return parseHosts(readFileSync(path, "utf8"))
  } catch {
    return new Map()
  }
}

export class NameUnresolved extends Data.TaggedError("NameUnresolved")<{ readonly reason: string }> {}

export interface NameLookup {
  readonly lookup: (name: string) => Effect.Effect<ReadonlyArray<string>, NameUnresolved>
}

type Found = Either.Either<ReadonlyArray<string>, string>

const loopback = ["127.0.0.1", "::1"]

/** Never resolved by name servers. */
const isLocalhost = /(^|\.)localhost$/

/** Codes of a definite answer: no addresses. Other failures leave the addresses unknown. */
const meansNone = new Set(["ENODATA", "ENOTFOUND"])

/** Fails if either query failed: an unknown address cannot be checked. */
const together = (answers: ReadonlyArray<Found>): Either.Either<ReadonlyArray<string>, NameUnresolved> => {
  const failed = answers.flatMap((one) => (Either.isLeft(one) && !meansNone.has(one.left) ? [one.left] : []))
  const addresses = answers.flatMap((one) => Either.getOrElse(one, () => []))
  if (failed[0] !== undefined) return Either.left(new NameUnresolved({ reason: failed[0] }))
  return addresses.length === 0 ? Either.left(new NameUnresolved({ reason: "ENOTFOUND" })) : Either.right(addresses)
}

const ask = (resolver: Resolver, how: "resolve4" | "resolve6", name: string): Effect.Effect<Found> =>
  Effect.async((resume) => {
    resolver[how](name, (error, addresses) =>
      resume(Effect.succeed(error === null ? Either.right(addresses) : Either.left(error.code ?? "UNKNOWN")))
    )
  })

/** Uses one resolver for each name, so that a timeout cancels its own queries only. */
const askServers = (name: string, servers: ReadonlyArray<string> | undefined) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const resolver = new Resolver({ timeout: Duration.toMillis(dnsTryTimeout), tries: dnsTries })
      if (servers !== undefined) resolver.setServers(servers)
      return resolver
    }),
    (resolver) =>
      Effect.flatMap(
        Effect.all([ask(resolver, "resolve4", name), ask(resolver, "resolve6", name)], { concurrency: 2 }),
        together
      ),
    (resolver) => Effect.sync(() => resolver.cancel())
  ).pipe(Effect.timeoutFail({ duration: dnsTimeout, onTimeout: () => new NameUnresolved({ reason: "ETIMEOUT" }) }))

/** Prefers the hosts file to the name servers. */
export const makeDns = (known: KnownNames, servers?: ReadonlyArray<string>): NameLookup => ({
  lookup: (asked) => {
    const name = asked.toLowerCase().replace(/\.$/, "")
    const here = known.get(name) ?? (isLocalhost.test(name) ? loopback : undefined)
    return here === undefined ? askServers(name, servers) : Effect.succeed(here)
  }
})

/** The machine's name servers, and its hosts file as of the start, unless a test provides others. */
export class Dns extends Context.Reference<Dns>()("corridor/Dns", { defaultValue: () => makeDns(readHosts()) }) {}
