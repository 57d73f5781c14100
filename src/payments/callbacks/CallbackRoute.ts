/** `/callbacks/{provider}`: answers fast, tells the provider whether to try again. */
import { Effect, Schema } from "effect"
import { ProviderName } from "../../domain/Corridor.ts"
import { NotFound, TooLarge, Unauthorized } from "../../domain/Failure.ts"
import { makeFailedProofs } from "../../platform/http/FailedProofs.ts"
import { json } from "../../platform/http/Outgoing.ts"
import { readBody } from "../../platform/http/RequestBody.ts"
import type { Incoming, Route } from "../../platform/http/Route.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { Callbacks } from "./Callbacks.ts"

const isProviderName = Schema.is(ProviderName)

const headersOf = ({ request }: Incoming): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : value])
  )

export const callbackRoutes = Effect.gen(function* () {
  const callbacks = yield* Callbacks
  const providers = yield* Providers
  const withoutProof = yield* makeFailedProofs

  const handle = Effect.fnUntraced(function* (incoming: Incoming) {
    const name = incoming.params["provider"]
    const provider = isProviderName(name) ? providers.find(name) : undefined
    if (provider === undefined) return yield* new NotFound({ message: "No such provider." })
    const body = yield* readBody(incoming.request).pipe(
      Effect.catchTags({
        BodyTooLarge: ({ closeConnection }) => new TooLarge({ message: "The body is too large.", closeConnection }),
        BodyAborted: () => Effect.interrupt
      })
    )
    const received = yield* callbacks
      .receive(provider, { headers: headersOf(incoming), body })
      .pipe(
        Effect.catchTag("NoProof", (error) =>
          withoutProof(
            incoming.request,
            `A callback without proof was refused: ${error.message}`,
            new Unauthorized({ message: "The callback does not carry the provider's proof." })
          )
        )
      )
    return json(received === "unknown payment" ? 202 : 200, { status: "success", message: received })
  })

  return (["POST", "PUT"] as const).map((method): Route => ({ method, path: "/callbacks/:provider", handle }))
})
