import { createServer, type IncomingMessage, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Either, Exit, Fiber, Option, Runtime, TestClock } from "effect"
import {
  BodyAborted,
  type BodyTooLarge,
  checkContentType,
  decodeUtf8,
  hasBody,
  inviteBody,
  readBody
} from "../../../src/platform/http/RequestBody.ts"

const LIMIT = 100_000

interface Harness {
  readonly server: Server
  readonly port: number
  readonly requests: Array<IncomingMessage>
  /** Results of `readBody`, in the order of the requests. */
  readonly exits: Array<Exit.Exit<Buffer, BodyTooLarge | BodyAborted>>
}

const start = Effect.gen(function* () {
  const runFork = Runtime.runFork(yield* Effect.runtime<never>())
  const exits: Harness["exits"] = []
  const requests: Harness["requests"] = []
  const server = createServer()
  server.on("request", (request, response) => {
    requests.push(request)
    runFork(readBody(request, LIMIT)).addObserver((exit) => {
      exits.push(exit)
      const failure = Option.getOrUndefined(Exit.isFailure(exit) ? failureOf(exit) : Option.none())
      if (failure?._tag === "BodyTooLarge") {
        response.writeHead(413, failure.closeConnection ? { connection: "close" } : {})
        response.end("too large")
      } else if (Exit.isSuccess(exit)) {
        response.end(`got ${exit.value.length}`)
      }
    })
  })
  server.on("checkContinue", (request, response) => {
    inviteBody(request, response, LIMIT)
    server.emit("request", request, response)
  })
  yield* Effect.async<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
  return { server, port: (server.address() as AddressInfo).port, requests, exits } satisfies Harness
})

const failureOf = <E>(exit: Exit.Failure<unknown, E>): Option.Option<E> =>
  exit.cause._tag === "Fail" ? Option.some(exit.cause.error) : Option.none()

const until = (condition: () => boolean) =>
  Effect.promise(async () => {
    while (!condition()) await nextTurn()
  })

interface Client {
  readonly socket: Socket
  readonly send: (data: string | Buffer) => void
  readonly received: () => string
  readonly closed: () => boolean
  readonly receives: (text: string) => Effect.Effect<void>
}

