/** Node's HTTP server: every request is a fiber; a caller that hangs up interrupts only its own; stopping drains. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Data, Duration, Effect, Fiber, FiberSet, Runtime, type Scope } from "effect"
import {
  drainTimeout,
  keepAliveTimeout,
  requestTimeout,
  stalledReaderPoll
} from "../../domain/policies/ServerPolicies.ts"
import { endWithin } from "../fibers/Shutdown.ts"
import { type AnswerLimits, AnswerWriter } from "./AnswerWriter.ts"
import { fixedHeaders } from "./HttpExchange.ts"
import { inviteBody } from "./RequestBody.ts"

export class ListenError extends Data.TaggedError("ListenError")<{ readonly message: string }> {}

type Exchange = (request: IncomingMessage, response: ServerResponse, writer: AnswerWriter) => Effect.Effect<void>

const listen = (server: Server, port: number, host: string): Effect.Effect<number, ListenError> =>
  Effect.async((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const message =
        error.code === "EADDRINUSE"
          ? `Port ${port} on ${host} is in use. Stop what listens there, or set PORT to another one.`
          : `Cannot listen on ${host}:${port} (${error.message}). Check HOST and PORT.`
      resume(new ListenError({ message }))
    })
    server.listen({ port, host, backlog: 511 }, () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })

/** Open connections and responses, for a clean shutdown. */
interface Connections {
  readonly sockets: Set<Socket>
  readonly responses: Set<ServerResponse>
}

/** Stops accepting. Pending answers close their connection; idle connections are closed. */
const stopAccepting = (server: Server, { responses, sockets }: Connections): Effect.Effect<void> =>
  Effect.async((resume) => {
    server.close(() => resume(Effect.void))
    for (const response of responses) {
      response.shouldKeepAlive = false
      response.once("close", () => server.closeIdleConnections())
    }
    server.closeIdleConnections()
    // to Node a connection that never sent a byte is not idle, but on its way to a first request
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })

/** Waits for what runs, and cuts off whatever is still there when the time is up. */
const drain = (server: Server, connections: Connections): Effect.Effect<void> =>
  stopAccepting(server, connections).pipe(
    endWithin(drainTimeout, () => `requests that were still running (${connections.responses.size})`),
    Effect.map((drained) => {
      if (!drained) server.closeAllConnections()
    })
  )

/** Answers to errors of Node's parser, by code; others are 400. */
const parserAnswers: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large"
}

/** As Node would answer by itself, with the headers of every answer. One that has begun is not answered twice. */
const refuseUnread = ({ responses }: Connections, error: NodeJS.ErrnoException, socket: Duplex): void => {
  const begun = [...responses].some((response) => response.socket === socket && response.headersSent)
  if (!socket.writable || begun) return void socket.destroy(error)
  const status = parserAnswers[error.code ?? ""] ?? "400 Bad Request"
  const headers = Object.entries({ ...fixedHeaders, connection: "close", "content-length": "0" })
  const lines = [`HTTP/1.1 ${status}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  socket.end(`${lines.join("\r\n")}\r\n\r\n`, () => socket.destroy())
}

/** Answers with the headers of every answer, which Node's own answer lacks. */
const refuseUnhandled = (response: ServerResponse, status: 400 | 417): void => {
  response.writeHead(status, { ...fixedHeaders, connection: "close", "content-length": "0" })
  response.end()
}

/** Two hosts would be one here and the other for a proxy. Before HTTP/1.1 there need be none. */
const namesItsHost = ({ httpVersion, rawHeaders }: IncomingMessage): boolean => {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length
  return hosts === 1 || (hosts === 0 && httpVersion !== "1.1")
}

export const serve = (
  exchange: Exchange,
  options: AnswerLimits & { readonly port: number; readonly host: string }
): Effect.Effect<number, ListenError, Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const fibers = yield* FiberSet.make<void>()
    const run = Runtime.runFork(runtime)
    const connections: Connections = { sockets: new Set(), responses: new Set() }
    const writer = new AnswerWriter(options)
    const stalledReaders = setInterval(
      () => writer.closeStalled(connections.sockets, performance.now()),
      Duration.toMillis(stalledReaderPoll)
    ).unref()
    const server = createServer({
      requestTimeout: Duration.toMillis(requestTimeout),
      keepAliveTimeout: Duration.toMillis(keepAliveTimeout),
      requireHostHeader: false
    })
    /** By connection: its requests that are not answered yet, and the last one. A pipelined one waits for the one before. */
    const unanswered = new WeakMap<Socket, Map<ServerResponse, Fiber.RuntimeFiber<void>>>()
    const latest = new WeakMap<Socket, Fiber.RuntimeFiber<void>>()
    const gone = (socket: Socket, response: ServerResponse): void => {
      const own = unanswered.get(socket)
      const fiber = own?.get(response)
      own?.delete(response)
      connections.responses.delete(response)
      if (fiber !== undefined && !response.writableFinished) fiber.unsafeInterruptAsFork(fiber.id())
    }
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      if (!namesItsHost(request)) return refuseUnhandled(response, 400)
      if (!server.listening) response.shouldKeepAlive = false
      connections.responses.add(response)
      const { socket } = request
      const own = unanswered.get(socket) ?? new Map<ServerResponse, Fiber.RuntimeFiber<void>>()
      unanswered.set(socket, own)
      const before = own.size === 0 ? undefined : latest.get(socket)
      const answering = exchange(request, response, writer)
      const fiber = run(before === undefined ? answering : Effect.zipRight(Fiber.await(before), answering))
      own.set(response, fiber)
      latest.set(socket, fiber)
      FiberSet.unsafeAdd(fibers, fiber)
      response.on("close", () => gone(socket, response))
    }
    server.on("connection", (socket) => {
      connections.sockets.add(socket)
      socket.once("close", () => {
        connections.sockets.delete(socket)
        writer.removeSocket(socket)
        // A response behind others of its connection gets no close event.
        for (const response of Array.from(unanswered.get(socket)?.keys() ?? [])) gone(socket, response)
      })
    })
    server.on("clientError", (error, socket) => refuseUnread(connections, error, socket))
    server.on("request", onRequest)
    server.on("checkExpectation", (_, response) => refuseUnhandled(response, 417))
    server.on("checkContinue", (request, response) => {
      inviteBody(request, response)
      onRequest(request, response)
    })
    yield* Effect.addFinalizer(() =>
      Effect.ensuring(
        drain(server, connections),
        Effect.sync(() => clearInterval(stalledReaders))
      )
    )
    return yield* listen(server, options.port, options.host)
  })
