/** A receiver of webhooks on loopback that remembers what it got and answers as a test wants. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import type { Identity } from "./Certificates.ts"

export interface Hook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Answering = (response: ServerResponse, hook: Hook, nth: number) => void

export const withStatus =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answering =>
  (response) => {
    response.writeHead(status, headers).end()
  }

export const hanging: Answering = () => undefined

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly hooks: ReadonlyArray<Hook>
  /** Takes effect with the next request. */
  readonly answer: (answering: Answering) => void
}

const open = async (first: Answering, identity?: Identity) => {
  const hooks: Array<Hook> = []
  let answering = first
  const listener: RequestListener = (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const hook = {
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8")
      }
      hooks.push(hook)
      answering(response, hook, hooks.length)
    })
  }
  const server = identity === undefined ? createServer(listener) : createSecureServer({ ...identity }, listener)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    hooks,
    answer: (next) => {
      answering = next
    }
  }
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  return { receiver, close }
}

/** With an identity it speaks TLS. */
export const newReceiver = (answering: Answering = withStatus(200), identity?: Identity) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => open(answering, identity)),
      ({ close }) => Effect.promise(close)
    ),
    ({ receiver }) => receiver
  )

/** Waits for a condition; the test's own time limit ends a wait in vain. */
export const until = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (seen: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(look, (seen) =>
    isSo(seen) ? Effect.succeed(seen) : Effect.zipRight(Effect.sleep("10 millis"), until(look, isSo))
  )

export const untilTrue = (isSo: () => boolean) => until(Effect.sync(isSo), (so) => so)

export const eventIds = (hooks: ReadonlyArray<Hook>): ReadonlyArray<string> =>
  hooks.map((hook) => (JSON.parse(hook.body) as { readonly event_id: string }).event_id)