const dial = (port: number) =>
  Effect.acquireRelease(
    Effect.sync((): Client => {
      let received = ""
      let closed = false
      const socket = connect(port, "127.0.0.1")
      socket.on("data", (data) => (received += data.toString()))
      socket.on("error", () => (closed = true))
      socket.on("close", () => (closed = true))
      return {
        socket,
        send: (data) => socket.write(data),
        received: () => received,
        closed: () => closed,
        receives: (text) => until(() => received.includes(text))
      }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

const head = (...headers: ReadonlyArray<string>) => ["POST / HTTP/1.1", "host: x", ...headers, "", ""].join("\r\n")

const chunk = (size: number) => `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`

const tooLarge = (exit: Harness["exits"][number] | undefined): BodyTooLarge => {
  const failure = exit !== undefined && Exit.isFailure(exit) ? Option.getOrUndefined(failureOf(exit)) : undefined
  if (failure?._tag !== "BodyTooLarge") throw new Error(`not too large: ${String(exit)}`)
  return failure
}

describe("readBody", () => {
  it.scoped("reads bodies with a length, in chunks, and none at all, over one connection", () =>
    Effect.gen(function* () {
      const { exits, port, requests } = yield* start
      const client = yield* dial(port)
      client.send(head("content-length: 11") + "hel")
      yield* until(() => requests.length === 1)
      client.send("lo wörl")
      yield* client.receives("got 11")
      client.send(head("transfer-encoding: chunked") + chunk(70) + chunk(7) + "0\r\n\r\n")
      yield* client.receives("got 77")
      client.send(head("content-length: 0") + head())
      yield* until(() => exits.length === 4)
      expect(exits[0]).toStrictEqual(Exit.succeed(Buffer.from("hello wörl")))
      expect(exits.slice(1).map((exit) => Exit.isSuccess(exit) && exit.value.length)).toStrictEqual([77, 0, 0])
    })
  )

  it.scoped("takes exactly the limit, with a length and in chunks", () =>
    Effect.gen(function* () {
      const { port } = yield* start
      const client = yield* dial(port)
      client.send(head(`content-length: ${LIMIT}`) + "x".repeat(LIMIT))
      yield* client.receives(`got ${LIMIT}`)
      client.send(head("transfer-encoding: chunked") + chunk(1) + chunk(LIMIT - 1) + "0\r\n\r\n" + head())
      yield* client.receives("got 0")
      expect(client.received().split(`got ${LIMIT}`)).toHaveLength(3)
    })
  )

  it.scoped("refuses a declared length over the limit and keeps the connection", () =>
    Effect.gen(function* () {
      const { exits, port } = yield* start
      const client = yield* dial(port)
      client.send(head(`content-length: ${LIMIT + 1}`) + "x".repeat(LIMIT + 1) + head("content-length: 3") + "abc")
      yield* client.receives("got 3")
      expect(client.received()).toContain("HTTP/1.1 413")
      expect(tooLarge(exits[0])).toMatchObject({
        limit: LIMIT,
        closeConnection: false,
        message: `the body is larger than ${LIMIT} bytes`
      })
    })
  )

  it.scoped("refuses chunks over the limit and keeps the connection", () =>
    Effect.gen(function* () {
      const { exits, port } = yield* start
      const client = yield* dial(port)
      client.send(head("transfer-encoding: chunked") + chunk(LIMIT) + chunk(1) + chunk(1_000_000))
      client.send("0\r\n\r\n" + head("content-length: 3") + "abc")
      yield* client.receives("got 3")
      expect(client.received()).toContain("HTTP/1.1 413")
      expect(tooLarge(exits[0]).closeConnection).toBe(false)
    })
  )

  it.scoped("answers at once when the declared length is beyond draining", () =>
    Effect.gen(function* () {
      const { exits, port } = yield* start
      const client = yield* dial(port)
      client.send(head("content-length: 1000000000"))
      yield* until(client.closed)
      expect(client.received()).toMatch(/^HTTP\/1\.1 413[^]*connection: close/i)
      expect(tooLarge(exits[0]).closeConnection).toBe(true)
    })
  )

  it.scoped("drains no more than 8 MiB of a body without end", () =>
    Effect.gen(function* () {
      const { exits, port } = yield* start
      const client = yield* dial(port)
      client.send(head("transfer-encoding: chunked"))
      for (let sent = 0; sent < 7; sent++) client.send(chunk(1024 * 1024))
      yield* until(() => client.socket.writableLength === 0)
      expect(exits).toHaveLength(0)
      for (let sent = 0; sent < 2; sent++) client.send(chunk(1024 * 1024))
      yield* until(() => exits.length === 1)
      expect(tooLarge(exits[0]).closeConnection).toBe(true)
      yield* until(client.closed)
    })
  )

  it.scoped("drains for no more than two seconds", () =>
    Effect.gen(function* () {
      const { exits, port } = yield* start
      const client = yield* dial(port)
      client.send(head("transfer-encoding: chunked") + chunk(LIMIT + 1))
      for (;;) {
        if (Chunk.isNonEmpty(yield* TestClock.sleeps())) break
        yield* Effect.promise(() => nextTurn())
      }
      yield* TestClock.adjust("1999 millis")
      expect(exits).toHaveLength(0)
      yield* TestClock.adjust("1 millis")
      yield* client.receives("413")
      yield* until(client.closed)
      expect(tooLarge(exits[0]).closeConnection).toBe(true)
    })
  )

  it.scoped.each([
    ["while it is read", head("content-length: 10") + "abc"],
    ["while it is drained", head("transfer-encoding: chunked") + chunk(LIMIT + 1) + chunk(5)]
  ] as const)("fails when the client goes away %s", ([, sent]) =>
    Effect.gen(function* () {
      const { exits, port, requests } = yield* start
      const client = yield* dial(port)
      client.send(sent)
      yield* until(() => requests.length === 1 && client.socket.writableLength === 0)
      client.socket.destroy()
      yield* until(() => exits.length === 1)
      expect(exits[0]).toSatisfy(
        (exit: Exit.Exit<unknown, unknown>) =>
          Exit.isFailure(exit) && Option.getOrUndefined(failureOf(exit)) instanceof BodyAborted
      )
    })
  )

  it.scoped("fails when the client had gone before", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* start
      const client = yield* dial(port)
      client.send(head("content-length: 10") + "abc")
      yield* until(() => requests.length === 1)
      client.socket.destroy()
      yield* until(() => requests[0]?.destroyed === true)
      const error = yield* Effect.flip(readBody(requests[0] as IncomingMessage))
      expect(error).toBeInstanceOf(BodyAborted)
    })
  )

  it.scoped("leaves no listener behind when interrupted", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* start
      const client = yield* dial(port)
      client.send(head("content-length: 10") + "abc")
      yield* until(() => requests.length === 1)
      const request = requests[0] as IncomingMessage
      const counts = () => ["data", "end", "error", "close"].map((event) => request.listenerCount(event))
      const before = counts()
      const fiber = yield* Effect.fork(readBody(request, LIMIT))
      yield* until(() => counts().every((count, index) => count > (before[index] ?? 0)))
      yield* Fiber.interrupt(fiber)
      expect(counts()).toStrictEqual(before)
    })
  )
})

