/** The client for programs on Effect: decoded schemas, branded ids, exact decimals. */
import { FetchHttpClient, HttpApiClient, type HttpClient } from "@effect/platform"
import { Clock, Context, Effect, Layer } from "effect"
import { Api } from "../contract/api/Api.ts"
import { Ids } from "../domain/Ids.ts"
import { rootOf } from "./RequestRules.ts"
import { type CorridorOptions, transport } from "./Transport.ts"
import { verifyWebhook, type WebhookDelivery, WebhookRefused } from "./VerifyWebhook.ts"

export const makeCorridor = Effect.fnUntraced(function* (options: CorridorOptions) {
  const ids = yield* Ids
  return yield* HttpApiClient.make(Api, { baseUrl: rootOf(options.url), transformClient: transport(options, ids) })
})

export type CorridorClient = Effect.Effect.Success<ReturnType<typeof makeCorridor>>

export class Corridor extends Context.Tag("corridor/client")<Corridor, CorridorClient>() {
  /** On the program's own HttpClient. */
  static readonly layerNoFetch = (options: CorridorOptions): Layer.Layer<Corridor, never, HttpClient.HttpClient> =>
    Layer.effect(Corridor, makeCorridor(options)).pipe(Layer.provide(Ids.layer))

  static readonly layer = (options: CorridorOptions): Layer.Layer<Corridor> =>
    Layer.provide(Corridor.layerNoFetch(options), FetchHttpClient.layer)
}

/** Fails with a `WebhookRefused`; the time is that of the program's Clock. */
export const verifyWebhookEffect = Effect.fnUntraced(function* (delivery: WebhookDelivery) {
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.tryPromise({
    try: () => verifyWebhook({ now, ...delivery }),
    catch: (error) => (error instanceof WebhookRefused ? error : new WebhookRefused(String(error)))
  })
})
