/** Whether a callback carries pawaPay's signature (RFC 9421): over its body's digest, its address and its date. */
import { createHash, type KeyObject } from "node:crypto"
import { Either, Option } from "effect"
import { type CallbackRequest, Check, isSame } from "../port/Callback.ts"
import { readDigests, readSignature, readSignatureInput, type SignatureInput } from "./SignatureInput.ts"

/** What must be signed: with less, a callback could be sent to another address, or with another body. */
export const covered = ["@method", "@authority", "@path", "signature-date", "content-digest", "content-type"] as const

/** A clock may differ from theirs by as many seconds. */
const LEEWAY = 30

/** Where nothing says when a signature ends, it is as old as this at most. */
const LONGEST = 300

const hashes: Readonly<Record<string, string>> = { "sha-512": "sha512", "sha-256": "sha256" }

const digestProblem = ({ body, headers }: CallbackRequest): string | undefined => {
  const given = readDigests(headers["content-digest"] ?? "").filter(([name]) => Object.hasOwn(hashes, name))
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
export const signatureBase = (
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
