/** Over real sockets: what can have arrived and what cannot, the limits, and that nothing secret is told. */
import { Cause, Deferred, Duration, Effect, Exit, Fiber, FiberStatus, Metric, Option, Redacted, Tracer } from "effect"
import type { ThirdPartyName } from "../../../src/domain/Corridor.ts"
import { expect, it } from "@effect/vitest"
import { describe } from "vitest"
import { renderPrometheus } from "../../../src/platform/observability/Prometheus.ts"
import { makeConcurrencyLimit, type ConcurrencyLimits } from "../../../src/providers/client/ConcurrencyLimit.ts"
import { type CallFailed, MaybeSent, NeverSent, type ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"
import { makeProviderHttp, type ProviderHttpOptions } from "../../../src/providers/client/UndiciHttp.ts"
import { newAuthority } from "../../webhooks/delivery/Certificates.ts"
import { newReceiver } from "../../webhooks/delivery/Receiver.ts"
import { ok, rawServer, until } from "./RawServer.ts"

const order: ProviderCall = {
  operation: "create payment",
  method: "POST",
  path: "/payments?token=query-secret",
  headers: { authorization: "Bearer header-secret", "content-type": "application/json" },
  body: `{"card":"body-secret"}`
}

const question: ProviderCall = { operation: "find payment", method: "GET", path: "/payments/1" }

const generous = { connect: Duration.seconds(5), firstByte: Duration.seconds(5), answer: Duration.seconds(5) }

const clientOf = (baseUrl: string, about: Partial<ProviderHttpOptions> = {}, room: Partial<ConcurrencyLimits> = {}) =>
  makeProviderHttp({
    provider: "stripe",
    account: "platform",
    baseUrl,
    mode: "sandbox",
    concurrencyLimit: makeConcurrencyLimit({ reserved: 0, share: 0, ...room }),
    limits: generous,
    ...about
  })

/** The failure, or a defect where it did not fail. */
const failureOf = <A>(call: Effect.Effect<A, CallFailed>) => Effect.flip(call)

describe("an answer", () => {
  it.scopedLive("comes with its status, its headers in lower case, its text, and its numbers as they were sent", () =>
    Effect.gen(function* () {
      const body = `{"amount":10.10,"id":12345678901234567890}`
      const server = yield* rawServer((socket) =>
        socket.write(ok(body, "Content-Type: application/json\r\nX-Seen: a\r\nx-seen: b"))
      )
      const http = yield* clientOf(`${server.url}/v71/`)
      const reply = yield* http.call(order)
      expect(reply).toMatchObject({
        status: 200,
        headers: { "content-type": "application/json", "x-seen": "a, b" },
        text: body,
        json: { amount: "10.10", id: "12345678901234567890" }
      })
      const [head, sent] = server.requests[0]!.split("\r\n\r\n")
      expect(head).toContain("POST /v71/payments?token=query-secret HTTP/1.1")
      expect(head).toContain("user-agent: corridor/1.0")
      expect(head).toContain("authorization: Bearer header-secret")
      expect(sent).toBe(order.body)
    })
  )

  it.scopedLive("that is not JSON has no json, whatever its status", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) =>
        socket.write("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 6\r\n\r\n<html>")
      )
      const reply = yield* Effect.flatMap(clientOf(server.url), (http) => http.call(question))
      expect(reply).toMatchObject({ status: 502, text: "<html>", json: undefined })
    })
  )

  it.scopedLive("that points elsewhere is the answer and is not followed", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) =>
        socket.write("HTTP/1.1 307 Go\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n")
      )
      const reply = yield* Effect.flatMap(clientOf(server.url), (http) => http.call(order))
      expect(reply).toMatchObject({ status: 307, headers: { location: "/elsewhere" } })
      expect(server.requests).toHaveLength(1)
    })
  )

  it.scopedLive("may be announced before it comes", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${ok("{}")}`))
      expect(yield* Effect.flatMap(clientOf(server.url), (http) => http.call(order))).toMatchObject({ status: 200 })
    })
  )

  it.scopedLive("comes from another origin, without the path of the base, where a call names one", () =>
    Effect.gen(function* () {
      const [base, other] = yield* Effect.all([
        rawServer((socket) => socket.write(ok(`{}`))),
        rawServer((socket) => socket.write(ok(`{}`)))
      ])
      const http = yield* clientOf(`${base.url}/v71`)
      yield* http.call({ ...question, origin: other.url })
      expect([base.requests.length, other.requests[0]!.split("\r\n")[0]]).toEqual([0, "GET /payments/1 HTTP/1.1"])
    })
  )

  it.scopedLive("comes over a connection that is used again", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) => socket.write(ok(`{}`)))
      const http = yield* clientOf(server.url)
      yield* http.call(order)
      // Rests for a turn of the event loop, in case its other end closes it after all.
      yield* Effect.sleep("10 millis")
      yield* http.call(order)
      expect([server.connections(), server.requests.length]).toEqual([1, 2])
    })
  )

  it.scopedLive("is asked for with our certificate, and checked by the authority that is named", () =>
    Effect.gen(function* () {
      const authority = newAuthority("a provider's own")
      const server = yield* rawServer((socket) => socket.write(ok(`{}`)), {
        ...authority.issue("localhost"),
        ca: authority.cert
      })
      const { cert, key } = authority.issue("corridor.example")
      const tls = { ca: authority.cert, cert, key: Redacted.make(key) }
      const http = yield* clientOf(server.url, { mode: "live", tls })
      expect(yield* http.call(order)).toMatchObject({ status: 200 })
    })
  )
})

describe("nothing was sent", () => {
  it.scopedLive("where the connection is refused", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(rawServer(() => undefined))
      const http = yield* clientOf(gone.url)
      expect(yield* failureOf(http.call(order))).toEqual(
        new NeverSent({ reason: "no connection to it (ECONNREFUSED)" })
      )
    })
  )

  it.scopedLive("where its name means nothing", () =>
    Effect.gen(function* () {
      const http = yield* clientOf("http://nobody.invalid")
      expect(yield* failureOf(http.call(order))).toBeInstanceOf(NeverSent)
    })
  )

  it.scopedLive("where its certificate is not signed by a known authority", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(() => undefined, newAuthority("nobody").issue("localhost"))
      const failure = yield* Effect.flatMap(clientOf(server.url), (http) => failureOf(http.call(order)))
      expect(failure).toBeInstanceOf(NeverSent)
      expect(server.requests).toEqual([])
    })
  )

  it.scopedLive("where its certificate is another host's", () =>
    Effect.gen(function* () {
      const authority = newAuthority("known")
      const server = yield* rawServer(() => undefined, authority.issue("elsewhere.example"))
      const http = yield* clientOf(server.url, { tls: { ca: authority.cert } })
      expect(yield* failureOf(http.call(order))).toEqual(
        new NeverSent({ reason: "no connection to it (ERR_TLS_CERT_ALTNAME_INVALID)" })
      )
      expect(server.requests).toEqual([])
    })
  )

  it.scopedLive("where it does not speak TLS", () =>
    Effect.gen(function* () {
      const plain = yield* newReceiver()
      const http = yield* clientOf(`https://localhost:${plain.port}`)
      expect(yield* failureOf(http.call(order))).toBeInstanceOf(NeverSent)
      expect(plain.hooks).toEqual([])
    })
  )

  it.scopedLive("where no connection was made in time", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(() => undefined)
      const limits = { ...generous, connect: Duration.millis(60) }
      const http = yield* clientOf(`https://localhost:${server.port}`, { limits })
      expect(yield* failureOf(http.call(order))).toEqual(new NeverSent({ reason: "no connection to it within 60ms" }))
    })
  )

  it.scopedLive("where the address has no https in live mode, also at another origin", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) => socket.write(ok("{}")))
      const plain = yield* clientOf(server.url, { mode: "live" })
      const refused = new NeverSent({ reason: "its address does not start with https://" })
      expect(yield* failureOf(plain.call(order))).toEqual(refused)
      const elsewhere = yield* clientOf("https://localhost:1", { mode: "live" })
      expect(yield* failureOf(elsewhere.call({ ...order, origin: server.url }))).toEqual(refused)
      expect(server.connections()).toBe(0)
    })
  )

  it.scopedLive("where the call cannot even be written", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) => socket.write(ok("{}")))
      const http = yield* clientOf(server.url)
      const failure = yield* failureOf(http.call({ ...order, headers: { authorization: "a\r\nb-secret" } }))
      expect(failure).toEqual(new NeverSent({ reason: "no connection to it (UND_ERR_INVALID_ARG)" }))
      expect(server.requests).toEqual([])
    })
  )

  it.scopedLive("where there is no room, and where no turn comes in time", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(() => undefined)
      const http = yield* clientOf(server.url, {}, { concurrency: 1, waiting: 1, patience: Duration.millis(400) })
      const first = yield* Effect.fork(http.call(order))
      yield* until(() => server.requests.length === 1)
      const second = yield* Effect.fork(failureOf(http.call(order)))
      yield* Effect.repeat(Fiber.status(second), { until: FiberStatus.isSuspended })
      expect(yield* failureOf(http.call(order))).toEqual(
        new NeverSent({ reason: "1 calls to it are in progress and 1 more wait", crowded: true })
      )
      expect(yield* Fiber.join(second)).toEqual(
        new NeverSent({ reason: "no turn among the calls to it within 400ms", crowded: true })
      )
      yield* Fiber.interrupt(first)
      expect(server.requests).toHaveLength(1)
    })
  )
})

