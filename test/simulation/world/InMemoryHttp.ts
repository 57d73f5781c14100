/** HTTP requests and responses without a network. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { HttpReply, HttpRequest } from "./SimulationEnvironment.ts"

type Listener = (chunk?: Buffer) => void

/** `soon`: delivers the body after the listener is attached, as a socket does. */
export const requestOf = (
  { body, headers = {}, method, path }: HttpRequest,
  soon: (then: () => void) => void
): IncomingMessage => {
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const all: Record<string, string> = {
    host: "corridor.test",
    ...(bytes === undefined ? {} : { "content-length": String(bytes.length), "content-type": "application/json" }),
    ...headers
  }
  const listeners = new Map<string, Listener>()
  const request = {
    method,
    url: path,
    headers: all,
    rawHeaders: Object.entries(all).flat(),
    socket: { remoteAddress: "127.0.0.1" },
    destroyed: false,
    complete: true,
    on: (event: string, listener: Listener) => {
      listeners.set(event, listener)
      if (event === "close") {
        soon(() => {
          if (bytes !== undefined) listeners.get("data")?.(bytes)
          listeners.get("end")?.()
        })
      }
      return request
    },
    off: (event: string) => {
      listeners.delete(event)
      return request
    },
    pause: () => request
  }
  return request as unknown as IncomingMessage
}

export const responseFor = (answered: (reply: HttpReply) => void): ServerResponse => {
  const pieces: Array<Buffer> = []
  let status = 0
  let headers: Record<string, string> = {}
  const response = {
    headersSent: false,
    destroyed: false,
    writeHead: (code: number, all: Record<string, string>) => {
      status = code
      headers = all
      response.headersSent = true
    },
    write: (piece: Buffer, taken: () => void) => {
      pieces.push(piece)
      taken()
    },
    end: (body?: string | Buffer) =>
      answered({ status, headers, body: Buffer.concat([...pieces, Buffer.from(body ?? "")]).toString() })
  }
  return response as unknown as ServerResponse
}
