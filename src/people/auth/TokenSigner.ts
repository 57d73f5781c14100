/**
 * The development issuer: signs the sandbox's tokens, so that the JWT flow can be tried without an identity provider.
 * Live mode has none.
 */
import { Clock, Context, Data, Duration, Effect, Layer, Schema } from "effect"
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JSONWebKeySet, SignJWT } from "jose"

const ALGORITHM = "ES256"

/** Says nothing about the text it was given: that may be a private key. */
export class InvalidSigningKey extends Data.TaggedError("InvalidSigningKey")<{ readonly message: string }> {}

export interface DevelopmentKey {
  readonly privateJwk: string
  readonly kid: string
}

export interface TokenRequest {
  readonly sub: string
  readonly orgId?: string | undefined
  /** Issued as verified. */
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

/** The key id is the key's thumbprint (RFC 7638), so that two different keys never share one. */
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
    /** The public half, for the verifier. */
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
          issue: Effect.fn("TokenSigner.issue")(function* ({ sub, orgId, email, ttl, issuer, audience }) {
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
