/**
 * Measures webhook deliveries of one instance: rate and CPU to 100 endpoints, beside hanging endpoints, beside
 * unresolvable names, and the delay of a single event. `npm run bench:webhooks -- [deliveries to each endpoint]
 * [backlog] [part …]`; default: all parts.
 */
import { createSocket } from "node:dgram"
import { loadavg } from "node:os"
import { join } from "node:path"
import { Effect, Fiber, Layer } from "effect"
import type { Pool } from "pg"
import { SqlClient } from "@effect/sql"
import { AppLive } from "../../../src/app/Services.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { EventPublisher } from "../../../src/webhooks/EventPublisher.ts"
import { Dns, makeDns } from "../../../src/webhooks/ssrf/Dns.ts"
import { durableCluster, poolOn, temporaryFolder } from "../BenchCluster.ts"
import { clusterCpuMicros } from "../ClusterCpu.ts"
import { Ids, type OrgId, WebhookId } from "../../../src/domain/Ids.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { formatSecret, SECRET_BYTES, secretContext } from "../../../src/webhooks/WebhookSecrets.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Order, Reported } from "./receiver.ts"

const newEndpoint = (org_id: OrgId, endpoint_url: string) =>
  Effect.gen(function* () {
    const [ids, store, vault] = [yield* Ids, yield* WebhookStore, yield* Vault]
    const webhook_id = yield* ids.make(WebhookId)
    const secret = formatSecret(yield* ids.bytes(SECRET_BYTES))
    const secret_sealed = yield* vault.encrypt(secret, secretContext(webhook_id))
    yield* store.insert({ webhook_id, org_id, endpoint_url, events: ["*"], secret_sealed })
  })

/** Keeps each statement short. */
const AT_A_TIME = 100

/** Writes events of about the size of a payment's. */
const writeEvents = (org_id: OrgId, count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(
      Array.from({ length: Math.ceil(count / AT_A_TIME) }).keys(),
      (nth) =>
        sql`insert into events (event_id, org_id, event_type, payload, created_at)
        select gen_random_uuid(), ${org_id}, 'payment.completed',
          json_build_object('event_id', gen_random_uuid(), 'data', repeat('x', 450))::text, now()
        from generate_series(1, ${Math.min(AT_A_TIME, count - nth * AT_A_TIME)}::int)`
    )
  )

const startReceiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = fork(fileURLToPath(new URL("./receiver.mjs", import.meta.url)), { execArgv: [] })
    const reported = <A extends Reported>(key: A extends unknown ? keyof A : never) =>
      new Promise<A>((done) => {
        const listen = (message: unknown) => {
          if (!(key in (message as object))) return
          child.off("message", listen)
          done(message as A)
        }
        child.on("message", listen)
      })
    const order = (what: Order): void => void child.send(what)
    const { port } = await reported<{ readonly port: number }>("port")
    return {
      child,
      /** The n-th loopback address. */
      urlOf: (nth: number, path: string) => `http://127.0.${Math.trunc(nth / 250)}.${1 + (nth % 250)}:${port}${path}`,
      receiving: (count: number) => {
        const all = reported<{ readonly received: number }>("received")
        order({ count })
        return all
      },
      neighbour: () => reported<{ readonly arrivedAt: number }>("arrivedAt"),
      cpuMicros: async () => {
        const answer = reported<{ readonly cpuMicros: number }>("cpuMicros")
        order("cpu")
        return (await answer).cpuMicros
      }
    }
  }),
  ({ child }) => Effect.sync(() => child.kill())
)

type Receiver = Effect.Effect.Success<typeof startReceiver>

const ENDPOINTS = 100
const HANGING = 200
const NEIGHBOURS_EVENTS = 30
const IDLE_EVENTS = 100

const PARTS = ["hanging", "many", "neighbours", "idle"] as const
type Part = (typeof PARTS)[number] | "alone"

const say = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

/** A name server that never answers. */
const silentNameServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const socket = createSocket("udp4")
    await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done))
    return socket
  }),
  (socket) => Effect.sync(() => socket.close())
)

const endpointsOf = (receiver: Receiver, path: string, count: number) =>
  Effect.gen(function* () {
    const { org_id: org } = yield* newOrganization({ sandbox: true })
    for (let nth = 0; nth < count; nth++) yield* newEndpoint(org, receiver.urlOf(nth, path))
    return org
  })

const ownCpu = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

const cpuOf = (pool: Pool, receiver: Receiver) =>
  Effect.promise(async () => ({
    sender: ownCpu(),
    postgres: await clusterCpuMicros(pool),
    receiver: await receiver.cpuMicros()
  }))

type Run = Readonly<Record<"rate" | "sender" | "postgres" | "receiver", number>>

const words = ({ postgres, rate, receiver, sender }: Run): string =>
  `${rate.toFixed(0)} deliveries/s; CPU µs each: sender ${sender.toFixed(0)}, PostgreSQL ${postgres.toFixed(0)}, ` +
  `receiver ${receiver.toFixed(0)}, together ${(sender + postgres + receiver).toFixed(0)}`

/** One event a second. */
const neighbours = (receiver: Receiver) =>
  Effect.gen(function* () {
    const bad = yield* endpointsOf(receiver, "/hang", HANGING)
    for (let nth = 0; nth < HANGING; nth++) yield* newEndpoint(bad, `https://silent-${nth}.example/`)
    yield* writeEvents(bad, 10)
    const good = yield* endpointsOf(receiver, "/neighbour", 1)
    const worker = yield* Effect.fork(deliveryWorker)
    const arrivals = yield* Effect.replicateEffect(
      Effect.gen(function* () {
        const arrived = receiver.neighbour()
        const began = performance.now()
        yield* writeEvents(good, 1)
        yield* Effect.promise(() => arrived)
        const millis = performance.now() - began
        yield* Effect.sleep(Math.max(0, 1000 - millis))
        return millis
      }),
      NEIGHBOURS_EVENTS
    )
    yield* Fiber.interrupt(worker)
    return arrivals.filter((millis) => millis <= 1000).length
  })

