/** The client that the contract gives, typed from end to end, acting for one credential. */
import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect } from "effect"
import { Api } from "../../src/contract/api/Api.ts"
import type { Credential } from "./Credentials.ts"
import { TestServer } from "./TestServer.ts"

export const clientFor = (credential: Credential) =>
  Effect.flatMap(TestServer, ({ baseUrl }) =>
    HttpApiClient.make(Api, {
      baseUrl,
      transformClient: HttpClient.mapRequest(HttpClientRequest.setHeaders({ ...credential }))
    })
  ).pipe(Effect.provide(FetchHttpClient.layer))

export type Client = Effect.Effect.Success<ReturnType<typeof clientFor>>
