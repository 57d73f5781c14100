/** Loads the keys that verify JWTs: from an identity provider's endpoint, a file, or the development issuer. */
import { readFile } from "node:fs/promises"
import { Data, Duration, Effect, Schema } from "effect"
import { jwksCoolDown, jwksFetchTimeout, jwksMaxAge } from "../../domain/policies/PeoplePolicies.ts"
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  type CryptoKey,
  errors,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWSHeaderParameters
} from "jose"
import { traced } from "../../platform/observability/Spans.ts"

/** The key set has no key, or several, for this token. */
export class NoSuchKey extends Data.TaggedError("NoSuchKey")<{ readonly message: string }> {}

/** The key set could not be read, so the token could not be checked. */
export class JwksUnavailable extends Data.TaggedError("JwksUnavailable")<{ readonly message: string }> {}

/** Stops the start, since no token could be verified. */
export class InvalidJwksFile extends Data.TaggedError("InvalidJwksFile")<{ readonly message: string }> {}

export interface JwksSource {
  readonly keyFor: (header: JWSHeaderParameters) => Effect.Effect<CryptoKey, NoSuchKey | JwksUnavailable>
}

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? `${cause.message}: ${messageOf(cause.cause)}` : cause.message
}

const fromResolver = (origin: string, resolve: (header: JWSHeaderParameters) => Promise<CryptoKey>): JwksSource => ({
  keyFor: traced("JwksSource.keyFor")((header) =>
    Effect.tryPromise({
      try: () => resolve(header),
      catch: (cause) =>
        cause instanceof errors.JWKSNoMatchingKey ||
        cause instanceof errors.JWKSMultipleMatchingKeys ||
        cause instanceof errors.JOSENotSupported
          ? new NoSuchKey({ message: cause.message })
          : new JwksUnavailable({ message: `${origin}: ${messageOf(cause)}` })
    })
  )
})

/**
 * Fetches the key set at the first token and caches it for 10 minutes. An unknown key id fetches it again, at most every
 * 30 s, so that invented key ids cause no load on the identity provider.
 */
export const remote = (url: URL): JwksSource =>
  fromResolver(
    `${url.origin}${url.pathname}`,
    createRemoteJWKSet(url, {
      cooldownDuration: Duration.toMillis(jwksCoolDown),
      timeoutDuration: Duration.toMillis(jwksFetchTimeout),
      cacheMaxAge: Duration.toMillis(jwksMaxAge)
    })
  )

export const local = (jwks: JSONWebKeySet): JwksSource => fromResolver("development issuer", createLocalJWKSet(jwks))

const KeySet = Schema.parseJson(
  Schema.Struct({
    keys: Schema.Array(
      Schema.Struct({ kty: Schema.String }, Schema.Record({ key: Schema.String, value: Schema.Unknown }))
    )
  })
)

const algorithmFor = (jwk: JWK): string | undefined => {
  if (jwk.kty === "RSA") return "RS256"
  if (jwk.kty === "EC" && jwk.crv === "P-256") return "ES256"
  return jwk.kty === "OKP" && jwk.crv === "Ed25519" ? "EdDSA" : undefined
}

/** Ignores keys for other uses, which a key set may contain. */
const verifiesTokens = (jwk: JWK): boolean => {
  const algorithm = algorithmFor(jwk)
  return algorithm !== undefined && (jwk.alg ?? algorithm) === algorithm && (jwk.use ?? "sig") === "sig"
}

/** Reads the key set once, and fails if no token could be verified with it. */
export const file = traced("JwksSource.file")(function* (path: string) {
  const invalid = (problem: string) => new InvalidJwksFile({ message: `JWT_JWKS_FILE (${path}) ${problem}` })
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => invalid(`cannot be read: ${messageOf(cause)}`)
  })
  const { keys } = yield* Schema.decodeUnknown(KeySet)(text).pipe(
    Effect.mapError(() => invalid('is not a JSON Web Key Set: {"keys": [{"kty": …}, …]}'))
  )
  if (keys.some((jwk) => "d" in jwk || "k" in jwk)) {
    return yield* invalid("holds a private or secret key; it must hold public keys only")
  }
  const usable = keys.filter(verifiesTokens)
  if (usable.length === 0) return yield* invalid("holds no key for RS256, ES256 (P-256) or EdDSA (Ed25519)")
  yield* Effect.forEach(usable, (jwk: JWK) =>
    Effect.tryPromise({
      try: () => importJWK(jwk, algorithmFor(jwk)),
      catch: (cause) => invalid(`holds a key that cannot be used (kid ${jwk.kid}): ${messageOf(cause)}`)
    })
  )
  return fromResolver(path, createLocalJWKSet({ keys: [...usable] }))
})
