/** The identity provider of sandbox mode: its key is made once, sealed in the database, and shared by all instances. */
import { Effect, Layer, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { file, local, remote } from "./JwksSource.ts"
import { InvalidToken, JwtVerifier } from "./JwtVerifier.ts"
import { generateDevelopmentKey, TokenSigner } from "./TokenSigner.ts"

export const developmentIssuer = "corridor-development"
export const developmentAudience = "corridor"
export const issuerSecret = "development-issuer"

const freshKey = Effect.map(generateDevelopmentKey, ({ privateJwk }) => privateJwk)

const signingKey = Effect.flatMap(Secrets, (secrets) => secrets.getOrMake(issuerSecret, freshKey))

export const DevelopmentIssuer = Layer.unwrapEffect(Effect.map(signingKey, TokenSigner.layer))

/** Whether tokens come from here rather than from a configured identity provider. */
export const issuesTokens = Effect.map(
  Settings,
  ({ jwt, mode }) => mode === "sandbox" && Option.isNone(jwt.jwksUrl) && Option.isNone(jwt.jwksFile)
)

const nobody = Layer.succeed(JwtVerifier, {
  verify: () =>
    Effect.fail(new InvalidToken({ message: "no identity provider is configured (JWT_JWKS_URL or JWT_JWKS_FILE)" }))
})

const ownTokens = Layer.unwrapEffect(
  Effect.map(TokenSigner, ({ jwks }) =>
    JwtVerifier.layer({ source: local(jwks), issuer: developmentIssuer, audience: developmentAudience })
  )
).pipe(Layer.provide(DevelopmentIssuer))

/** Verifies the tokens of the configured identity provider; in sandbox mode without one, those of the development issuer. */
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
    if (!(yield* issuesTokens)) return nobody
    return ownTokens
  })
)
