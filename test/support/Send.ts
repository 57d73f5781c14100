/** Sends requests header for header and byte for byte. */
import { type Agent, type IncomingHttpHeaders, request } from "node:http"
import { Effect } from "effect"
import { TestServer } from "./TestServer.ts"

export interface Sent {
  readonly method?: string
  /** A list of pairs may repeat a name. */
  readonly headers?: Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>
  readonly body?: string | Uint8Array
  /** Sends chunks instead of a Content-Length. */
  readonly chunked?: boolean
  readonly port?: number
  readonly agent?: Agent
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Whether the connection had been used before. */
  readonly reusedConnection: boolean
}

const PIECE = 64 * 1024

const flat = (sent: Sent): Array<string> => {
  const { body, chunked = false, headers = [] } = sent
  const pairs: ReadonlyArray<readonly [string, string]> = Array.isArray(headers) ? headers : Object.entries(headers)
  const length = chunked
    ? [["transfer-encoding", "chunked"] as const]
    : body === undefined
      ? []
      : [["content-length", String(Buffer.byteLength(body))] as const]
  return [["host", "corridor.test"] as const, ...pairs, ...length].flat()
}

export const send = (path: string, sent: Sent = {}) =>
  Effect.flatMap(TestServer, ({ port }) =>
    Effect.async<Answer, Error>((resume) => {
      const outgoing = request(
        {
          host: "127.0.0.1",
          port: sent.port ?? port,
          method: sent.method ?? "GET",
          path,
          headers: flat(sent),
          ...(sent.agent === undefined ? {} : { agent: sent.agent })
        },
        (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("error", (error) => resume(Effect.fail(error)))
          response.on("end", () =>
            resume(
              Effect.succeed({
                status: response.statusCode ?? 0,
                headers: response.headers,
                text: Buffer.concat(chunks).toString("utf8"),
                reusedConnection: outgoing.reusedSocket
              })
            )
          )
        }
      )
      outgoing.on("error", (error) => resume(Effect.fail(error)))
      const bytes = Buffer.from(sent.body ?? "")
      for (let at = 0; sent.chunked === true && at < bytes.length; at += PIECE) {
        outgoing.write(bytes.subarray(at, at + PIECE))
      }
      outgoing.end(sent.chunked === true ? undefined : bytes)
    })
  )

const JSON_TYPE = { "content-type": "application/json" }

export const post = (path: string, headers: Readonly<Record<string, string>>, body: unknown) =>
  send(path, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) })

export const bodyOf = (answer: Answer): unknown => JSON.parse(answer.text)
