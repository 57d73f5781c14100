/** Verification of pawaPay's signature (RFC 9421): over the body's digest, the address and the date. */
import { createHash, type KeyObject, createPublicKey } from "node:crypto"
import { Either, Option, Clock, Data, Duration, Effect, Redacted, Schema } from "effect"
import { type CallbackRequest, Check, isSame } from "../port/Callback.ts"
import type { ProviderHttp } from "../client/ProviderHttp.ts"

/** The headers by which a message tells what of it was signed, and how (RFC 9421 and RFC 9530), as far as pawaPay uses them. */
interface SignatureInput {
  readonly label: string
  /** Covered components, in the order in which they were signed. */
  readonly components: ReadonlyArray<string>
  /** Signature input as sent: it is signed itself. */
  readonly text: string
  readonly alg: string
  readonly keyId: string
  /** Seconds since 1970. */
  readonly created: number | null
  readonly expires: number | null
}

const member = /^([a-z*][a-z0-9_\-.*]*)=(\(([^()]*)\)((?:;[a-z][a-z0-9_\-.*]*=(?:"[^"\\]*"|\d{1,15}))*))$/

const parameter = /;([a-z][a-z0-9_\-.*]*)=(?:"([^"\\]*)"|(\d+))/g

const component = /^"([@a-z0-9-]+)"$/

/** Reads one signature; with several it is open which one is meant. */
const readSignatureInput = (header: string): Either.Either<SignatureInput, string> =>
  Either.gen(function* () {
    const [, label, text, list, tail] = yield* Either.fromNullable(
      member.exec(header.trim()),
      () => "Signature-Input is not of the one form that is expected"
    )
    const items = (list ?? "").split(" ").filter((item) => item !== "")
    const components = items.map((item) => component.exec(item)?.[1])
    if (components.includes(undefined)) return yield* Either.left("Signature-Input names a part with parameters")
    if (new Set(components).size !== components.length) {
      return yield* Either.left("Signature-Input names a part twice")
    }
    const parameters = new Map(
      Array.from((tail ?? "").matchAll(parameter), ([, name = "", quoted, digits]) => [name, quoted ?? digits ?? ""])
    )
    const time = (name: string): number | null => {
      const given = parameters.get(name)
      return given === undefined ? null : Number(given)
    }
    return {
      label: label ?? "",
      components: components as ReadonlyArray<string>,
      text: text ?? "",
      alg: parameters.get("alg") ?? "",
      keyId: parameters.get("keyid") ?? "",
      created: time("created"),
      expires: time("expires")
    }
  })

const bytesMember = /^([a-z*][a-z0-9_\-.*]*)=:([A-Za-z0-9+/]*={0,2}):$/

/** `name=:base64:`, any number of them. */
const readByteMembers = (header: string): ReadonlyArray<readonly [name: string, bytes: Buffer]> =>
  header.split(",").flatMap((one) => {
    const [, name, base64] = bytesMember.exec(one.trim()) ?? []
    return name === undefined || base64 === undefined ? [] : [[name, Buffer.from(base64, "base64")] as const]
  })

const readSignature = (header: string, label: string): Option.Option<Buffer> =>
  Option.fromNullable(readByteMembers(header).find(([name]) => name === label)?.[1])

/** Components that must be signed. With fewer, a callback could be replayed to another address or with another body. */
export const covered = ["@method", "@authority", "@path", "signature-date", "content-digest", "content-type"] as const

/** A clock may differ from theirs by as many seconds. */
const LEEWAY = 30

/** Where nothing says when a signature ends, it is as old as this at most. */
const LONGEST = 300

const hashes: Readonly<Record<string, string>> = { "sha-512": "sha512", "sha-256": "sha256" }

const digestProblem = ({ body, headers }: CallbackRequest): string | undefined => {
  const given = readByteMembers(headers["content-digest"] ?? "").filter(([name]) => Object.hasOwn(hashes, name))
  if (given.length === 0) return "Content-Digest is missing or of no known kind"
  const holds = given.every(([name, bytes]) => isSame(createHash(hashes[name]!).update(body).digest(), bytes))
  return holds ? undefined : "Content-Digest is not that of the body"
}

const timeProblem = ({ created, expires }: SignatureInput, now: number): string | undefined => {
  if (created === null) return "The signature does not say when it was made"
  if (created > now + LEEWAY) return "The signature is of a time to come"
  return (expires ?? created + LONGEST) + LEEWAY < now ? "The signature has expired" : undefined
}

const valueOf = ({ authority, headers, method, path }: CallbackRequest, component: string): string | undefined => {
  switch (component) {
    case "@method":
      return method
    case "@authority":
      return authority.toLowerCase()
    case "@path":
      return path
    default:
      return component.startsWith("@") ? undefined : headers[component]?.trim()
  }
}

/** The text that was signed; nothing where it names a part that the callback has not. */
const signatureBase = (
  request: CallbackRequest,
  { components, text }: Pick<SignatureInput, "components" | "text">
): Option.Option<string> => {
  const lines = components.map((component) => [component, valueOf(request, component)] as const)
  return lines.some(([, value]) => value === undefined)
    ? Option.none()
    : Option.some([...lines.map(([name, value]) => `"${name}": ${value}`), `"@signature-params": ${text}`].join("\n"))
}

export interface Signed {
  readonly keyId: string
  readonly alg: string
  readonly base: Buffer
  readonly signature: Buffer
}

/** Everything but the key: the digest, what is covered, and the time. */
export const readSigned = (request: CallbackRequest, nowMillis: number): Either.Either<Signed, string> =>
  Either.gen(function* () {
    const input = yield* readSignatureInput(request.headers["signature-input"] ?? "")
    const missing = covered.filter((one) => !input.components.includes(one))
    if (missing.length > 0) return yield* Either.left(`The signature does not cover ${missing.join(", ")}`)
    const problem = digestProblem(request) ?? timeProblem(input, Math.floor(nowMillis / 1000))
    if (problem !== undefined) return yield* Either.left(problem)
    const signature = yield* Either.fromOption(
      readSignature(request.headers["signature"] ?? "", input.label),
      () => "Signature is missing or cannot be read"
    )
    const base = yield* Either.fromOption(
      signatureBase(request, input),
      () => "The signature covers what the callback has not"
    )
    return { keyId: input.keyId, alg: input.alg, base: Buffer.from(base), signature }
  })

interface Algorithm {
  readonly hash: string
  readonly fits: (key: KeyObject) => boolean
  readonly check: (hash: string, base: Buffer, key: KeyObject, signature: Buffer) => Check<"vendor">
}

const PSS_PADDING = 6
const PSS_SALT = 64

const isCurve =
  (curve: string) =>
  (key: KeyObject): boolean =>
    key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === curve

const isRsa = (key: KeyObject): boolean => key.asymmetricKeyType === "rsa"

/** pawaPay writes the two numbers of a signature as DER, where the RFC has them side by side: both are read. */
const onCurve: Algorithm["check"] = (hash, base, key, signature) =>
  Check.any([
    Check.signed(hash, base, key, signature),
    Check.signed(hash, base, { key, dsaEncoding: "ieee-p1363" }, signature)
  ])

/** The key must be of the kind that the algorithm needs: the callback itself does not choose how it is checked. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  "ecdsa-p256-sha256": { hash: "sha256", fits: isCurve("prime256v1"), check: onCurve },
  "ecdsa-p384-sha384": { hash: "sha384", fits: isCurve("secp384r1"), check: onCurve },
  "rsa-v1_5-sha256": { hash: "sha256", fits: isRsa, check: Check.signed },
  "rsa-pss-sha512": {
    hash: "sha512",
    fits: isRsa,
    check: (hash, base, key, signature) =>
      Check.signed(hash, base, { key, padding: PSS_PADDING, saltLength: PSS_SALT }, signature)
  }
}

export const checkSignature = (key: KeyObject, { alg, base, signature }: Signed): Check<"vendor"> => {
  const algorithm = Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined
  return algorithm === undefined || !algorithm.fits(key)
    ? Check.failed
    : algorithm.check(algorithm.hash, base, key, signature)
}

/** The keys are unreachable, so the signature is neither valid nor invalid. */
export class KeysOutOfReach extends Data.TaggedError("KeysOutOfReach")<{ readonly reason: string }> {}

/** The account's own setting, or the keys that pawaPay publishes. */
export interface PublicKeys {
  /** `fresh`: fetches again after a mismatch, at a limited rate. */
  readonly find: (keyId: string, fresh: boolean) => Effect.Effect<Option.Option<KeyObject>, KeysOutOfReach>
}

const Published = Schema.Array(Schema.Struct({ id: Schema.String, key: Schema.String }))
const decodePublished = Schema.decodeUnknownEither(Published)

const tryAgainAfter = Duration.toMillis(Duration.seconds(5))
const askAgainAfter = Duration.toMillis(Duration.minutes(1))
const keptFor = Duration.toMillis(Duration.hours(6))

export const readKey = (pem: string): Option.Option<KeyObject> =>
  // A setting of one line has its line ends written out.
  Either.getRight(Either.try(() => createPublicKey(pem.replaceAll("\\n", "\n"))))

const ownKey = (pem: Redacted.Redacted): PublicKeys => {
  const key = readKey(Redacted.value(pem))
  return { find: () => Effect.succeed(key) }
}

const publishedKeys = (http: ProviderHttp): PublicKeys => {
  let keys: ReadonlyMap<string, KeyObject> = new Map()
  let askedAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY

  const ask = Effect.gen(function* () {
    const call = { operation: "read public keys", method: "GET", path: "/public-key/http" } as const
    const { json, status } = yield* Effect.mapError(http.call(call), ({ reason }) => new KeysOutOfReach({ reason }))
    const published = decodePublished(json)
    if (status !== 200 || Either.isLeft(published)) {
      return yield* new KeysOutOfReach({ reason: `HTTP ${status} instead of public keys` })
    }
    keys = new Map(
      published.right.flatMap(({ id, key }) =>
        Option.match(readKey(key), { onNone: () => [], onSome: (one) => [[id, one] as const] })
      )
    )
    askedAt = yield* Clock.currentTimeMillis
  })

  const turn = Effect.unsafeMakeSemaphore(1)
  return {
    find: (keyId, fresh) =>
      turn.withPermits(1)(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const wanting = fresh || !keys.has(keyId)
          const isDue = now - askedAt >= (wanting ? askAgainAfter : keptFor)
          if (isDue && now - failedAt < tryAgainAfter) return yield* new KeysOutOfReach({ reason: "asked just now" })
          if (isDue) yield* Effect.tapError(ask, () => Effect.sync(() => (failedAt = now)))
          return Option.fromNullable(keys.get(keyId))
        })
      )
  }
}

export const makePublicKeys = (http: ProviderHttp, own: Redacted.Redacted | undefined): PublicKeys =>
  own === undefined ? publishedKeys(http) : ownKey(own)
