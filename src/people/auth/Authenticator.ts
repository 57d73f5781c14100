/** Authenticates a request by its two credential headers. All refusals look alike to the caller. */
import { Context, Effect, Layer, Option } from "effect"
import { hashApiKey, parseApiKey } from "../../domain/ApiKeyFormat.ts"
import { Settings } from "../../platform/config/Settings.ts"
import type { Caller } from "../../domain/Access.ts"
import { type Unauthorized, unauthorized } from "../../domain/Failure.ts"
import { CallerStore } from "./CallerStore.ts"
import { JwtVerifier } from "./JwtVerifier.ts"

export interface CredentialHeaders {
  readonly authorization: ReadonlyArray<string>
  readonly apiKey: ReadonlyArray<string>
}

type Credential = Option.Option<string>

const NONE = "NONE"
const BEARER = /^bearer ([^ ]+)$/i

/** The value of a header that must occur exactly once; none for the literal NONE. */
const single = (values: ReadonlyArray<string>): Effect.Effect<Credential, Unauthorized> => {
  const [value] = values
  if (values.length !== 1 || value === undefined) return Effect.fail(unauthorized())
  return Effect.succeed(value === NONE ? Option.none() : Option.some(value))
}

const sameOrganization = (a: Caller, b: Caller): boolean =>
  Option.isSome(a.organization) &&
  Option.isSome(b.organization) &&
  a.organization.value.orgId === b.organization.value.orgId

const make = Effect.gen(function* () {
  const callers = yield* CallerStore
  const jwt = yield* JwtVerifier
  const { mode } = yield* Settings
  const keyMode = mode === "live" ? "live" : "test"

  const byApiKey = Effect.fnUntraced(function* (text: string) {
    const parsed = parseApiKey(text)
    if (Option.isNone(parsed) || parsed.value.mode !== keyMode) return yield* unauthorized()
    const caller = yield* callers.byApiKey(hashApiKey(text), keyMode)
    return yield* Effect.mapError(caller, unauthorized)
  })

  const byToken = Effect.fnUntraced(function* (text: string) {
    const token = BEARER.exec(text)?.[1]
    if (token === undefined) return yield* unauthorized()
    const { email, orgId, sub } = yield* jwt.verify(token).pipe(
      Effect.tapErrorTag("JwksUnavailable", (error) => Effect.logWarning(error.message)),
      Effect.tapErrorTag("InvalidToken", (error) => Effect.logDebug(`Token refused: ${error.message}`)),
      Effect.mapError(unauthorized)
    )
    const caller = yield* callers.byToken(sub, orgId)
    return { ...caller, identity: { subject: sub, email } }
  })

  return {
    authenticate: Effect.fnUntraced(function* (headers: CredentialHeaders) {
      const authorization = yield* single(headers.authorization)
      const apiKey = yield* single(headers.apiKey)
      if (Option.isNone(authorization)) {
        return yield* Effect.flatMap(Effect.mapError(apiKey, unauthorized), byApiKey)
      }
      const person = yield* byToken(authorization.value)
      if (Option.isNone(apiKey)) return person
      const machine = yield* byApiKey(apiKey.value)
      return sameOrganization(person, machine) ? person : yield* unauthorized()
    })
  }
})

export class Authenticator extends Context.Tag("corridor/Authenticator")<
  Authenticator,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(Authenticator, make)
}