describe("it may have been sent", () => {
  it.scopedLive.each([
    ["hung up on", (socket: { end: () => void }) => socket.end()],
    ["cut off", (socket: { destroy: () => void }) => socket.destroy()],
    ["reset", (socket: { resetAndDestroy: () => void }) => socket.resetAndDestroy()],
    ["answered with no HTTP", (socket: { write: (text: string) => void }) => socket.write("nonsense\r\n\r\n")]
  ] as const)("where it is %s after it was read", ([, doing]) =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) => doing(socket))
      const failure = yield* Effect.flatMap(clientOf(server.url), (http) => failureOf(http.call(order)))
      expect(failure).toBeInstanceOf(MaybeSent)
      expect(server.requests).toHaveLength(1)
    })
  )

  it.scopedLive.each([order, question])("where a kept connection breaks as the next call is on it: $method", (call) =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket, nth) => {
        if (nth === 1) socket.write(ok("{}"))
        else socket.resetAndDestroy()
      })
      const http = yield* clientOf(server.url)
      yield* http.call(call)
      expect(yield* failureOf(http.call(call))).toBeInstanceOf(MaybeSent)
      // Retries nothing by itself, not even an enquiry.
      yield* Effect.sleep("50 millis")
      expect(server.requests).toHaveLength(2)
    })
  )

  it.scopedLive("where the answer breaks off", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"))
      const failure = yield* Effect.flatMap(clientOf(server.url), (http) => failureOf(http.call(order)))
      expect(failure).toBeInstanceOf(MaybeSent)
    })
  )

  it.scopedLive("where no answer begins in time", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(() => undefined)
      const http = yield* clientOf(server.url, { limits: { ...generous, firstByte: Duration.millis(60) } })
      expect(yield* failureOf(http.call(order))).toEqual(
        new MaybeSent({ reason: "it did not begin to answer within 60ms" })
      )
      // Another connection may be opened after it is closed, but nothing is ever written to it.
      yield* until(() => server.left() > 0)
      yield* Effect.sleep("50 millis")
      expect(server.requests).toHaveLength(1)
    })
  )

  it.scopedLive("where the answer drips for too long", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        const drip = setInterval(() => socket.write("x"), 10)
        socket.on("close", () => clearInterval(drip))
      })
      const http = yield* clientOf(server.url, { limits: { ...generous, answer: Duration.millis(120) } })
      expect(yield* failureOf(http.call(order))).toEqual(
        new MaybeSent({ reason: "its answer was not whole within 120ms" })
      )
      yield* until(() => server.left() > 0)
    })
  )

  it.scopedLive("where the answer is too large", () =>
    Effect.gen(function* () {
      const fits = "x".repeat(1024 * 1024)
      const server = yield* rawServer((socket, nth) => socket.write(ok(nth === 1 ? fits : `${fits}x`)))
      const http = yield* clientOf(server.url)
      expect((yield* http.call(order)).text).toHaveLength(fits.length)
      expect(yield* failureOf(http.call(order))).toEqual(new MaybeSent({ reason: "its answer is too large" }))
    })
  )
})

