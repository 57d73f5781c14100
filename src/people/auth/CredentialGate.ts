/** Authenticates requests and applies rate limits: by credential and organisation, and by address for failures. */
import type { IncomingMessage } from "node:http"
import { Clock, Effect, Layer, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import type { Caller } from "../../domain/Access.ts"
import { parseApiKey } from "../../domain/ApiKeyFormat.ts"
import { RateLimited } from "../../domain/Failure.ts"
import {
  credentialsWorthOfOrganization,
  failedAuthenticationsPerMinute,
  prefixesWorthOfAddress
} from "../../domain/policies/PeoplePolicies.ts"
import { clientAddress, rateLimitKey } from "../../platform/config/ClientAddress.ts"
import { type RateLimitDecision, RateLimits } from "../../platform/rateLimits/RateLimits.ts"
import { Gate } from "../../platform/http/Handlers.ts"
import { CallerStore } from "./CallerStore.ts"
import { Authenticator, type CredentialHeaders } from "./Authenticator.ts"

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
