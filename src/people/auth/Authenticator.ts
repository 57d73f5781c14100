/**
 * Authenticates a request by its two credential headers, and limits requests by credential, organisation and address. All
 * refusals look alike to the caller.
 */
import { Context, Effect, Layer, Option, Clock } from "effect"
import { hashApiKey, parseApiKey } from "../../domain/ApiKeyFormat.ts"
import { Settings } from "../../platform/config/Settings.ts"
import type { Caller } from "../../domain/Access.ts"
import { type Unauthorized, unauthorized, RateLimited } from "../../domain/Failure.ts"
import { CallerStore } from "./CallerStore.ts"
import { JwtVerifier } from "./JwtVerifier.ts"
import type { IncomingMessage } from "node:http"
import {
  credentialsWorthOfOrganization,
  failedAuthenticationsPerMinute,
  prefixesWorthOfAddress
} from "../../domain/policies/PeoplePolicies.ts"
import { clientAddress, rateLimitKey } from "../../platform/config/ClientAddress.ts"
import { type RateLimitDecision, RateLimits } from "../../platform/rateLimits/RateLimits.ts"
import { Gate } from "../../platform/http/Handlers.ts"

interface CredentialHeaders {
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

/** Reads raw headers, since Node keeps only the first of repeated ones. */
const credentialHeaders = ({ rawHeaders }: IncomingMessage): CredentialHeaders => {
  const authorization: Array<string> = []
  const apiKey: Array<string> = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 13 && name.toLowerCase() === "authorization") authorization.push(rawHeaders[i + 1]!)
    else if (name.length === 9 && name.toLowerCase() === "x-api-key") apiKey.push(rawHeaders[i + 1]!)
  }
  return { authorization, apiKey }
}

/** Failures with a well-formed key count for its prefix too; others for the address only. */
const presentedPrefix = ({ apiKey: [text = ""] }: CredentialHeaders): string =>
  Option.match(parseApiKey(text), { onNone: () => "", onSome: ({ prefix }) => prefix })

const refuse = (decision: RateLimitDecision, what: string): Effect.Effect<void, RateLimited> =>
  decision.allowed
    ? Effect.void
    : Effect.fail(
        new RateLimited({
          message: `Too many ${what}: try again in ${decision.retryAfterSeconds} s.`,
          retryAfterSeconds: decision.retryAfterSeconds
        })
      )

export const credentialGate = Layer.effect(
  Gate,
  Effect.gen(function* () {
    const { authenticate } = yield* Authenticator
    const { organizationExists } = yield* CallerStore
    const { rateLimitPerMinute, trustProxy } = yield* Settings
    const { limiter } = yield* RateLimits
    const requests = limiter("requests", rateLimitPerMinute)
    const ofOrganizations = limiter("organizations", rateLimitPerMinute * credentialsWorthOfOrganization)
    const failedLimit = rateLimitPerMinute === 0 ? 0 : failedAuthenticationsPerMinute
    const failures = limiter("failed authentications", failedLimit)
    const failuresOfAddress = limiter("addresses", failedLimit * prefixesWorthOfAddress)

    const addressOf = ({ headers, socket }: IncomingMessage): string => {
      const forwarded = headers["x-forwarded-for"]
      const list = Array.isArray(forwarded) ? forwarded.join(",") : forwarded
      return rateLimitKey(clientAddress(socket.remoteAddress, list, trustProxy))
    }

    /** Limits failures only: others behind the same address may have valid credentials. */
    const failed = (request: IncomingMessage, credentials: CredentialHeaders, now: number) => {
      const address = addressOf(request)
      const decisions = [
        failures.take(`${address} ${presentedPrefix(credentials)}`, now),
        failuresOfAddress.take(address, now)
      ]
      return Effect.forEach(decisions, (decision) => refuse(decision, "failed authentications"), { discard: true })
    }

    /** A request refused by the organisation's limit does not count for the credential. */
    const counted = (caller: Caller, now: number) => {
      const credential = Option.getOrElse(caller.apiKeyId, () => caller.id)
      const organization = Option.map(caller.organization, ({ orgId }) => orgId)
      const decision = Option.match(organization, {
        onNone: () => requests.take(credential, now),
        onSome: (orgId) => {
          const together = ofOrganizations.peek(orgId, now)
          const alone = together.allowed ? requests.take(credential, now) : together
          if (alone.allowed) ofOrganizations.spend(orgId, now)
          return alone
        }
      })
      return refuse(decision, "requests")
    }

    return {
      organizationExists,
      admit: Effect.fnUntraced(function* (request) {
        const credentials = credentialHeaders(request)
        const now = yield* Clock.currentTimeMillis
        const caller = yield* Effect.catchTag(authenticate(credentials), "Unauthorized", (refusal) =>
          Effect.zipRight(failed(request, credentials, now), refusal)
        )
        yield* counted(caller, now)
        return caller
      })
    }
  })
)
