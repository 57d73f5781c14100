/** The contract's typed client, with one credential. */
import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"
import { Api } from "../../src/contract/api/Api.ts"
import type { Credential } from "./TestCredentials.ts"
import { TestServer } from "./TestServer.ts"

const makeClient = (baseUrl: string, credential: Credential) =>
  HttpApiClient.make(Api, {
    baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeaders({ ...credential }))
  }).pipe(Effect.provide(FetchHttpClient.layer))

export type Client = Effect.Effect.Success<ReturnType<typeof makeClient>>

/** Cached: one costs as much as several requests. */
const made = new Map<string, Client>()

export const clientFor = (credential: Credential): Effect.Effect<Client, never, TestServer> =>
  Effect.flatMap(TestServer, ({ baseUrl }) => {
    const whose = JSON.stringify([baseUrl, credential])
    const before = made.get(whose)
    return before !== undefined
      ? Effect.succeed(before)
      : Effect.tap(makeClient(baseUrl, credential), (client) => Effect.sync(() => made.set(whose, client)))
  })
