/** Serves a fake over HTTP, and plays the faults that magic amounts ask for. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Cause, type Clock, Data, Duration, Effect, Runtime, type Scope } from "effect"
import * as FindMyWay from "find-my-way-ts"
import { type FakeTasks, makeFakeTasks } from "./FakeTasks.ts"
import type { Fake, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "./Fake.ts"
import { type FakeLedger, makeFakeLedger } from "./FakeLedger.ts"
import { makeOrderProgress } from "./FakeCallbacks.ts"
import { type Scenario, scenarioOf } from "./MagicAmounts.ts"

/** A fake of a third party brings what it took to its end after this long, */
const fakePace = Duration.millis(200)

/** what it reports late after this long, */
const fakeLateness = Duration.seconds(5)

/** Time over which a slow answer is sent: longer than any timeout. */
const fakeSlowness = Duration.minutes(1)

export interface FakeOptions {
  /** Address for its callbacks. */
  readonly callbackUrl: string
  /** Any that is free, unless it is said. */
  readonly port?: number
  readonly host?: string
  /** The address that others have of it, where something stands before it; else where it listens. */
  readonly reachedAt?: string
  /** From the order to its end. */
  readonly pace?: Duration.Duration
  /** The same for what is reported late. */
  readonly late?: Duration.Duration
  /** From the first byte of a slow answer to its last. */
  readonly slow?: Duration.Duration
  /** Called for each callback that was given up, with its address. */
  readonly onUndelivered?: (to: string) => void
}

export interface RunningFake {
  readonly url: string
  /** Address on which it listens, without a proxy in front of it. */
  readonly port: number
  /** The account that it takes; `{url}` in one of its values is its own address. */
  readonly credentials: Readonly<Record<string, string>>
  readonly books: FakeLedger
  readonly world: FakeWorld
  /** Waits until nothing is under way and every callback is delivered or given up. */
  readonly settled: Effect.Effect<void>
  /** Every request that arrived, the last thousands of them. */
  readonly received: ReadonlyArray<FakeRequest>
}

export class FakeNotStarted extends Data.TaggedError("FakeNotStarted")<{ readonly message: string }> {}

const MOST_BYTES = 1024 * 1024
const MOST_RECEIVED = 5_000
const DRIPS = 40

const faults: ReadonlySet<Scenario> = new Set(["lost_before", "lost_after", "server_error", "garbage", "slow", "busy"])

/** Headers in which callers name an order, so that its repetition is known. */
const namesOrder = /idempotency|reference-id|request-id/

const garbage = "<!doctype html><html><body><h1>It works!</h1></body></html>"

/** Body of a request, up to a limit. */
const bodyOf = async (incoming: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Reads and drops the rest, so that its sender gets the answer.
    if (bytes <= MOST_BYTES) chunks.push(chunk)
  }
  return bytes > MOST_BYTES ? undefined : Buffer.concat(chunks).toString("utf8")
}

const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]]
    )
  )

const textOf = (body: unknown): string =>
  body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body)

const begin = (response: ServerResponse, { body, headers = {}, status }: FakeReply): void => {
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json"
  if (body !== undefined) response.setHeader("content-type", type)
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.writeHead(status)
}

const send = (response: ServerResponse, reply: FakeReply): void => {
  begin(response, reply)
  response.end(textOf(reply.body))
}

/** Waits for the delay, or until the caller disconnects. */
const wait = (response: ServerResponse, delay: Duration.Duration, { after }: FakeTasks): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const wake = () => {
      response.off("close", wake)
      leave()
      resolve()
    }
    const leave = after(delay, wake)
    response.once("close", wake)
  })

/** The answer is whole only with its last byte, which comes at the end of the time; one without any comes then. */
const drip = async (
  response: ServerResponse,
  reply: FakeReply,
  slow: Duration.Duration,
  tasks: FakeTasks
): Promise<void> => {
  const bytes = Buffer.from(textOf(reply.body))
  if (bytes.length === 0) {
    await wait(response, slow, tasks)
    return response.destroyed ? undefined : send(response, reply)
  }
  begin(response, reply)
  const size = Math.ceil(bytes.length / DRIPS)
  const drops = Math.ceil(bytes.length / size)
  for (let at = 0; at < drops; at += 1) {
    if (at > 0) await wait(response, Duration.unsafeDivide(slow, drops), tasks)
    if (response.destroyed) return
    response.write(bytes.subarray(at * size, (at + 1) * size))
  }
  response.end()
}

/** The name that the caller gave the order, or else all that it said. */
const orderOf = (route: FakeRoute, { body, headers, path }: FakeRequest): string => {
  const named = Object.entries(headers).filter(([name]) => namesOrder.test(name))
  return JSON.stringify([route.method, path, ...(named.length > 0 ? named : [body])])
}