describe("Expect: 100-continue", () => {
  it.scoped("invites a body of acceptable length", () =>
    Effect.gen(function* () {
      const { port } = yield* start
      const client = yield* dial(port)
      client.send(head("content-length: 3", "expect: 100-continue"))
      yield* client.receives("HTTP/1.1 100 Continue\r\n\r\n")
      client.send("abc")
      yield* client.receives("got 3")
    })
  )

  it.scoped("refuses too large a body without inviting it", () =>
    Effect.gen(function* () {
      const { exits, port } = yield* start
      const client = yield* dial(port)
      client.send(head(`content-length: ${LIMIT + 1}`, "expect: 100-continue"))
      yield* until(client.closed)
      expect(client.received()).toMatch(/^HTTP\/1\.1 413[^]*connection: close/i)
      expect(tooLarge(exits[0]).closeConnection).toBe(true)
    })
  )
})

it.scoped("closes the connection of an uninvited body that was not read", () =>
  Effect.gen(function* () {
    const { port, server } = yield* start
    server.removeAllListeners("request")
    server.on("request", (_request, response) => response.end("no"))
    const client = yield* dial(port)
    client.send(head(`content-length: ${LIMIT + 1}`, "expect: 100-continue"))
    yield* until(client.closed)
    expect(client.received()).toMatch(/^HTTP\/1\.1 200[^]*connection: close/i)
  })
)

describe("decodeUtf8", () => {
  it("decodes valid UTF-8 and keeps every character", () => {
    expect(decodeUtf8(Buffer.from("\ufeffé😀"))).toStrictEqual(Either.right("\ufeffé😀"))
    expect(decodeUtf8(Buffer.alloc(0))).toStrictEqual(Either.right(""))
  })

  it.each([[[0xff]], [[0xc3]], [[0xc0, 0x80]], [[0xed, 0xa0, 0x80]]])("refuses %j", (bytes) => {
    expect(decodeUtf8(Buffer.from(bytes))).toStrictEqual(Either.left("the body is not valid UTF-8"))
  })
})

describe("checkContentType", () => {
  const check = (contentType: string) => checkContentType({ "content-length": "2", "content-type": contentType })

  it.each([
    "application/json",
    "Application/JSON",
    "application/json;charset=utf-8",
    'application/json ; profile="a; charset=latin1"; Charset="UTF-8"',
    "application/json; charset=utf8; version=1",
    "application/vnd.api+json",
    "application/problem+json; x=y",
    "application/json;"
  ])("accepts %s", (contentType) => expect(check(contentType)).toStrictEqual(Either.void))

  it.each([
    "",
    "text/plain",
    "text/json",
    "application/jsonp",
    "application/+json",
    "application/xml",
    "application/json x",
    "application/json, text/plain",
    "multipart/form-data; a=application/json"
  ])("refuses %s", (contentType) => {
    expect(check(contentType)).toStrictEqual(Either.left("the content type must be application/json"))
  })

  it.each(["latin1", "utf-16", '"iso-8859-1"', "utf-88", ""])("refuses the charset %s", (charset) => {
    expect(check(`application/json; charset=${charset}`)).toStrictEqual(Either.left("the charset must be utf-8"))
  })

  it("asks for one only when there is a body", () => {
    const missing = Either.left("the content type is missing: send application/json")
    expect(checkContentType({ "content-length": "2" })).toStrictEqual(missing)
    expect(checkContentType({ "transfer-encoding": "chunked" })).toStrictEqual(missing)
    expect(checkContentType({ "content-length": "0" })).toStrictEqual(Either.void)
    expect(checkContentType({})).toStrictEqual(Either.void)
    expect(hasBody({})).toBe(false)
  })
})
