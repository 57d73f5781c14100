/** Honours the header Idempotency-Key around an operation that moves money. */
import { Context, Effect } from "effect"
import { type Failure, isDatabaseFailure } from "../../domain/Failure.ts"
import { Primary } from "../database/Timeline.ts"
import { makeRunDetached } from "../fibers/RunDetached.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import type { KeyName, NewKey } from "../idempotency/IdempotencyStore.ts"
import { failureReply } from "./ErrorReply.ts"
import type { Outgoing } from "./Outgoing.ts"

const replayed = { "content-type": "application/json", "idempotent-replayed": "true" }

const make = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const runDetached = yield* makeRunDetached

  const keep = (key: NewKey, { body, status }: Outgoing) => idempotency.keep(key, status, String(body))

  return Effect.fnUntraced(function* (
    name: KeyName,
    path: string,
    body: unknown,
    answer: (key: NewKey) => Effect.Effect<Outgoing, Failure>
  ) {
    const { changes } = yield* Primary
    const before = changes()
    const begun = yield* idempotency.begin(name, body)
    if (begun._tag === "Replay") return { status: begun.status, headers: replayed, body: begun.response }
    const { key } = begun
    // A refusal is an answer too, where something had been done before it; whoever hung up may ask for it later.
    return yield* runDetached(
      answer(key).pipe(
        Effect.tap((outgoing) => keep(key, outgoing)),
        // A refusal that a change of the primary may have caused is told as 503, and is no answer for the key.
        Effect.tapError((failure) =>
          isDatabaseFailure(failure) || changes() !== before ? Effect.void : keep(key, failureReply(failure, path))
        )
      )
    )
  })
})

export class OnceOnly extends Context.Tag("corridor/OnceOnly")<OnceOnly, Effect.Effect.Success<typeof make>>() {
  /** One for all routes, in the scope of their server: what they began is waited for before the services end. */
  static readonly provided = Effect.provideServiceEffect(OnceOnly, make)
}
