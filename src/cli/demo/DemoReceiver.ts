/** A webhook receiver of the demo's own: on loopback, registered for as long as the demo runs, and no longer. */
import { createHmac, timingSafeEqual } from "node:crypto"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import { Effect, Option, Schema } from "effect"
import { call } from "../client/ApiClient.ts"
import { type Expected, type Receiver, retried, StepFailed } from "./DemoSteps.ts"

export interface Received {
  readonly event_id: string
  readonly event_type: string
  /** The payment or transaction that it tells of. */
  readonly about: string
  readonly verified: boolean
}

/** In sandbox mode a server delivers to the machine that it runs on. */
export const loopbackReceiver: Receiver = { port: 0, addressAt: (port) => `http://127.0.0.1:${port}/` }

interface Delivery {
  readonly signature: string
  readonly body: Buffer
}

const Event = Schema.parseJson(
  Schema.Struct({
    event_id: Schema.String,
    event_type: Schema.String,
    data: Schema.Struct({
      payment_id: Schema.optional(Schema.String),
      transaction_id: Schema.optional(Schema.String)
    })
  })
)

const listening = (deliveries: Array<Delivery>, { identity, port }: Receiver) =>
  Effect.async<http.Server, StepFailed>((resume) => {
    const take: http.RequestListener = (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        deliveries.push({
          signature: String(request.headers["x-service-signature"] ?? ""),
          body: Buffer.concat(chunks)
        })
        response.writeHead(204).end()
      })
    }
    const server = identity === undefined ? http.createServer(take) : https.createServer({ ...identity }, take)
    server.on("error", (error) =>
      resume(new StepFailed({ message: `No webhook receiver can be opened: ${error.message}` }))
    )
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
  })

const closed = (server: http.Server) =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const isSigned = ({ body, signature }: Delivery, secret: string): boolean => {
  const wanted = createHmac("sha256", secret).update(body).digest()
  const given = Buffer.from(signature, "hex")
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

export const openReceiver = Effect.fnUntraced(function* (receiver: Receiver) {
  const deliveries: Array<Delivery> = []
  const server = yield* Effect.acquireRelease(listening(deliveries, receiver), closed)
  const { port } = server.address() as AddressInfo
  const { data } = yield* Effect.acquireRelease(
    call("webhooks", "create", { payload: { endpoint_url: receiver.addressAt(port) } }),
    ({ data: { webhook_id } }) =>
      Effect.catchAll(call("webhooks", "remove", { path: { webhook_id } }), (error) =>
        Effect.logWarning(`The demo's webhook endpoint ${webhook_id} is still registered`, error)
      )
  )

  /** Each event once. */
  const received = Effect.sync((): ReadonlyArray<Received> => {
    const all = deliveries.flatMap((delivery) => {
      const event = Option.getOrUndefined(Schema.decodeOption(Event)(delivery.body.toString("utf8")))
      if (event === undefined) return []
      const { event_id, event_type } = event
      const about = event.data.payment_id ?? event.data.transaction_id ?? ""
      return [[event_id, { event_id, event_type, about, verified: isSigned(delivery, data.secret_key) }] as const]
    })
    return Array.from(new Map(all).values())
  })

  const missing = (seen: ReadonlyArray<Received>, expected: ReadonlyArray<Expected>) =>
    expected.filter(([type, id]) => !seen.some(({ about, event_type }) => event_type === type && about === id))

  return {
    webhookId: data.webhook_id,
    /** All that has come once these have, each of them signed. */
    allOf: (expected: ReadonlyArray<Expected>) =>
      received.pipe(
        Effect.filterOrFail(
          (seen) => missing(seen, expected).length === 0,
          (seen) => {
            const types = missing(seen, expected).map(([type]) => type)
            return new StepFailed({ message: `${seen.length} webhooks came, but not: ${types.join(", ")}.` })
          }
        ),
        retried("the last webhooks"),
        Effect.filterOrFail(
          (seen) => seen.every(({ verified }) => verified),
          () => new StepFailed({ message: "A webhook came with a signature that is not its secret's." })
        )
      )
  }
})
