/** An adapter and a fake over real HTTP, with an endpoint for the callbacks that the adapter itself reads. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Duration, Effect, Redacted, Runtime } from "effect"
import { makeCallsUnderWay } from "../../../src/providers/client/CallsUnderWay.ts"
import { makeProviderHttp } from "../../../src/providers/client/UndiciHttp.ts"
import type { Fake } from "../../../src/providers/fakes/Fake.ts"
import { startFake } from "../../../src/providers/fakes/FakeServer.ts"
import type { CallbackEvent, CallbackRequest, NoProof } from "../../../src/providers/port/Callback.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import type { CredentialFields, Credentials, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"

const path = "/v1/callbacks/fake"

export const realWire = <Fields extends CredentialFields>(party: ThirdParty<Fields>, fake: Fake, basePath = "") =>
  Effect.gen(function* () {
    const run = Runtime.runPromise(yield* Effect.runtime())
    const heard: Array<CallbackEvent> = []
    const refused: Array<NoProof> = []
    const listening: { provider?: Provider } = {}

    const server = createServer((incoming, response) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => {
        const request: CallbackRequest = {
          method: incoming.method ?? "",
          path: incoming.url ?? "",
          query: {},
          authority: incoming.headers.host ?? "",
          headers: incoming.headers as CallbackRequest["headers"],
          body: Buffer.concat(chunks)
        }
        const read = Effect.match(listening.provider!.callback(request), {
          onFailure: (refusal) => {
            refused.push(refusal)
            return 401
          },
          onSuccess: ({ events }) => {
            heard.push(...events)
            return 200
          }
        })
        void run(read).then((status) => response.writeHead(status).end())
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
    const running = yield* startFake(fake, { callbackUrl, pace: Duration.millis(10), late: Duration.millis(40) })
    const baseUrl = `${running.url}${basePath}`
    const http = yield* makeProviderHttp({
      provider: party.name,
      account: "platform",
      baseUrl,
      mode: "sandbox",
      callsUnderWay: makeCallsUnderWay()
    })
    const provider = party.connect({
      configId: null,
      mode: "sandbox",
      credentials: Object.fromEntries(
        Object.entries(running.credentials).map(([name, value]) => [name, Redacted.make(value)])
      ) as Credentials<Fields>,
      baseUrl,
      callbackUrl,
      rawCards: false,
      http
    })
    listening.provider = provider
    return { provider, running, heard, refused }
  })
