/** Access tokens of an account: shared fetches, and one retry with a fresh token after a 401. */
import { Deferred, Duration, Effect, Option, Schema } from "effect"
import type { Declined } from "../../domain/Outcome.ts"
import { tokenMargin } from "../../domain/policies/ProviderPolicies.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { caller } from "./ConcurrencyLimit.ts"
import { type CallFailed, NeverSent, type ProviderReply } from "./ProviderHttp.ts"
import { objectReader } from "./WireValues.ts"

export interface Granted {
  readonly token: string
  readonly expiresInSeconds: number
}

const tokenIn = objectReader({ access_token: Schema.String, expires_in: Schema.NumberFromString.pipe(Schema.finite()) })

/** Reads the usual answer to a request for a token. */
export const grantedIn = ({ json, status }: ProviderReply): Option.Option<Granted> =>
  Option.map(status === 200 ? tokenIn(json) : Option.none(), ({ access_token, expires_in }) => ({
    token: access_token,
    expiresInSeconds: expires_in
  }))

export interface AccessTokens {
  /** Gives the token to a call, and a fresh one to the same call where the first was not taken. */
  readonly use: (
    run: (token: string) => Effect.Effect<ProviderReply, CallFailed>
  ) => Effect.Effect<ProviderReply, CallFailed | Declined>
}

interface Held {
  readonly token: string
  readonly until: number
}

const UNAUTHORIZED = 401

const lifeOf = ({ expiresInSeconds }: Granted): number => {
  const whole = expiresInSeconds * 1000
  return whole - Math.min(Duration.toMillis(tokenMargin), whole / 10)
}

export const makeAccessTokens = (fetch: Effect.Effect<Granted, CallFailed | Declined>): AccessTokens => {
  let held: Held | undefined
  let inFlight: Deferred.Deferred<Held, NeverSent | Declined> | undefined

  const fetched = Effect.gen(function* () {
    // Counts the lifetime from before the request, the earliest possible start.
    const askedAt = yield* monotonicMillis
    const granted = yield* fetch
    return (held = { token: granted.token, until: askedAt + lifeOf(granted) })
  }).pipe(
    // Without a token the order itself was never sent.
    Effect.catchTags({
      MaybeSent: ({ reason }) => new NeverSent({ reason: `no access token: ${reason}` }),
      NeverSent: ({ crowded, reason }) =>
        new NeverSent({ reason: `no access token: ${reason}`, ...(crowded === undefined ? {} : { crowded }) })
    }),
    // Shared by all organisations, so it does not wait in the queue of one of them.
    Effect.locally(caller, { purpose: "question", orgId: null })
  )

  /** Runs as a daemon: interrupting the first caller does not fail the others. */
  const start = Effect.gen(function* () {
    const waited = yield* Deferred.make<Held, NeverSent | Declined>()
    inFlight = waited
    yield* Effect.interruptible(fetched).pipe(
      Effect.onExit((exit) => {
        inFlight = undefined
        return Deferred.done(waited, exit)
      }),
      Effect.forkDaemon
    )
    return waited
  })

  const renewed = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.suspend(() => (inFlight === undefined ? start : Effect.succeed(inFlight))),
      (waited) => restore(Deferred.await(waited))
    )
  )

  const current = Effect.flatMap(monotonicMillis, (now) =>
    held !== undefined && now < held.until ? Effect.succeed(held) : renewed
  )

  /** Replaces a rejected token, unless another call has done so already. */
  const after = (refused: Held) => {
    if (held === refused) held = undefined
    return current
  }

  return {
    use: (run) =>
      Effect.gen(function* () {
        const first = yield* current
        const reply = yield* run(first.token)
        if (reply.status !== UNAUTHORIZED) return reply
        const second = yield* after(first)
        return yield* run(second.token)
      })
  }
}
