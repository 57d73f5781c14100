/** Receiver for the callbacks of a fake, as the port hands them to an adapter. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"

export interface Mailbox {
  readonly url: string
  readonly callbacks: ReadonlyArray<CallbackRequest>
  /** Sets the answer to the nth callback; 200 by default. */
  status: (nth: number) => number
}

const open = async () => {
  const callbacks: Array<CallbackRequest> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const target = new URL(request.url ?? "/", "http://mailbox")
      callbacks.push({
        method: request.method ?? "",
        path: target.pathname,
        query: Object.fromEntries(target.searchParams),
        authority: request.headers.host ?? "",
        headers: request.headers as CallbackRequest["headers"],
        body: Buffer.concat(chunks)
      })
      response.writeHead(mailbox.status(callbacks.length)).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const mailbox: Mailbox = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callbacks,
    status: () => 200
  }
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  return { mailbox, close }
}

export const newMailbox = Effect.map(
  Effect.acquireRelease(Effect.promise(open), ({ close }) => Effect.promise(close)),
  ({ mailbox }) => mailbox
)
