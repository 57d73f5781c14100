/** Check of `corridor doctor`: whether people can sign in to the console with the settings and the provider's metadata. */
import { Duration, Effect, Option, Schema } from "effect"
import { jwksFetchTimeout } from "../../domain/policies/PeoplePolicies.ts"
import type { Settings } from "../../platform/config/Settings.ts"
import type { ConsoleSignIn } from "../../platform/config/ConsoleSignIn.ts"
import { urlOf } from "../../domain/Url.ts"
import { type Check, fail, ok, warn } from "./MachineChecks.ts"

const NAME = "Console sign-in"

/** The parts of a provider's metadata that settings may contradict. */
const Metadata = Schema.Struct({
  issuer: Schema.String,
  jwks_uri: Schema.optional(Schema.String),
  token_endpoint: Schema.optional(Schema.String),
  code_challenge_methods_supported: Schema.optional(Schema.Array(Schema.String))
})

type Values = Pick<Settings["Type"], "consoleSignIn" | "jwt" | "mode" | "publicUrl">

const metadataOf = (issuer: string) => {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  return Effect.tryPromise(async () => {
    const answer = await fetch(address, { signal: AbortSignal.timeout(Duration.toMillis(jwksFetchTimeout)) })
    return (await answer.json()) as unknown
  }).pipe(
    Effect.flatMap(Schema.decodeUnknown(Metadata)),
    Effect.mapError(() => `no metadata of the identity provider at ${address}: check JWT_ISSUER and the network.`)
  )
}

const judged = (
  { audienceParameter, clientId, issuer, origins }: ConsoleSignIn,
  { jwt, publicUrl }: Values,
  metadata: typeof Metadata.Type
): Check => {
  if (metadata.issuer !== issuer) {
    return fail(NAME, `JWT_ISSUER is ${issuer}, but the identity provider calls itself ${metadata.issuer}: set it so.`)
  }
  const tokens = urlOf(metadata.token_endpoint ?? "")?.origin
  if (tokens === undefined) return fail(NAME, `${issuer} has no token endpoint.`)
  if (!origins.includes(tokens)) {
    return fail(NAME, `the token endpoint is on another origin than JWT_ISSUER: set CONSOLE_TOKEN_ORIGIN=${tokens}.`)
  }
  const keys = Option.getOrUndefined(jwt.jwksUrl)
  if (keys !== undefined && metadata.jwks_uri !== undefined && keys !== metadata.jwks_uri.replace(/\/+$/, "")) {
    return warn(NAME, `JWT_JWKS_URL is ${keys}, but the identity provider has its keys at ${metadata.jwks_uri}.`)
  }
  if (metadata.code_challenge_methods_supported?.includes("S256") === false) {
    return warn(NAME, `${issuer} does not name PKCE with S256 among what it supports, which the console uses.`)
  }
  const asks = audienceParameter === "none" ? "no audience parameter" : `parameter ${audienceParameter}`
  return ok(NAME, `at ${issuer} as ${clientId}, ${asks}; the client there needs the address ${publicUrl}/console`)
}

/** None for a sandbox without a client: its tokens are in `sandbox.json`. */
export const signInCheck = (values: Values): Effect.Effect<ReadonlyArray<Check>> =>
  Option.match(values.consoleSignIn, {
    onNone: () =>
      Effect.succeed(
        values.mode === "live"
          ? [warn(NAME, "people have to paste a token into the console: set CONSOLE_CLIENT_ID.")]
          : []
      ),
    onSome: (signIn) =>
      metadataOf(signIn.issuer).pipe(
        Effect.map((metadata) => judged(signIn, values, metadata)),
        Effect.catchAll((message) => Effect.succeed(fail(NAME, message))),
        Effect.map((check) => [check])
      )
  })
