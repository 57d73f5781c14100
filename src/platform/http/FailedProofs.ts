/**
 * How often one address may send callbacks that prove nothing. Only those are counted and refused: one that carries its
 * provider's proof is never turned away for what others send from the same address.
 */
import type { IncomingMessage } from "node:http"
import { Clock, Effect } from "effect"
import { Settings } from "../config/Settings.ts"
import { type Overloaded, RateLimited, type Unauthorized } from "../../domain/Failure.ts"
import { failedProofsPerMinute } from "../../domain/policies/Server.ts"
import { RateLimits } from "./RateLimits.ts"
import { requestAddress } from "./RequestAddress.ts"

export const makeFailedProofs = Effect.fnUntraced(function* (name: string) {
  const { rateLimitPerMinute, trustProxy } = yield* Settings
  const { limiter } = yield* RateLimits
  const failures = limiter(name, rateLimitPerMinute === 0 ? 0 : failedProofsPerMinute)

  /** `why` is for the log, which nobody fills by sending more. */
  return <Refusal extends Unauthorized | Overloaded>(
    request: IncomingMessage,
    why: string,
    refusal: Effect.Effect<never, Refusal>
  ): Effect.Effect<never, Refusal | RateLimited> =>
    Effect.gen(function* () {
      const decision = failures.take(requestAddress(request, trustProxy), yield* Clock.currentTimeMillis)
      if (decision.allowed) return yield* Effect.zipRight(Effect.logWarning(why), refusal)
      const { retryAfterSeconds } = decision
      const message = `Too many callbacks without proof: try again in ${retryAfterSeconds} s.`
      return yield* new RateLimited({ message, retryAfterSeconds })
    })
})
