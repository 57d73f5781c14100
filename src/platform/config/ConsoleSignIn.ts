/** Settings of the console's sign-in at the identity provider; none without `CONSOLE_CLIENT_ID`. */
import { ConfigError, Either, Option } from "effect"
import { urlOf } from "../../domain/Url.ts"

export const audienceParameters = ["resource", "audience", "none"] as const

type AudienceParameter = (typeof audienceParameters)[number]

export interface ConsoleSignIn {
  /** Exactly the `iss` of the tokens. Its metadata are below `/.well-known`. */
  readonly issuer: string
  readonly clientId: string
  readonly scope: string
  /** Required `aud` of the token that the console sends to the API. */
  readonly audience: string
  /** Parameter of the sign-in request that names the audience. */
  readonly audienceParameter: AudienceParameter
  /** Origins that the console may call, besides this server. */
  readonly origins: ReadonlyArray<string>
}

interface Given {
  readonly clientId: Option.Option<string>
  readonly scopes: Option.Option<string>
  readonly audienceParameter: Option.Option<AudienceParameter>
  readonly tokenOrigin: Option.Option<string>
}

interface Tokens {
  readonly issuer: Option.Option<string>
  readonly audience: Option.Option<string>
  readonly jwksUrl: Option.Option<string>
  readonly jwksFile: Option.Option<string>
}

/** Providers such as Auth0 and Okta issue refresh tokens for a further scope, `offline_access`. */
const usualScopes = "openid email"

type Refusal = Either.Either<never, ConfigError.ConfigError>

const missing = (name: string, why: string): Refusal => Either.left(ConfigError.MissingData([name], why))

const invalid = (name: string, why: string): Refusal => Either.left(ConfigError.InvalidData([name], why))

const withoutClient = ({ audienceParameter, scopes, tokenOrigin }: Given) => {
  const [lone] = [
    ...(Option.isSome(scopes) ? ["CONSOLE_SCOPES"] : []),
    ...(Option.isSome(audienceParameter) ? ["CONSOLE_AUDIENCE_PARAMETER"] : []),
    ...(Option.isSome(tokenOrigin) ? ["CONSOLE_TOKEN_ORIGIN"] : [])
  ]
  return lone === undefined
    ? Either.right(Option.none<ConsoleSignIn>())
    : missing("CONSOLE_CLIENT_ID", `${lone} is used with it only`)
}

/** Checks the settings against each other. Live mode reaches the provider by https only. */
export const consoleSignIn = (
  given: Given,
  { audience, issuer, jwksFile, jwksUrl }: Tokens,
  mode: "sandbox" | "live"
): Either.Either<Option.Option<ConsoleSignIn>, ConfigError.ConfigError> => {
  if (Option.isNone(given.clientId)) return withoutClient(given)
  if (Option.isNone(jwksUrl) && Option.isNone(jwksFile)) {
    return missing("JWT_JWKS_URL", "tokens of the provider that CONSOLE_CLIENT_ID signs in at could not be verified")
  }
  if (Option.isNone(issuer)) return missing("JWT_ISSUER", "CONSOLE_CLIENT_ID signs in there")
  if (Option.isNone(audience)) return missing("JWT_AUDIENCE", "CONSOLE_CLIENT_ID asks for tokens with it")
  const at = urlOf(issuer.value)
  const protocols = mode === "live" ? ["https:"] : ["https:", "http:"]
  if (at === undefined || !protocols.includes(at.protocol)) {
    const wanted = protocols.map((one) => `${one}//`).join(" or ")
    return invalid("JWT_ISSUER", `CONSOLE_CLIENT_ID needs an address that starts with ${wanted}`)
  }
  const clientId = given.clientId.value
  const scope = Option.getOrElse(given.scopes, () => usualScopes)
  if (!scope.split(/\s+/).includes("openid"))
    return invalid("CONSOLE_SCOPES", `expected openid among them: ${usualScopes}`)
  const isAddress = urlOf(audience.value) !== undefined
  const usual = audience.value === clientId ? "none" : isAddress ? "resource" : "audience"
  const audienceParameter = Option.getOrElse(given.audienceParameter, () => usual)
  if (audienceParameter === "resource" && !isAddress) {
    return invalid("CONSOLE_AUDIENCE_PARAMETER", "resource needs a JWT_AUDIENCE that is an address")
  }
  const origins = [at.origin, ...Option.toArray(given.tokenOrigin)].map((one) => new URL(one).origin)
  return Either.right(
    Option.some({
      ...{ issuer: issuer.value, clientId, scope, audience: audience.value, audienceParameter },
      origins: Array.from(new Set(origins))
    })
  )
}
