/** Requests that the client retries, after how long, and those that it does not. */
import { once } from "node:events"
import { createServer } from "node:http"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { BigDecimal, type Duration, Effect, Fiber, Layer, TestClock } from "effect"
import { Corridor } from "../../src/client/EffectClient.ts"
import { CorridorError, createCorridor } from "../../src/client/PromiseClient.ts"
import { withIdempotencyKey } from "../../src/client/Transport.ts"
import { Ids } from "../../src/domain/Ids.ts"
import { vi } from "vitest"

type Answer = { readonly status: number; readonly headers?: Record<string, string> } | "lost" | "begun"

const refusal = { status: "error", message: "Not now" }

/** A body that begins and does not end. */
const endless = () => new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("{")) })

/** Answers in turn, the last one for ever, and keeps what it was asked. */
const service = (answers: ReadonlyArray<Answer>) => {
  const asked: Array<HttpClientRequest.HttpClientRequest> = []
  const client = HttpClient.make((request) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]!
    asked.push(request)
    if (answer === "lost") return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport" }))
    if (answer === "begun") return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(endless())))
    const { headers = {}, status } = answer
    const body = status === 204 ? null : JSON.stringify(refusal)
    return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status, headers })))
  })
  const layer = Corridor.layerNoFetch({ url: "http://corridor.test/v1", apiKey: "ck_test_x" }).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
  )
  return { asked, layer }
}

const busy: Answer = { status: 503, headers: { "retry-after": "3" } }
const gone: Answer = { status: 404 }

const look = Effect.flatMap(Corridor, ({ payments }) => payments.byId({ path: { payment_id: "p" as never } }))

const deposit = Effect.flatMap(Corridor, ({ virtualAccounts }) =>
  virtualAccounts.simulateDeposit({
    path: { account_id: "a" as never },
    payload: { amount: BigDecimal.fromBigInt(5n) }
  })
)

const makeKey = Effect.flatMap(Corridor, ({ apiKeys }) => apiKeys.create({ payload: { name: "Till", role: "staff" } }))

/** Number of requests in all, and within the first moments. */
const countAfter = <A, E>(
  effect: Effect.Effect<A, E, Corridor>,
  answers: ReadonlyArray<Answer>,
  wait: Duration.DurationInput
) =>
  Effect.gen(function* () {
    const { asked, layer } = service(answers)
    const fiber = yield* Effect.fork(Effect.exit(Effect.provide(effect, layer)))
    yield* TestClock.adjust(wait)
    const early = asked.length
    yield* TestClock.adjust("10 minutes")
    yield* Fiber.join(fiber)
    return { early, asked }
  })

it.effect("sends both headers, and the key of the credential alone", () =>
  Effect.gen(function* () {
    const { asked } = yield* countAfter(look, [gone], "0 millis")
    expect(asked.map(({ headers }) => [headers["authorization"], headers["x-api-key"]])).toEqual([
      ["NONE", "ck_test_x"]
    ])
    expect(asked[0]!.url).toBe("http://corridor.test/v1/payments/p")
  })
)

it.effect("repeats a GET that was lost, and stops after four times", () =>
  Effect.gen(function* () {
    const { asked } = yield* countAfter(look, ["lost"], "0 millis")
    expect(asked).toHaveLength(5)
  })
)

it.effect("waits as long as it is asked to", () =>
  Effect.gen(function* () {
    const { asked, early } = yield* countAfter(look, [busy, gone], "2900 millis")
    expect([early, asked.length]).toEqual([1, 2])
  })
)

it.effect("does not wait for longer than a minute", () =>
  Effect.gen(function* () {
    const { asked } = yield* countAfter(look, [{ status: 503, headers: { "retry-after": "61" } }], "0 millis")
    expect(asked).toHaveLength(1)
  })
)

it.effect("repeats what moves money with one key, also while its first request is running", () =>
  Effect.gen(function* () {
    const running: Answer = { status: 409, headers: { "retry-after": "1" } }
    const { asked } = yield* countAfter(deposit, ["lost", running, busy, gone], "0 millis")
    const keys = asked.map(({ headers }) => headers["idempotency-key"])
    expect(keys).toHaveLength(4)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(keys).size).toBe(1)
  })
)

it.effect("takes the caller's key where there is one", () =>
  Effect.gen(function* () {
    const { asked } = yield* countAfter(withIdempotencyKey("order-7")(deposit), [gone], "0 millis")
    expect(asked.map(({ headers }) => headers["idempotency-key"])).toEqual(["order-7"])
  })
)

