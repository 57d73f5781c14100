/** Takes the callbacks of a fake, as the service would. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<CallbackRequest>
}

export const receiver: Effect.Effect<Receiver, never, Scope.Scope> = Effect.acquireRelease(
  Effect.async<Receiver & { readonly close: Effect.Effect<void> }>((resume) => {
    const received: Array<CallbackRequest> = []
    const server = createServer((incoming, response) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => {
        received.push({
          method: incoming.method ?? "",
          path: incoming.url ?? "",
          query: {},
          authority: incoming.headers.host ?? "",
          headers: incoming.headers as Record<string, string>,
          body: Buffer.concat(chunks)
        })
        response.writeHead(200).end()
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`
      const close = Effect.async<void>((done) => {
        server.close(() => done(Effect.void))
        server.closeAllConnections()
      })
      resume(Effect.succeed({ url, received, close }))
    })
  }),
  ({ close }) => close
)