describe("a caller that leaves", () => {
  it.scopedLive("takes its request along, and gives its place to the next", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket, nth) => nth > 1 && socket.write(ok("{}")))
      const http = yield* clientOf(server.url, {}, { concurrency: 1 })
      const late = yield* Effect.exit(
        Effect.timeoutTo(http.call(order), {
          duration: "400 millis",
          onSuccess: () => "answered",
          onTimeout: () => "late"
        })
      )
      expect(late).toEqual(Exit.succeed("late"))
      yield* until(() => server.left() > 0)
      expect(yield* http.call(order)).toMatchObject({ status: 200 })
    })
  )

  it.scopedLive("before there is a connection never sends anything afterwards", () =>
    Effect.gen(function* () {
      const authority = newAuthority("known")
      const server = yield* rawServer((socket) => socket.write(ok("{}")), authority.issue("localhost"))
      const http = yield* clientOf(server.url, { tls: { ca: authority.cert } })
      const fiber = yield* Effect.fork(http.call(order))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      yield* http.call(question)
      expect(server.requests.map((text) => text.split(" ")[0])).toEqual(["GET"])
    })
  )

  it.scopedLive("while it waits for its turn leaves nothing behind", () =>
    Effect.gen(function* () {
      const calls = makeConcurrencyLimit({ concurrency: 1, reserved: 0, waiting: 5, patience: Duration.seconds(5) })
      const gate = yield* Deferred.make<void>()
      const first = yield* Effect.fork(calls.within(Deferred.await(gate)))
      yield* Effect.yieldNow()
      const leaving = yield* Effect.fork(calls.within(Effect.succeed("never")))
      const staying = yield* Effect.fork(calls.within(Effect.succeed("in turn")))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(leaving)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      expect(yield* Fiber.join(staying)).toBe("in turn")
      expect(yield* calls.within(Effect.succeed("free"))).toBe("free")
    })
  )

  it.scopedLive("at the very moment of its turn hands it on", () =>
    Effect.gen(function* () {
      const calls = makeConcurrencyLimit({ concurrency: 1, reserved: 0, waiting: 5, patience: Duration.seconds(5) })
      const gate = yield* Deferred.make<void>()
      yield* Effect.fork(calls.within(Deferred.await(gate)))
      yield* Effect.yieldNow()
      const leaving = yield* Effect.fork(calls.within(Effect.never))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.interrupt(leaving)
      expect(yield* calls.within(Effect.succeed("free"))).toBe("free")
    })
  )
})

