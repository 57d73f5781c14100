/** Verifies bearer tokens and returns their subject. Roles come from the membership in the database, not the token. */
import { Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { decodeProtectedHeader, type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from "jose"
import { EmailAddress } from "../../domain/MailSafeText.ts"
import { type JwksSource, type JwksUnavailable } from "./JwksSource.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** `message` is for the log; callers see only that the token was refused. */
export class InvalidToken extends Data.TaggedError("InvalidToken")<{ readonly message: string }> {}

interface TokenSubject {
  readonly sub: string
  readonly orgId: Option.Option<string>
  /** Only an address that the identity provider has verified. */
  readonly email: Option.Option<string>
}

interface JwtSettings {
  readonly source: JwksSource
  readonly issuer: string
  readonly audience: string
}

const ALGORITHMS = ["RS256", "ES256", "EdDSA"]
const CLOCK_TOLERANCE_SECONDS = 60
const MAX_TOKEN_CHARACTERS = 8 * 1024
const COMPACT = /^[\w-]+\.[\w-]+\.([\w-]*)$/

/** Headers that let a token choose its own key, or change how it is read. */
const REFUSED_HEADERS = ["jku", "x5u", "jwk", "x5c", "crit"]

/** Without control characters and lone surrogates, which cannot be stored. */
const Identifier = Schema.String.pipe(Schema.pattern(/^[^\p{Cc}\p{Cs}]+$/u))

/** Accepts null, which some identity providers use for missing claims. */
const Claims = Schema.Struct({
  sub: Identifier,
  org_id: Schema.optional(Schema.NullOr(Identifier)),
  email: Schema.optional(Schema.Unknown),
  email_verified: Schema.optional(Schema.Unknown)
})

const isAddress = Schema.is(Schema.typeSchema(EmailAddress))

/** Accepts text, which some identity providers use. */
const isVerified = ({ email_verified }: typeof Claims.Type): boolean =>
  email_verified === true || email_verified === "true"

/** Leaves out an invalid or unverified address; the token stays valid. */
const emailOf = (claims: typeof Claims.Type): Option.Option<string> =>
  isVerified(claims) ? Option.liftPredicate(isAddress)(claims.email) : Option.none()

const refuse = (cause: unknown) => new InvalidToken({ message: cause instanceof Error ? cause.message : String(cause) })

const readHeader = Effect.fnUntraced(function* (token: string) {
  if (token.length > MAX_TOKEN_CHARACTERS) return yield* refuse(`longer than ${MAX_TOKEN_CHARACTERS} characters`)
  const signature = COMPACT.exec(token)?.[1]
  if (signature === undefined) return yield* refuse("not a compact JWS")
  // The last character can hold unused bits: only one spelling of a token is accepted.
  if (Buffer.from(signature, "base64url").toString("base64url") !== signature)
    return yield* refuse("signature is not base64url")
  const header: ProtectedHeaderParameters = yield* Effect.try({
    try: () => decodeProtectedHeader(token),
    catch: refuse
  })
  const forbidden = REFUSED_HEADERS.find((name) => Object.hasOwn(header, name))
  if (forbidden !== undefined) return yield* refuse(`header "${forbidden}" is not accepted`)
  const { alg } = header
  if (alg === undefined || !ALGORITHMS.includes(alg)) return yield* refuse("signature algorithm is not accepted")
  return { ...header, alg }
})

const readClaims = (payload: JWTPayload) =>
  Schema.decodeUnknown(Claims)(payload).pipe(
    Effect.mapBoth({
      onFailure: () => refuse('claim "sub" or "org_id" is not a usable identifier'),
      onSuccess: (claims): TokenSubject => ({
        sub: claims.sub,
        orgId: Option.fromNullable(claims.org_id),
        email: emailOf(claims)
      })
    })
  )

export class JwtVerifier extends Context.Tag("corridor/JwtVerifier")<
  JwtVerifier,
  { readonly verify: (token: string) => Effect.Effect<TokenSubject, InvalidToken | JwksUnavailable> }
>() {
  static readonly layer = ({ source, issuer, audience }: JwtSettings): Layer.Layer<JwtVerifier> =>
    Layer.succeed(JwtVerifier, {
      verify: traced("JwtVerifier.verify")(function* (token) {
        const header = yield* readHeader(token)
        const key = yield* source.keyFor(header).pipe(Effect.catchTag("NoSuchKey", refuse))
        const now = yield* Clock.currentTimeMillis
        const { payload } = yield* Effect.tryPromise({
          try: () =>
            jwtVerify(token, key, {
              algorithms: ALGORITHMS,
              issuer,
              audience,
              requiredClaims: ["exp", "sub"],
              clockTolerance: CLOCK_TOLERANCE_SECONDS,
              currentDate: new Date(now)
            }),
          catch: refuse
        })
        return yield* readClaims(payload)
      })
    })
}