const at = (sorted: ReadonlyArray<number>, part: number): number => sorted[Math.floor(part * (sorted.length - 1))]!

/** Delay from commit to arrival, one event at a time. */
const idle = <E, R>(receiver: Receiver, commit: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const worker = yield* Effect.fork(deliveryWorker)
    const millis = yield* Effect.replicateEffect(
      Effect.gen(function* () {
        // Avoids a fixed phase of the worker's poll.
        yield* Effect.sleep(300 + Math.random() * 250)
        const arrived = receiver.neighbour()
        yield* commit
        const committed = performance.timeOrigin + performance.now()
        return (yield* Effect.promise(() => arrived)).arrivedAt - committed
      }),
      IDLE_EVENTS
    )
    yield* Fiber.interrupt(worker)
    return millis.toSorted((a, b) => a - b)
  })

const idleWords = (millis: ReadonlyArray<number>): string =>
  `p50 ${at(millis, 0.5).toFixed(1)} ms, p99 ${at(millis, 0.99).toFixed(1)} ms`

const bench = (pool: Pool, each: number, backlog: number, parts: ReadonlyArray<Part>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const receiver = yield* startReceiver
    const good = yield* endpointsOf(receiver, "/hook", ENDPOINTS)

    const run = Effect.gen(function* () {
      yield* writeEvents(good, each)
      yield* Effect.promise(() => pool.query("analyze"))
      yield* Effect.promise(() => pool.query("checkpoint"))
      const count = each * ENDPOINTS
      const done = receiver.receiving(count)
      const before = yield* cpuOf(pool, receiver)
      const began = performance.now()
      const worker = yield* Effect.fork(deliveryWorker)
      yield* Effect.promise(() => done)
      const seconds = (performance.now() - began) / 1000
      yield* Fiber.interrupt(worker)
      const after = yield* cpuOf(pool, receiver)
      const each_ = (name: keyof typeof after) => (after[name] - before[name]) / count
      const result: Run = {
        rate: count / seconds,
        sender: each_("sender"),
        postgres: each_("postgres"),
        receiver: each_("receiver")
      }
      return result
    })

    const beside = (what: string, alone: Run) =>
      Effect.flatMap(run, (result) =>
        say(
          `beside ${what}: ${words(result)}\n  ratio to those before: ${(result.rate / alone.rate).toFixed(2)} deliveries/s, ` +
            `${((alone.sender + alone.postgres) / (result.sender + result.postgres)).toFixed(2)} by CPU`
        )
      )

    yield* run
    const alone = yield* run
    yield* say(`${ENDPOINTS} endpoints: ${words(alone)}`)
    if (parts.includes("hanging")) {
      yield* writeEvents(yield* endpointsOf(receiver, "/hang", 1), backlog)
      yield* beside(`one that hangs with ${backlog} waiting`, alone)
    }
    if (parts.includes("many")) {
      yield* sql`delete from webhook_queue`
      const again = yield* run
      yield* writeEvents(yield* endpointsOf(receiver, "/hang", HANGING), 10)
      yield* beside(`${HANGING} of one organisation that hang`, again)
    }
    if (parts.includes("neighbours")) {
      const inTime = yield* neighbours(receiver)
      yield* say(
        `beside ${HANGING} that hang and ${HANGING} without a name, of one organisation: ` +
          `${inTime} of a neighbour's ${NEIGHBOURS_EVENTS} deliveries within a second`
      )
    }
    if (parts.includes("idle")) {
      yield* sql`delete from webhook_queue`
      const lone = yield* endpointsOf(receiver, "/neighbour", 1)
      const events = yield* EventPublisher
      const publishOne = events.publish({ org_id: lone, event_type: "payment.completed" }, { data: "x".repeat(450) })
      yield* say(`idle, committed by this process: ${idleWords(yield* idle(receiver, publishOne))}`)
      yield* say(`idle, committed by another: ${idleWords(yield* idle(receiver, writeEvents(lone, 1)))}`)
    }
    yield* say(`resident: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`)
  }).pipe(Effect.scoped)

const SilentNames = Layer.scoped(
  Dns,
  Effect.map(silentNameServer, (socket) => makeDns(new Map(), [`127.0.0.1:${socket.address().port}`]))
)

const main = Effect.gen(function* () {
  const given = process.argv.slice(2)
  const [each = 200, backlog = 20_000] = given.map(Number).filter(Number.isInteger)
  const parts = given.filter((word): word is Part => !Number.isInteger(Number(word)))
  const folder = yield* temporaryFolder("bench")
  const { url } = yield* durableCluster(folder)
  Object.assign(process.env, { DATABASE_URL: url, DATA_DIR: join(folder, "corridor") })
  process.env["LOG_LEVEL"] ??= "warn"
  yield* say(`load average ${loadavg()[0]!.toFixed(1)}`)
  const pool = yield* poolOn(url)
  yield* bench(pool, each, backlog, parts.length === 0 ? PARTS : parts).pipe(
    Effect.provide(AppLive),
    Effect.provide(SilentNames)
  )
}).pipe(Effect.scoped)

await Effect.runPromise(main)
