/**
 * Issues tokens in sandbox mode, so that the JWT flow works without an identity provider. Live mode has none. The key is
 * created once, stored encrypted, and shared by all instances.
 */
import { Effect, Layer, Option, Clock, Context, Data, Duration, Schema } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { file, local, remote } from "./JwksSource.ts"
import { InvalidToken, JwtVerifier } from "./JwtVerifier.ts"
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JSONWebKeySet, SignJWT } from "jose"
import { traced } from "../../platform/observability/Spans.ts"

const ALGORITHM = "ES256"

/** Never contains the text of the key, which may be private. */
class InvalidSigningKey extends Data.TaggedError("InvalidSigningKey")<{ readonly message: string }> {}

interface DevelopmentKey {
  readonly privateJwk: string
  readonly kid: string
}

interface TokenRequest {
  readonly sub: string
  readonly orgId?: string | undefined
  /** Issued with `email_verified`. */
  readonly email?: string | undefined
  readonly ttl: Duration.DurationInput
  readonly issuer: string
  readonly audience: string
}

const PrivateJwk = Schema.parseJson(
  Schema.Struct({
    kty: Schema.Literal("EC"),
    crv: Schema.Literal("P-256"),
    x: Schema.String,
    y: Schema.String,
    d: Schema.String,
    kid: Schema.NonEmptyString,
    alg: Schema.Literal(ALGORITHM),
    use: Schema.Literal("sig")
  })
)

const invalidKey = () => new InvalidSigningKey({ message: "The development issuer's key is not an ES256 private JWK" })

/** Uses the key's thumbprint (RFC 7638) as its id. */
export const generateDevelopmentKey: Effect.Effect<DevelopmentKey> = Effect.promise(async () => {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const kid = await calculateJwkThumbprint(await exportJWK(publicKey))
  const privateJwk = JSON.stringify({ ...(await exportJWK(privateKey)), kid, alg: ALGORITHM, use: "sig" })
  return { privateJwk, kid }
})

export class TokenSigner extends Context.Tag("corridor/TokenSigner")<
  TokenSigner,
  {
    readonly issue: (request: TokenRequest) => Effect.Effect<string>
    /** The public key, for the verifier. */
    readonly jwks: JSONWebKeySet
  }
>() {
  static readonly layer = (privateJwk: string): Layer.Layer<TokenSigner, InvalidSigningKey> =>
    Layer.effect(
      TokenSigner,
      Effect.gen(function* () {
        const jwk = yield* Schema.decode(PrivateJwk)(privateJwk).pipe(Effect.mapError(invalidKey))
        const key = yield* Effect.tryPromise({ try: () => importJWK(jwk, ALGORITHM), catch: invalidKey })
        const { d: _private, ...publicJwk } = jwk

        return {
          jwks: { keys: [publicJwk] },
          issue: traced("TokenSigner.issue")(function* ({ sub, orgId, email, ttl, issuer, audience }) {
            const issuedAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
            return yield* Effect.promise(() =>
              new SignJWT({
                ...(orgId === undefined ? {} : { org_id: orgId }),
                ...(email === undefined ? {} : { email, email_verified: true })
              })
                .setProtectedHeader({ alg: ALGORITHM, kid: jwk.kid, typ: "JWT" })
                .setSubject(sub)
                .setIssuer(issuer)
                .setAudience(audience)
                .setIssuedAt(issuedAt)
                .setExpirationTime(issuedAt + Math.floor(Duration.toSeconds(ttl)))
                .sign(key)
            )
          })
        }
      })
    )
}

export const developmentIssuer = "corridor-development"
export const developmentAudience = "corridor"
export const issuerSecret = "development-issuer"

const freshKey = Effect.map(generateDevelopmentKey, ({ privateJwk }) => privateJwk)

const signingKey = Effect.flatMap(Secrets, (secrets) => secrets.getOrMake(issuerSecret, freshKey))

export const DevelopmentIssuer = Layer.unwrapEffect(Effect.map(signingKey, TokenSigner.layer))

/** True in sandbox mode without a configured identity provider. */
export const issuesTokens = Effect.map(
  Settings,
  ({ jwt, mode }) => mode === "sandbox" && Option.isNone(jwt.jwksUrl) && Option.isNone(jwt.jwksFile)
)

const noVerifier = Layer.succeed(JwtVerifier, {
  verify: () =>
    Effect.fail(new InvalidToken({ message: "no identity provider is configured (JWT_JWKS_URL or JWT_JWKS_FILE)" }))
})

const ownTokens = Layer.unwrapEffect(
  Effect.map(TokenSigner, ({ jwks }) =>
    JwtVerifier.layer({ source: local(jwks), issuer: developmentIssuer, audience: developmentAudience })
  )
).pipe(Layer.provide(DevelopmentIssuer))

/** Verifies tokens of the configured identity provider, or of the development issuer. */
export const JwtVerifierLive = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { jwt } = yield* Settings
    const issuer = Option.getOrElse(jwt.issuer, () => developmentIssuer)
    const audience = Option.getOrElse(jwt.audience, () => developmentAudience)
    if (Option.isSome(jwt.jwksUrl)) {
      return JwtVerifier.layer({ source: remote(new URL(jwt.jwksUrl.value)), issuer, audience })
    }
    if (Option.isSome(jwt.jwksFile)) {
      return JwtVerifier.layer({ source: yield* file(jwt.jwksFile.value), issuer, audience })
    }
    return (yield* issuesTokens) ? ownTokens : noVerifier
  })
)
