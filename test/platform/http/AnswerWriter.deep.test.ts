/** Clients that do not read their answers, or hardly, over real sockets. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Logger, LogLevel, Metric } from "effect"
import { vi } from "vitest"
import { Ids } from "../../../src/domain/Ids.ts"
import type { AnswerLimits } from "../../../src/platform/http/AnswerWriter.ts"
import { handleExchange } from "../../../src/platform/http/HttpExchange.ts"
import { routerOf } from "../../../src/platform/http/EndpointRoute.ts"
import type { Route } from "../../../src/platform/http/Route.ts"
import { serve } from "../../../src/platform/http/HttpServer.ts"

const MIB = 1024 * 1024
const headers = { "content-type": "text/plain" }

const route = (path: `/${string}`, body: () => string | Buffer, shared = false): Route => ({
  method: "GET",
  path,
  handle: () => Effect.sync(() => ({ status: 200, headers, body: body(), ...(shared ? { shared: true } : {}) }))
})

const file = Buffer.alloc(10 * MIB, "f")

const large: Route = {
  method: "POST",
  path: "/large",
  handle: () => Effect.sync(() => ({ status: 200, headers, body: "p".repeat(MIB) }))
}

const server = (limits: AnswerLimits) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const router = routerOf([
      route("/huge", () => "h".repeat(8 * MIB)),
      route("/large", () => "l".repeat(MIB)),
      large,
      route("/file", () => file, true),
      route("/s", () => "s")
    ])
    return yield* serve(handleExchange(ids, router, new Set()), { port: 0, host: "127.0.0.1", ...limits })
  }).pipe(Effect.provide(Ids.layer), Logger.withMinimumLogLevel(LogLevel.None))

const asking = (port: number, path: string, times = 1, method = "GET"): Socket => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  socket.pause()
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: corridor.test\r\n\r\n`.repeat(times))
  return socket
}

/** Status line and headers of an answer that is not read further. */
const headOf = async (port: number, path: string): Promise<string> => {
  const socket = asking(port, path)
  socket.resume()
  const [chunk] = (await once(socket, "data")) as [Buffer]
  socket.destroy()
  return chunk.toString("latin1").split("\r\n\r\n", 1)[0]!
}

/** All bytes until the server hangs up. */
const rest = (socket: Socket) =>
  Effect.promise(async () => {
    const chunks: Array<Buffer> = []
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.resume()
    if (!socket.closed) await once(socket, "close")
    return Buffer.concat(chunks)
  })

const fetched = (port: number, path: string, method = "GET") =>
  Effect.promise(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    return { status: answer.status, text: await answer.text() }
  })

const closedSoFar = (): number =>
  Metric.unsafeSnapshot().reduce(
    (sum, { metricKey, metricState }) =>
      metricKey.name === "corridor_http_stalled_readers_total" && "count" in metricState
        ? sum + Number(metricState.count)
        : sum,
    0
  )

const soon = (check: () => void) => Effect.promise(() => vi.waitFor(check, { timeout: 30_000, interval: 20 }))

it.scopedLive("closes connections that never read, and those that read a byte a second", () =>
  Effect.gen(function* () {
    const port = yield* server({ timeout: Duration.seconds(2) })
    const before = closedSoFar()
    const never = asking(port, "/file")
    const dripping = asking(port, "/file")
    const drip = setInterval(() => void dripping.read(1), 1000)
    // A client that does not read does not see the end either.
    yield* soon(() => expect(closedSoFar()).toBe(before + 2))
    const [lost, dripped] = [yield* rest(never), yield* rest(dripping)]
    clearInterval(drip)
    for (const bytes of [lost, dripped]) expect(bytes.length).toBeLessThan(file.length)
  })
)

it.scopedLive("keeps a slow reader that makes progress, for longer than the time limit", () =>
  Effect.gen(function* () {
    const port = yield* server({ timeout: Duration.seconds(2) })
    const socket = asking(port, "/file")
    const begun = yield* Clock.currentTimeMillis
    let bytes = 0
    const reading = setInterval(() => {
      for (let taken = 0; taken < 256 * 1024;) {
        const chunk = socket.read() as Buffer | null
        if (chunk === null) break
        taken += chunk.length
        bytes += chunk.length
      }
    }, 50)
    yield* soon(() => expect(bytes).toBeGreaterThan(file.length))
    clearInterval(reading)
    expect((yield* Clock.currentTimeMillis) - begun).toBeGreaterThan(3000)
    socket.destroy()
  })
)