const routerOf = (routes: ReadonlyArray<FakeRoute>): FindMyWay.Router<FakeRoute> => {
  const router = FindMyWay.make<FakeRoute>({ maxParamLength: 1000, ignoreTrailingSlash: false, caseSensitive: true })
  for (const route of routes) router.on(route.method, route.path as FindMyWay.PathInput, route)
  return router
}

const paramsOf = (params: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value ?? ""]))

const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** The account that a fake takes where it is reached at this address. */
export const credentialsAt = ({ credentials }: Fake, url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, value.replaceAll("{url}", url)]))

export const startFake = (fake: Fake, options: FakeOptions): Effect.Effect<RunningFake, FakeNotStarted, Scope.Scope> =>
  Effect.gen(function* () {
    const { host = "127.0.0.1", late = fakeLateness, pace = fakePace, port = 0, slow = fakeSlowness } = options
    const clock: Clock.Clock = yield* Effect.clock
    const runFork = Runtime.runFork(yield* Effect.runtime())
    const tasks = makeFakeTasks(runFork)
    const books = makeFakeLedger()
    const received: Array<FakeRequest> = []
    const played = new Set<string>()
    let router = routerOf([])

    const onError = (error: unknown) => {
      runFork(Effect.logError(`The fake of ${fake.name} failed.`, Cause.die(error)))
    }

    /** Plays the fault of an order once; repeated requests get the true answer. */
    const faultOf = (route: FakeRoute, request: FakeRequest, scenario: Scenario): Scenario => {
      const order = orderOf(route, request)
      if (!faults.has(scenario) || played.has(order)) return "completes"
      played.add(order)
      return scenario
    }

    const play = async (route: FakeRoute, request: FakeRequest, response: ServerResponse): Promise<unknown> => {
      const money = route.moves?.(request)
      const scenario = money === undefined ? "completes" : scenarioOf(money, fake)
      switch (money === undefined ? scenario : faultOf(route, request, scenario)) {
        case "lost_before":
          return response.destroy()
        case "lost_after":
          await route.answer(request, scenario)
          return response.destroy()
        case "server_error":
          return send(response, { status: 500, body: {} })
        case "busy":
          return send(response, { status: 429, headers: { "retry-after": "1" }, body: {} })
        case "garbage":
          await route.answer(request, scenario)
          return send(response, { status: 200, headers: { "content-type": "text/html" }, body: garbage })
        case "slow":
          return drip(response, await route.answer(request, scenario), slow, tasks)
        default:
          return send(response, await route.answer(request, scenario))
      }
    }

    const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<unknown> => {
      const method = incoming.method ?? "GET"
      const target = new URL(incoming.url ?? "/", "http://fake")
      const body = await bodyOf(incoming)
      if (body === undefined) return send(response, { status: 413, body: {} })
      const found = router.find(method, target.pathname)
      const request: FakeRequest = {
        method,
        path: target.pathname,
        params: paramsOf(found?.params ?? {}),
        query: target.searchParams,
        headers: headersOf(incoming),
        body
      }
      if (received.push(request) > MOST_RECEIVED) received.shift()
      return found === undefined ? send(response, { status: 404, body: {} }) : play(found.handler, request, response)
    }

    const server = createServer((incoming, response) => {
      const { end } = tasks.begin()
      serve(incoming, response)
        .catch((error: unknown) => {
          // A caller that disconnects is no failure of the fake.
          if (incoming.destroyed && !incoming.complete) return
          onError(error)
          if (response.headersSent) response.destroy()
          else send(response, { status: 500, body: {} })
        })
        .finally(end)
    })
    // Longer than callers keep theirs: a busy machine would close a connection just when it is used again.
    server.keepAliveTimeout = 60_000

    const address = yield* Effect.acquireRelease(
      Effect.async<AddressInfo, FakeNotStarted>((resume) => {
        server.once("error", ({ message }) => {
          resume(new FakeNotStarted({ message: `The fake of ${fake.name} cannot listen: ${message}` }))
        })
        server.listen(port, host, () => resume(Effect.succeed(server.address() as AddressInfo)))
      }),
      () =>
        Effect.async<void>((resume) => {
          tasks.stop()
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )

    const url = options.reachedAt ?? `http://${hostInUrl(host)}:${address.port}`
    const world: FakeWorld = {
      books,
      url,
      callbackUrl: options.callbackUrl,
      now: () => new Date(clock.unsafeCurrentTimeMillis()),
      ...makeOrderProgress(fake, { pace, late, onUndelivered: options.onUndelivered }, tasks, onError, () => world)
    }
    router = routerOf(fake.routes(world))

    const credentials = credentialsAt(fake, url)
    return { url, port: address.port, credentials, books, world, settled: tasks.settled, received }
  })
