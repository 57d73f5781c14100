/** Honours the header Idempotency-Key around an operation that moves money. */
import { Effect, Option } from "effect"
import type { Failure } from "../domain/Failure.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import type { NewKey } from "../idempotency/IdempotencyStore.ts"
import { failureReply } from "./ErrorReply.ts"
import type { Outgoing } from "./Outgoing.ts"
import type { Incoming } from "./Route.ts"

const replayed = { "content-type": "application/json", "idempotent-replayed": "true" }

export const onceOnly = Effect.map(
  Idempotency,
  (idempotency) =>
    (
      { request }: Incoming,
      organization: Option.Option<string>,
      body: unknown,
      answer: (key?: NewKey) => Effect.Effect<Outgoing, Failure>
    ): Effect.Effect<Outgoing, Failure> =>
      Effect.gen(function* () {
        const header = request.headers["idempotency-key"]
        if (typeof header !== "string" || Option.isNone(organization)) return yield* answer()
        const [path = ""] = (request.url ?? "").split("?", 1)
        const begun = yield* idempotency.begin(organization.value, `${request.method} ${path}`, header, body)
        if (begun._tag === "Replay") return { status: begun.status, headers: replayed, body: begun.response }
        // That every provider declined is an outcome too: asking again must not ask them again.
        const outgoing = yield* answer(begun.newKey).pipe(
          Effect.catchTag("AllProvidersFailed", (failure) => Effect.succeed(failureReply(failure, path)))
        )
        yield* idempotency.keep(begun.name, outgoing.status, String(outgoing.body))
        return outgoing
      })
)
