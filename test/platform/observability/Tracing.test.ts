import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import { Data, Effect, Layer, Option } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { tracing } from "../../../src/platform/observability/Tracing.ts"

class Declined extends Data.TaggedError("Declined")<{ readonly message: string }> {}

interface Received {
  readonly path: string
  readonly contentType: string | undefined
  readonly body: string
}

interface Collected {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<{ key: string; value: { stringValue?: string } }> }
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<{
        readonly name: string
        readonly startTimeUnixNano: string
        readonly attributes: ReadonlyArray<{ key: string; value: { stringValue?: string } }>
      }>
    }>
  }>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

const collector = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly received: Array<Received>; readonly close: () => void }>((resume) => {
    const received: Array<Received> = []
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        received.push({ path: request.url ?? "", contentType: request.headers["content-type"], body })
        response.writeHead(200, { "content-type": "application/json", "x-kyb-signature": "answer-secret" }).end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const options = (endpoint: Option.Option<string>) => tracing({ endpoint, version: "9.9.9", instance: "instance-7" })

const spansOf = (received: ReadonlyArray<Received>) =>
  received
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ body }) => (JSON.parse(body) as Collected).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

describe("tracing", () => {
  it.scopedLive("sends spans as OTLP/JSON when its scope closes, with who we are", () =>
    Effect.gen(function* () {
      const { received, url } = yield* collector
      yield* Effect.void.pipe(Effect.withSpan("Payments.initiate"), Effect.provide(options(Option.some(`${url}/`))))
      expect(received.map(({ contentType, path }) => [path, contentType])).toEqual([["/v1/traces", "application/json"]])
      const [resource] = (JSON.parse(received[0]?.body ?? "") as Collected).resourceSpans
      expect(resource?.resource.attributes).toEqual(
        expect.arrayContaining([
          { key: "service.name", value: { stringValue: "corridor" } },
          { key: "service.version", value: { stringValue: "9.9.9" } },
          { key: "service.instance.id", value: { stringValue: "instance-7" } }
        ])
      )
      const [span] = spansOf(received)
      expect(span?.name).toBe("Payments.initiate")
      expect(span?.startTimeUnixNano).toMatch(/^\d{19}$/)
    })
  )

  it.scopedLive("lets no secret of an outgoing request or an error into a span", () =>
    Effect.gen(function* () {
      const { received, url } = yield* collector
      const secrets = {
        authorization: "Bearer authorization-secret",
        cookie: "cookie-secret",
        "x-api-key": "x-api-key-secret",
        "idempotency-key": "idempotency-secret",
        "x-service-signature": "signature-secret",
        "x-kyb-signature": "kyb-secret",
        "webhook-signature": "webhook-secret",
        "ocp-apim-subscription-key": "subscription-secret"
      }
      const call = Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        yield* client.execute(
          HttpClientRequest.get(`${url}/hook?t=query-secret#fragment-secret`, {
            headers: { ...secrets, accept: "text/visible" }
          })
        )
        return yield* new Declined({ message: "declined 4242424242424242" })
      })
      yield* call.pipe(
        Effect.withSpan("Provider.call", { attributes: { note: 'sent {"cvv":"987"}', card: "4242 4242 4242 4242" } }),
        Effect.flip,
        Effect.provide(Layer.merge(FetchHttpClient.layer, options(Option.some(url))))
      )
      const exported = received.filter(({ path }) => path === "/v1/traces").map(({ body }) => body)
      expect(spansOf(received).map(({ name }) => name)).toEqual(["http.client GET", "Provider.call"])
      const text = exported.join("")
      expect(text).not.toMatch(/secret|4242424242|4242 4242|987\\/)
      expect(text).toContain("text/visible")
      expect(text).toContain("declined [card]")
      const attributes = new Map(spansOf(received)[0]?.attributes.map(({ key, value }) => [key, value.stringValue]))
      expect(attributes.get("url.full")).toBe(`${url}/hook`)
    })
  )

  it.scopedLive("does nothing without an endpoint", () =>
    Effect.gen(function* () {
      const before = yield* Effect.tracer
      const inside = yield* Effect.tracer.pipe(Effect.provide(options(Option.none())))
      expect(inside).toBe(before)
    })
  )
})
