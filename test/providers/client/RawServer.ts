/** A server that a test holds by its sockets, so that it can do to a caller whatever a network can. */
import { createServer, type AddressInfo, type Server, type Socket } from "node:net"
import { createServer as createSecureServer } from "node:tls"
import { Effect } from "effect"
import type { Identity } from "../../webhooks/delivery/Certificates.ts"

export interface RawServer {
  readonly port: number
  readonly url: string
  /** Every request as it was written, in the order of arrival. */
  readonly requests: ReadonlyArray<string>
  readonly connections: () => number
  /** Sockets that their caller closed. */
  readonly left: () => number
}

/** Handler of the nth whole request, counted from one over all connections. */
export type Doing = (socket: Socket, nth: number) => void

export const ok = (body: string, headers = "content-type: application/json"): string =>
  `HTTP/1.1 200 OK\r\n${headers}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** End of a whole request: where its head ends, and the length of its body. */
const isWhole = (text: string): boolean => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return false
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? "0"
  return Buffer.byteLength(text.slice(end + 4)) >= Number(length)
}

const open = async (doing: Doing, identity?: Identity & { readonly ca?: string }) => {
  const requests: Array<string> = []
  const sockets = new Set<Socket>()
  let connections = 0
  let left = 0
  const onSocket = (socket: Socket) => {
    let text = ""
    connections += 1
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      sockets.delete(socket)
      left += 1
    })
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8")
      if (!isWhole(text)) return
      requests.push(text)
      text = ""
      doing(socket, requests.length)
    })
  }
  const server: Server =
    identity === undefined
      ? createServer(onSocket)
      : createSecureServer(
          { ...identity, requestCert: identity.ca !== undefined, rejectUnauthorized: identity.ca !== undefined },
          onSocket
        )
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      for (const socket of sockets) socket.destroy()
    })
  const raw: RawServer = {
    port,
    url: `${identity === undefined ? "http://127.0.0.1" : "https://localhost"}:${port}`,
    requests,
    connections: () => connections,
    left: () => left
  }
  return { raw, close }
}

export const rawServer = (doing: Doing, identity?: Identity & { readonly ca?: string }) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => open(doing, identity)),
      ({ close }) => Effect.promise(close)
    ),
    ({ raw }) => raw
  )

export const until = (holds: () => boolean) =>
  Effect.promise(async () => {
    for (let tries = 0; tries < 500 && !holds(); tries += 1) await new Promise((done) => setTimeout(done, 5))
    if (!holds()) throw new Error(`it never came to be: ${String(holds)}`)
  })
