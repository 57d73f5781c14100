/** An adapter at work against the fake of its provider, over real HTTP both ways. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Duration, Effect, Runtime } from "effect"
import { makeCallsUnderWay } from "../../../src/providers/client/CallsUnderWay.ts"
import type { ProviderCall, ProviderHttp, ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"
import { makeProviderHttp } from "../../../src/providers/client/UndiciHttp.ts"
import type { Fake } from "../../../src/providers/fakes/Fake.ts"
import { startFake } from "../../../src/providers/fakes/FakeServer.ts"
import type { CallbackEvent, CallbackRequest, NoProof } from "../../../src/providers/port/Callback.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import type { CredentialFields, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"
import { connected } from "./ThirdPartyOrders.ts"

type Take = (request: CallbackRequest) => Promise<number>

const listener = (take: Take) =>
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((incoming, response) => {
        const chunks: Array<Buffer> = []
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
        incoming.on("end", () => {
          const request: CallbackRequest = {
            method: incoming.method ?? "POST",
            path: incoming.url ?? "/",
            query: {},
            authority: incoming.headers.host ?? "",
            headers: incoming.headers as CallbackRequest["headers"],
            body: Buffer.concat(chunks)
          }
          void take(request).then((status) => response.writeHead(status).end())
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

export const againstFake = <Fields extends CredentialFields>(
  party: ThirdParty<Fields>,
  fake: Fake,
  about: { readonly rawCards?: boolean; readonly basePath?: string; readonly credentials?: Record<string, string> } = {}
) =>
  Effect.gen(function* () {
    const events: Array<CallbackEvent> = []
    const refused: Array<NoProof> = []
    const runtime = yield* Effect.runtime()
    /** There is none before its fake runs, which has to know where to call back. */
    const made: { provider?: Provider } = {}
    const take: Take = (request) =>
      Runtime.runPromise(
        runtime,
        Effect.match(
          Effect.suspend(() => made.provider!.callback(request)),
          {
            onFailure: (noProof) => (refused.push(noProof), 401),
            onSuccess: (callback) => (events.push(...callback.events), callback.reply?.status ?? 200)
          }
        )
      )
    const server = yield* listener(take)
    const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`
    const running = yield* startFake(fake, {
      callbackUrl,
      pace: Duration.millis(5),
      late: Duration.millis(10),
      slow: Duration.millis(200)
    })
    const baseUrl = `${running.url}${about.basePath ?? ""}`
    const http = yield* makeProviderHttp({
      provider: party.name,
      account: "platform",
      baseUrl,
      mode: "sandbox",
      callsUnderWay: makeCallsUnderWay()
    })
    const exchanged: Array<readonly [ProviderCall, ProviderReply]> = []
    const recorded: ProviderHttp = {
      call: (call) => Effect.tap(http.call(call), (reply) => Effect.sync(() => exchanged.push([call, reply])))
    }
    const provider = connected(
      party,
      { ...running.credentials, ...about.credentials },
      {
        http: recorded,
        baseUrl,
        callbackUrl,
        rawCards: about.rawCards ?? false
      }
    )
    made.provider = provider
    return { provider, events, refused, exchanged, ...running }
  })