it.scopedLive("holds no more than the bound for all, refuses further large answers, and then has room again", () =>
  Effect.gen(function* () {
    const port = yield* server({ timeout: Duration.seconds(6), mostBytes: 24 * MIB })
    const before = process.memoryUsage()
    const readers: Array<Socket> = []
    // The system takes a part of each answer, so there is room for a few more than three.
    yield* Effect.promise(() =>
      vi.waitFor(
        async () => {
          readers.push(asking(port, "/huge", 5))
          const refused = await headOf(port, "/huge")
          expect(refused).toMatch(/^HTTP\/1\.1 503 /)
          expect(refused).toMatch(/^retry-after: \d+$/im)
        },
        { timeout: 30_000, interval: 10 }
      )
    )
    const { arrayBuffers } = process.memoryUsage()
    // Three of them as text, and as bytes.
    expect(arrayBuffers - before.arrayBuffers).toBeLessThan(40 * MIB)
    expect((yield* fetched(port, "/s")).text, "small answers need no room").toBe("s")
    expect((yield* fetched(port, "/large", "POST")).status, "the result is written").toBe(200)
    const files = yield* fetched(port, "/file")
    expect([files.status, files.text.length], "files are shared").toEqual([200, file.length])
    yield* Effect.promise(() =>
      vi.waitFor(
        async () => {
          const answer = await fetch(`http://127.0.0.1:${port}/huge`)
          expect([answer.status, (await answer.text()).length]).toEqual([200, 8 * MIB])
        },
        { timeout: 30_000, interval: 200 }
      )
    )
    for (const reader of readers) reader.destroy()
  })
)

it.scopedLive("answers pipelined requests in their order, the large ones too", () =>
  Effect.gen(function* () {
    const port = yield* server({})
    const socket = connect(port, "127.0.0.1")
    const last = "GET /s HTTP/1.1\r\nhost: corridor.test\r\nconnection: close\r\n\r\n"
    socket.write(`GET /large HTTP/1.1\r\nhost: corridor.test\r\n\r\n`.repeat(2) + last)
    const text = (yield* rest(socket)).toString("latin1")
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3)
    expect(text.match(/l/g)!.length).toBeGreaterThanOrEqual(2 * MIB)
    expect(text.endsWith("\r\n\r\ns")).toBe(true)
  })
)

it.scopedLive("pipelined requests leave nothing behind when their connection closes", () =>
  Effect.gen(function* () {
    const ids = yield* Ids
    let begun = 0
    const never: Route = {
      method: "GET",
      path: "/never",
      handle: () =>
        Effect.zipRight(
          Effect.sync(() => void (begun += 1)),
          Effect.never
        )
    }
    const routes = [never, route("/page", () => "p".repeat(MIB / 8)), route("/s", () => "s")]
    const answers = handleExchange(ids, routerOf(routes), new Set())
    let waiting = (): number => -1
    const port = yield* serve(
      (request, response, writer) => {
        waiting = () => writer.waiting
        return answers(request, response, writer)
      },
      { port: 0, host: "127.0.0.1" }
    )
    const sockets = Array.from({ length: 4 }, () => {
      const socket = asking(port, "/never")
      socket.write("GET /page HTTP/1.1\r\nhost: corridor.test\r\n\r\n".repeat(12))
      return socket
    })
    yield* Effect.promise(() => vi.waitFor(() => expect(begun).toBe(sockets.length), { timeout: 10_000 }))
    // Waits until answers out of turn would have been written.
    for (let nth = 0; nth < 20; nth++) yield* fetched(port, "/s")
    for (const socket of sockets) socket.destroy()
    yield* Effect.promise(() => vi.waitFor(() => expect(waiting()).toBe(0), { timeout: 10_000 }))
    for (let nth = 0; nth < 20; nth++) yield* fetched(port, "/s")
    expect(waiting()).toBe(0)
  }).pipe(Effect.provide(Ids.layer), Logger.withMinimumLogLevel(LogLevel.None))
)

it.scopedLive(
  "an answer that was handed over at once counts as long as its client does not read, but for a shared file",
  () =>
    Effect.gen(function* () {
      const ids = yield* Ids
      const page = Buffer.alloc(60 * 1024, "f")
      const routes = [route("/answer", () => page.toString()), route("/page", () => page, true)]
      const answers = handleExchange(ids, routerOf(routes), new Set())
      let waiting = (): number => 0
      const port = yield* serve(
        (request, response, writer) => {
          waiting = () => writer.waiting
          return answers(request, response, writer)
        },
        { port: 0, host: "127.0.0.1" }
      )
      /** Asks again and again, each time after the answer before, until the system takes no more. */
      const mostWaiting = (path: string) =>
        Effect.promise(async () => {
          const socket = asking(port, path)
          let most = 0
          for (let asked = 0; asked < 400; asked++) {
            await new Promise((resolve) => setTimeout(resolve, 5))
            most = Math.max(most, waiting())
            if (most === 0) socket.write(`GET ${path} HTTP/1.1\r\nhost: corridor.test\r\n\r\n`)
          }
          socket.destroy()
          await vi.waitFor(() => expect(waiting()).toBe(0), { timeout: 10_000 })
          return most
        })
      expect(yield* mostWaiting("/answer")).toBeGreaterThan(16 * 1024)
      expect(yield* mostWaiting("/page")).toBe(0)
    }).pipe(Effect.provide(Ids.layer), Logger.withMinimumLogLevel(LogLevel.None))
)
