/** Node's HTTP server: every request is a fiber; a caller that hangs up interrupts only its own; stopping drains. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Data, Duration, Effect, FiberSet, Runtime, type Scope } from "effect"
import { drainTimeout, keepAliveTimeout, requestTimeout } from "../domain/Policies.ts"
import { inviteBody } from "./RequestBody.ts"

export class ListenError extends Data.TaggedError("ListenError")<{ readonly message: string }> {}

type Exchange = (request: IncomingMessage, response: ServerResponse) => Effect.Effect<void>

const listen = (server: Server, port: number, host: string): Effect.Effect<number, ListenError> =>
  Effect.async((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const message =
        error.code === "EADDRINUSE"
          ? `Port ${port} on ${host} is in use. Stop what listens there, or set PORT to another one.`
          : `Cannot listen on ${host}:${port} (${error.message}). Check HOST and PORT.`
      resume(new ListenError({ message }))
    })
    server.listen({ port, host, backlog: 511 }, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const closed = (server: Server): Effect.Effect<void> =>
  Effect.async((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
  })

/** Stops accepting, waits for what runs, and cuts off whatever is still there when the time is up. */
const drain = (server: Server): Effect.Effect<void> =>
  closed(server).pipe(
    Effect.timeoutTo({
      duration: drainTimeout,
      onSuccess: () => Effect.void,
      onTimeout: () =>
        Effect.zipRight(
          Effect.logWarning("Requests were still running at the end of the drain time"),
          Effect.sync(() => server.closeAllConnections())
        )
    }),
    Effect.flatten
  )

export const serve = (
  exchange: Exchange,
  options: { readonly port: number; readonly host: string }
): Effect.Effect<number, ListenError, Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const fibers = yield* FiberSet.make<void>()
    const run = Runtime.runFork(runtime)
    let draining = false
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      if (draining) response.shouldKeepAlive = false
      const fiber = run(exchange(request, response))
      FiberSet.unsafeAdd(fibers, fiber)
      response.on("close", () => {
        if (!response.writableFinished) fiber.unsafeInterruptAsFork(fiber.id())
      })
    }
    const server = createServer({
      requestTimeout: Duration.toMillis(requestTimeout),
      keepAliveTimeout: Duration.toMillis(keepAliveTimeout)
    })
    server.on("request", onRequest)
    server.on("checkContinue", (request, response) => {
      inviteBody(request, response)
      onRequest(request, response)
    })
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        Effect.sync(() => {
          draining = true
        }),
        drain(server)
      )
    )
    return yield* listen(server, options.port, options.host)
  })
