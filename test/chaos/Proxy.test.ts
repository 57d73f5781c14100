import { createServer, type AddressInfo, connect, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { startProxy } from "./environment/Proxy.ts"
import { until } from "../payments/support/RealServer.ts"

const echo = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((socket) => socket.on("error", () => undefined).pipe(socket))
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    return server
  }),
  (server) => Effect.promise(() => new Promise<void>((done) => server.close(() => done())))
)

const connected = Effect.gen(function* () {
  const server = yield* echo
  const proxy = yield* startProxy(() => [(server.address() as AddressInfo).port])
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => connect(proxy.port, "127.0.0.1").setEncoding("utf8").setNoDelay()),
    (open) => Effect.sync(() => open.destroy())
  )
  const received = { text: "", closed: false }
  socket.on("data", (text: string) => (received.text += text))
  socket.on("error", () => undefined).on("close", () => (received.closed = true))
  return { received, proxy, socket }
})

const receives = (received: { readonly text: string }, wanted: string) =>
  Effect.promise(() => until(wanted, async () => (received.text === wanted ? true : undefined)))

const say = (socket: Socket, ...words: ReadonlyArray<string>) =>
  Effect.forEach(words, (word) =>
    Effect.zipRight(
      Effect.sync(() => socket.write(word)),
      Effect.sleep("20 millis")
    )
  )

describe("a proxy", () => {
  it.scopedLive("holds data while silent and passes it on in order afterwards", () =>
    Effect.gen(function* () {
      const { received, proxy, socket } = yield* connected
      yield* say(socket, "a")
      yield* receives(received, "a")
      proxy.setMode("silent")
      yield* say(socket, "b", "c")
      yield* Effect.sleep("100 millis")
      expect(received).toEqual({ text: "a", closed: false })
      proxy.setMode("open")
      yield* receives(received, "abc")
    })
  )

  it.scopedLive("keeps the order of delayed data when the delay ends", () =>
    Effect.gen(function* () {
      const { received, proxy, socket } = yield* connected
      proxy.setMode({ delayMillis: 200 })
      const began = performance.now()
      yield* say(socket, "a", "b")
      proxy.setMode("open")
      yield* say(socket, "c")
      yield* receives(received, "abc")
      expect(performance.now() - began).toBeGreaterThan(190)
    })
  )

  it.scopedLive("cuts open and new connections", () =>
    Effect.gen(function* () {
      const { received, proxy, socket } = yield* connected
      yield* say(socket, "a")
      yield* receives(received, "a")
      proxy.setMode("refuses")
      yield* Effect.promise(() => until("cut", async () => (received.closed ? true : undefined)))
      const late = connect(proxy.port, "127.0.0.1").on("error", () => undefined)
      yield* Effect.promise(() => new Promise<void>((done) => late.once("close", () => done())))
    })
  )
})
