/** Where every request passes: who is it, and have they asked too often? */
import type { IncomingMessage } from "node:http"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Settings } from "../config/Settings.ts"
import type { Caller } from "../domain/Access.ts"
import { RateLimited, type Unauthorized } from "../domain/Failure.ts"
import { failedAuthenticationsPerMinute } from "../domain/Policies.ts"
import { clientAddress, rateLimitKey } from "../http/ClientAddress.ts"
import { type RateLimitDecision, RateLimiter } from "../http/RateLimiter.ts"
import { Authenticator, type CredentialHeaders } from "./Authenticator.ts"

/** Node keeps only the first of two equal headers; the raw list has them all. */
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

const refuse = (decision: RateLimitDecision, what: string): Effect.Effect<void, RateLimited> =>
  decision.allowed
    ? Effect.void
    : Effect.fail(
        new RateLimited({
          message: `Too many ${what}: try again in ${decision.retryAfterSeconds} s.`,
          retryAfterSeconds: decision.retryAfterSeconds
        })
      )

export class Gate extends Context.Tag("corridor/Gate")<
  Gate,
  { readonly admit: (request: IncomingMessage) => Effect.Effect<Caller, Unauthorized | RateLimited> }
>() {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const { authenticate } = yield* Authenticator
      const { rateLimitPerMinute, trustProxy } = yield* Settings
      const requests = new RateLimiter(rateLimitPerMinute)
      const failures = new RateLimiter(rateLimitPerMinute === 0 ? 0 : failedAuthenticationsPerMinute)
      return {
        admit: Effect.fnUntraced(function* (request) {
          const forwarded = request.headers["x-forwarded-for"]
          const address = rateLimitKey(
            clientAddress(
              request.socket.remoteAddress,
              Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
              trustProxy
            )
          )
          const now = yield* Clock.currentTimeMillis
          yield* refuse(failures.peek(address, now), "failed authentications")
          const caller = yield* Effect.tapError(authenticate(credentialHeaders(request)), () =>
            Effect.sync(() => failures.spend(address, now))
          )
          yield* refuse(
            requests.take(
              Option.getOrElse(caller.apiKeyId, () => caller.userId),
              now
            ),
            "requests"
          )
          return caller
        })
      }
    })
  )
}