it.scopedLive("a provider that hangs takes no other's place", () =>
  Effect.gen(function* () {
    const hanging = yield* rawServer(() => undefined)
    const prompt = yield* rawServer((socket) => socket.write(ok("{}")))
    const stuck = yield* clientOf(hanging.url, {}, { concurrency: 3, waiting: 0 })
    const other = yield* clientOf(prompt.url, { provider: "paystack" }, { concurrency: 3, waiting: 0 })
    yield* Effect.replicateEffect(Effect.fork(stuck.call(order)), 3)
    yield* until(() => hanging.requests.length === 3)
    expect(yield* failureOf(stuck.call(order))).toBeInstanceOf(NeverSent)
    const replies = yield* Effect.replicateEffect(other.call(order), 10)
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  })
)

describe("the metrics and spans of a call", () => {
  const spansOf = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const spans: Array<Tracer.Span & { attributes: ReadonlyMap<string, unknown> }> = []
      const native = yield* Effect.tracer
      const tracer = Tracer.make({
        span: (...given) => {
          const span = native.span(...given)
          spans.push(span)
          return span
        },
        context: (run, fiber) => native.context(run, fiber)
      })
      const exit = yield* Effect.exit(Effect.withTracer(effect, tracer))
      return { spans, exit }
    })

  const secrets = /secret/

  it.scopedLive("is a span with its outcome, and nothing secret", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket, nth) => {
        if (nth === 1) socket.write(ok(`{"echo":"body-secret"}`))
        else socket.destroy()
      })
      const http = yield* clientOf(server.url)
      const answered = yield* spansOf(http.call(order))
      expect(answered.spans.map(({ attributes, kind, name }) => [name, kind, Object.fromEntries(attributes)])).toEqual([
        [
          "Provider create payment",
          "client",
          {
            provider: "stripe",
            operation: "create payment",
            account: "platform",
            outcome: "2xx",
            "http.request.method": "POST",
            "http.response.status_code": 200,
            "server.address": new URL(server.url).host
          }
        ]
      ])
      const broken = yield* spansOf(http.call(order))
      expect(broken.spans[0]!.attributes.get("outcome")).toBe("maybe_sent")
      const reported = Exit.match(broken.exit, { onSuccess: () => "", onFailure: (cause) => Cause.pretty(cause) })
      expect(reported).toContain("MaybeSent")
      expect(`${reported}${JSON.stringify(Exit.causeOption(broken.exit).pipe(Option.getOrThrow))}`).not.toMatch(secrets)
    })
  )

  it.scopedLive("is counted and timed by provider, operation and outcome", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket, nth) => {
        if (nth === 1) socket.write(ok("{}"))
        else if (nth === 2) socket.destroy()
      })
      const http = yield* clientOf(server.url, { provider: "coinbase" }, { concurrency: 1, waiting: 0 })
      yield* http.call(order)
      yield* failureOf(http.call(order))
      const hanging = yield* Effect.fork(http.call(order))
      yield* until(() => server.requests.length === 3)
      yield* failureOf(http.call(order))
      yield* Fiber.interrupt(hanging)
      const page = renderPrometheus(Metric.unsafeSnapshot())
      const label = `provider="coinbase",operation="create payment"`
      for (const outcome of ["2xx", "maybe_sent", "never_sent", "interrupted"]) {
        expect(page).toContain(`corridor_provider_calls_total{${label},outcome="${outcome}"} 1\n`)
      }
      expect(page).toContain(`corridor_provider_call_seconds_count{${label}} 4\n`)
      expect(page).not.toMatch(/query-secret|header-secret|body-secret/)
    })
  )

  it.scopedLive("never makes more series than there are operations worth counting", () =>
    Effect.gen(function* () {
      const http = yield* clientOf("http://127.0.0.1:1", { provider: "counted" as ThirdPartyName, mode: "live" })
      for (let at = 0; at < 60; at += 1) yield* failureOf(http.call({ ...question, operation: `find ${at}` }))
      const page = renderPrometheus(Metric.unsafeSnapshot())
      const series = page
        .split("\n")
        .filter((line) => line.startsWith('corridor_provider_calls_total{provider="counted"'))
      expect(series).toHaveLength(41)
      expect(page).toContain(`{provider="counted",operation="other",outcome="never_sent"} 20`)
    })
  )
})
