/**
 * How often one address may send callbacks that prove nothing:
 * - past `failedProofsPerMinute` its failures are 429; callbacks that carry their provider's proof are still taken;
 * - past `unreadProofsPerMinute` failures its callbacks are 429 before their bodies are read, so a flood costs little.
 * Callbacks with a proof are never counted.
 */
import type { IncomingMessage } from "node:http"
import { Clock, Effect } from "effect"
import { Settings } from "../config/Settings.ts"
import { type Busy, RateLimited, type Unauthorized } from "../../domain/Failure.ts"
import { failedProofsPerMinute, unreadProofsPerMinute } from "../../domain/policies/Server.ts"
import type { RateLimitDecision } from "./RateLimiter.ts"
import { RateLimits } from "./RateLimits.ts"
import { requestAddress } from "./RequestAddress.ts"

const unlessAllowed = (decision: RateLimitDecision): Effect.Effect<void, RateLimited> => {
  if (decision.allowed) return Effect.void
  const { retryAfterSeconds } = decision
  const message = `Too many callbacks without proof: try again in ${retryAfterSeconds} s.`
  return new RateLimited({ message, retryAfterSeconds })
}

export const makeFailedProofs = Effect.fnUntraced(function* (name: string) {
  const { rateLimitPerMinute, trustProxy } = yield* Settings
  const { limiter } = yield* RateLimits
  const isOff = rateLimitPerMinute === 0
  const failures = limiter(name, isOff ? 0 : failedProofsPerMinute)
  const unread = limiter(`${name}, unread`, isOff ? 0 : unreadProofsPerMinute)

  const counted = (request: IncomingMessage) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const address = requestAddress(request, trustProxy)
      unread.spend(address, now)
      return failures.take(address, now)
    })

  return {
    /** Before the body is read. */
    admit: (request: IncomingMessage): Effect.Effect<void, RateLimited> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        unlessAllowed(unread.peek(requestAddress(request, trustProxy), now))
      ),
    /** `why` is for the log, which nobody fills by sending more. */
    refuse: <Refusal extends Unauthorized | Busy>(
      request: IncomingMessage,
      why: string,
      refusal: Effect.Effect<never, Refusal>
    ): Effect.Effect<never, Refusal | RateLimited> =>
      Effect.flatMap(counted(request), unlessAllowed).pipe(
        Effect.zipRight(Effect.logWarning(why)),
        Effect.zipRight(refusal)
      ),
    /** Counts a callback that carries no proof, and about which nothing was to be done. */
    countIdle: (request: IncomingMessage): Effect.Effect<void, RateLimited> =>
      Effect.flatMap(counted(request), unlessAllowed)
  }
})
