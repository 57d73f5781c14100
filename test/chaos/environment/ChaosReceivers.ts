/** Webhook receivers, which check signatures and keep the ids of accepted events. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { serviceSignature } from "../../../src/domain/Digest.ts"

/** `hangs` never answers; `fails` refuses every fifth delivery. */
export type ReceiverBehaviour = "takes" | "hangs" | "fails"

export interface Receiver {
  readonly url: string
  readonly taken: ReadonlySet<string>
  readonly problems: ReadonlyArray<string>
  readonly arrived: () => number
  readonly setSecret: (secret: string) => void
  /** Accepts everything from now on. */
  readonly recover: () => void
}

export const startReceiver = (first: ReceiverBehaviour) =>
  Effect.gen(function* () {
    const taken = new Set<string>()
    const bodies = new Map<string, string>()
    const problems: Array<string> = []
    let behaviour = first
    let secret = ""
    let arrived = 0

    const check = (eventId: string, body: string, signature: unknown): void => {
      if (signature !== serviceSignature(secret, body)) problems.push(`event ${eventId} does not bear its signature`)
      const before = bodies.get(eventId)
      if (before !== undefined && before !== body) problems.push(`event ${eventId} was told in two ways`)
      bodies.set(eventId, body)
    }

    const answer = (response: ServerResponse, eventId: string): void => {
      if (behaviour === "hangs") return
      if (behaviour === "fails" && arrived % 5 === 0) return void response.writeHead(500).end()
      taken.add(eventId)
      response.writeHead(204).end()
    }

    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("error", () => undefined)
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8")
        const { event_id } = JSON.parse(body) as { readonly event_id: string }
        arrived += 1
        check(event_id, body, request.headers["x-service-signature"])
        answer(response, event_id)
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
    const receiver: Receiver = {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
      taken,
      problems,
      arrived: () => arrived,
      setSecret: (reported) => (secret = reported),
      recover: () => (behaviour = "takes")
    }
    return receiver
  })
