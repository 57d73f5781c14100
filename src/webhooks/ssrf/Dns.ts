/**
 * Every address that a name has right now. The name servers are asked over sockets, each name for itself and for a
 * limited time: the system's own call would hold one of the few threads that the whole process shares.
 */
import { Resolver } from "node:dns"
import { Context, Data, Duration, Effect, Either } from "effect"
import { dnsTimeout, dnsTries, dnsTryTimeout } from "../../domain/policies/WebhookPolicies.ts"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"

/** The names that a machine knows by itself, which its name servers are not asked for. */
type KnownNames = ReadonlyMap<string, ReadonlyArray<string>>

const path = "/etc/hosts"

/** An address with a zone means something on one of the machine's own links only. */
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

/** As it is now; a machine without one knows no names. */
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

/** Whatever the name servers say: it is never theirs to give away. */
const isLocalhost = /(^|\.)localhost$/

/** The server says so itself. Any other failure leaves open which addresses there are. */
const meansNone = new Set(["ENODATA", "ENOTFOUND"])

const reasonOf = ({ code }: NodeJS.ErrnoException): string => code ?? "UNKNOWN"

/** All addresses or none: one that could not be asked for could not be checked either. */
const together = (answers: ReadonlyArray<Found>): Either.Either<ReadonlyArray<string>, NameUnresolved> => {
  const failed = answers.flatMap((one) => (Either.isLeft(one) && !meansNone.has(one.left) ? [one.left] : []))
  const addresses = answers.flatMap((one) => Either.getOrElse(one, () => []))
  if (failed[0] !== undefined) return Either.left(new NameUnresolved({ reason: failed[0] }))
  return addresses.length === 0 ? Either.left(new NameUnresolved({ reason: "ENOTFOUND" })) : Either.right(addresses)
}

const ask = (resolver: Resolver, how: "resolve4" | "resolve6", name: string): Effect.Effect<Found> =>
  Effect.async((resume) => {
    resolver[how](name, (error, addresses) =>
      resume(Effect.succeed(error === null ? Either.right(addresses) : Either.left(reasonOf(error))))
    )
  })

/** A resolver for each name: what is given up is taken back from the name servers, and disturbs no other. */
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

/** The hosts file comes first, as for the machine's own connections. */
export const makeDns = (known: KnownNames, servers?: ReadonlyArray<string>): NameLookup => ({
  lookup: (asked) => {
    const name = asked.toLowerCase().replace(/\.$/, "")
    const here = known.get(name) ?? (isLocalhost.test(name) ? loopback : undefined)
    return here === undefined ? askServers(name, servers) : Effect.succeed(here)
  }
})

/** The machine's name servers and its hosts file as it is at the start, unless another is provided. */
export class Dns extends Context.Reference<Dns>()("corridor/Dns", { defaultValue: () => makeDns(readHosts()) }) {}