it.effect("sends no second time what a key does not protect, unless it was refused for its frequency", () =>
  Effect.gen(function* () {
    expect((yield* countAfter(makeKey, ["lost"], "0 millis")).asked).toHaveLength(1)
    expect((yield* countAfter(makeKey, [busy], "0 millis")).asked).toHaveLength(1)
    const limited: Answer = { status: 429, headers: { "retry-after": "1" } }
    expect((yield* countAfter(makeKey, [limited, gone], "0 millis")).asked).toHaveLength(2)
  })
)

it.effect("leaves a refusal as it is", () =>
  Effect.gen(function* () {
    expect((yield* countAfter(deposit, [{ status: 409 }], "0 millis")).asked).toHaveLength(1)
    expect((yield* countAfter(look, [{ status: 500 }], "0 millis")).asked).toHaveLength(1)
  })
)

it.effect("has another key for every call", () =>
  Effect.gen(function* () {
    const keys = new Set<string | undefined>()
    for (const _ of [1, 2, 3]) {
      const { asked } = yield* countAfter(deposit, [gone], "0 millis")
      keys.add(asked[0]!.headers["idempotency-key"])
    }
    expect(keys.size).toBe(3)
  }).pipe(Effect.provide(Ids.layer))
)

it.effect("waits no longer for the end of an answer than for its beginning, and repeats it as if there were none", () =>
  Effect.gen(function* () {
    expect((yield* countAfter(look, ["begun"], "34 seconds")).early).toBe(1)
    expect((yield* countAfter(look, ["begun"], "36 seconds")).early).toBe(2)
    expect((yield* countAfter(look, ["begun"], "0 millis")).asked).toHaveLength(5)
    expect((yield* countAfter(deposit, ["begun", gone], "0 millis")).asked).toHaveLength(2)
    expect((yield* countAfter(makeKey, ["begun"], "0 millis")).asked).toHaveLength(1)
  })
)

/** Answers at once, and then sends a space now and then, which ends nothing. */
const dripping = Effect.acquireRelease(
  Effect.promise(async () => {
    const seen = { asked: 0, left: 0 }
    const server = createServer((_, response) => {
      seen.asked += 1
      response.writeHead(200, { "content-type": "application/json" }).write("{")
      const drip = setInterval(() => response.write(" "), 10)
      response.on("close", () => {
        seen.left += 1
        clearInterval(drip)
      })
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as { readonly port: number }
    return {
      about: { url: `http://127.0.0.1:${port}`, apiKey: "ck_test_x", timeout: 2_000, retries: 0 },
      seen,
      server
    } as const
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const allLeft = (seen: { readonly asked: number; readonly left: number }) =>
  Effect.promise(() => vi.waitFor(() => expect(seen.left).toBe(seen.asked), { timeout: 60_000 }))

it.scopedLive("leaves a service whose answer drips, also as promises", () =>
  Effect.gen(function* () {
    const { about, seen } = yield* dripping
    const error = yield* Effect.promise(() =>
      createCorridor(about)
        .payments.byId({ path: { payment_id: "p" } })
        .then(String, (failed: unknown) => failed)
    )
    expect(error).toBeInstanceOf(CorridorError)
    expect(error).toMatchObject({ status: 0, message: expect.stringContaining("did not answer in time") })
    yield* allLeft(seen)
    const failed = yield* Effect.flip(Effect.provide(look, Corridor.layer(about)))
    expect(failed).toMatchObject({ _tag: "RequestError", reason: "Transport" })
    yield* allLeft(seen)
  })
)

const listening = (handle: Parameters<typeof createServer>[1]) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(handle as never).listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, url: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

it.scopedLive("follows no redirect, so its key goes to no other origin", () =>
  Effect.gen(function* () {
    const sentOn: Array<unknown> = []
    const elsewhere = yield* listening(({ headers }, response) => {
      sentOn.push(headers["x-api-key"])
      response.writeHead(200, { "content-type": "application/json" }).end('{"status":"success"}')
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const moved = yield* listening((_, response) =>
        response.writeHead(status, { location: `${elsewhere.url}/v1/payments/p` }).end()
      )
      const about = { url: moved.url, apiKey: "ck_test_x" }
      const error = yield* Effect.promise(() =>
        createCorridor(about)
          .payments.byId({ path: { payment_id: "p" } })
          .then(String, (failed: unknown) => failed)
      )
      expect(error).toBeInstanceOf(CorridorError)
      expect(error).toMatchObject({ status, message: expect.stringContaining(elsewhere.url) })
      const failed = yield* Effect.flip(Effect.provide(look, Corridor.layer(about)))
      expect(failed).toMatchObject({ _tag: "ResponseError" })
    }
    expect(sentOn).toEqual([])
  })
)
