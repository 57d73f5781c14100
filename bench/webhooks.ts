/**
 * How many deliveries a second one instance makes to a hundred endpoints, how many of them are left when one more
 * endpoint hangs under a backlog, and how many of a neighbour's arrive within a second beside an organisation with 200
 * endpoints that hang and 200 whose names nobody answers for. `npm run bench:webhooks [deliveries to each endpoint] [backlog]`
 */
import { fork } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createSocket } from "node:dgram"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { SqlClient } from "@effect/sql"
import { Effect, Fiber, Layer } from "effect"
import { OrgId, WebhookId } from "../src/domain/Identifiers.ts"
import { AppLive } from "../src/app/Live.ts"
import { Ids } from "../src/domain/Ids.ts"
import { OrganizationStore } from "../src/people/organizations/OrganizationStore.ts"
import { Vault } from "../src/platform/secrets/Vault.ts"
import { deliveryWorker } from "../src/webhooks/delivery/DeliveryWorker.ts"
import { formatSecret, SECRET_BYTES, secretContext } from "../src/webhooks/Secret.ts"
import { Dns, makeDns } from "../src/webhooks/ssrf/Dns.ts"
import { WebhookStore } from "../src/webhooks/WebhookStore.ts"

const ENDPOINTS = 100
const HANGING = 200
const NEIGHBOURS_EVENTS = 30
const RECEIVER = "receiver"

/** In a process of its own, so that its work is not taken for the sender's. `/hang` never answers. */
const receive = (): void => {
  let received = 0
  let wanted = 0
  const tell = () => {
    if (wanted > 0 && received >= wanted) {
      process.send?.({ received })
      wanted = 0
    }
  }
  process.on("message", ({ count }: { readonly count: number }) => {
    received = 0
    wanted = count
  })
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === "/hang") return
    request.on("end", () => {
      response.writeHead(200).end()
      if (request.url === "/neighbour") {
        process.send?.({ received: 1 })
        return
      }
      received += 1
      tell()
    })
  })
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }))
}

const startReceiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = fork(fileURLToPath(import.meta.url), [RECEIVER])
    const next = <A>() => new Promise<A>((done) => child.once("message", (message) => done(message as A)))
    const { port } = await next<{ readonly port: number }>()
    return { child, next, url: `http://127.0.0.1:${port}` }
  }),
  ({ child }) => Effect.sync(() => child.kill())
)

const newOrganization = Effect.gen(function* () {
  const store = yield* OrganizationStore
  const org_id = yield* Effect.flatMap(Ids, ({ make }) => make(OrgId))
  const about = { name: "Bench", country: "KE", currency: "KES", email: "bench@corridor.example" } as const
  yield* store.insert({ org_id, ...about, features: [], sandbox: true })
  return org_id
})

const newEndpoint = (org_id: OrgId, endpoint_url: string) =>
  Effect.gen(function* () {
    const [ids, store, vault] = [yield* Ids, yield* WebhookStore, yield* Vault]
    const webhook_id = yield* ids.make(WebhookId)
    const secret = formatSecret(yield* ids.bytes(SECRET_BYTES))
    const secret_sealed = yield* vault.encrypt(secret, secretContext(webhook_id))
    yield* store.insert({ webhook_id, org_id, endpoint_url, events: ["*"], secret_sealed })
  })

/** About as large as the event of a payment. */
const writeEvents = (org_id: OrgId, count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into events (event_id, org_id, event_type, payload, created_at)
      select gen_random_uuid(), ${org_id}, 'payment.completed',
        json_build_object('event_id', gen_random_uuid(), 'data', repeat('x', 450))::text, now()
      from generate_series(1, ${count}::int)`
  )

/** Answers nothing. */
const silentNameServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const socket = createSocket("udp4")
    await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done))
    return socket
  }),
  (socket) => Effect.sync(() => socket.close())
)

const analyze = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`analyze`)

/** One event after the other, each given a second. */
const neighbour = ({ next, url }: Effect.Effect.Success<typeof startReceiver>) =>
  Effect.gen(function* () {
    const bad = yield* newOrganization
    yield* Effect.replicateEffect(newEndpoint(bad, `${url}/hang`), HANGING)
    yield* Effect.forEach(Array(HANGING).keys(), (nth) => newEndpoint(bad, `https://silent-${nth}.example/`))
    yield* writeEvents(bad, 10)
    const good = yield* newOrganization
    yield* newEndpoint(good, `${url}/neighbour`)
    const worker = yield* Effect.fork(deliveryWorker)
    const arrivals = yield* Effect.replicateEffect(
      Effect.gen(function* () {
        const arrived = next<unknown>()
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

const bench = (each: number, backlog: number) =>
  Effect.gen(function* () {
    const receiver = yield* startReceiver
    const healthy = yield* newOrganization
    yield* Effect.replicateEffect(newEndpoint(healthy, `${receiver.url}/hook`), ENDPOINTS)

    const run = Effect.gen(function* () {
      yield* writeEvents(healthy, each)
      yield* analyze
      const count = each * ENDPOINTS
      const done = receiver.next<{ readonly received: number }>()
      receiver.child.send({ count })
      const began = performance.now()
      const before = process.cpuUsage()
      const worker = yield* Effect.fork(deliveryWorker)
      yield* Effect.promise(() => done)
      const seconds = (performance.now() - began) / 1000
      const { system, user } = process.cpuUsage(before)
      yield* Fiber.interrupt(worker)
      return { rate: count / seconds, cpu: (system + user) / count }
    })

    const say = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))
    const words = ({ cpu, rate }: Effect.Effect.Success<typeof run>) =>
      `${rate.toFixed(0)} deliveries/s, ${cpu.toFixed(0)} µs of the sender's CPU each`
    yield* run
    const alone = yield* run
    yield* say(`${ENDPOINTS} endpoints: ${words(alone)}`)
    const hanging = yield* newOrganization
    yield* newEndpoint(hanging, `${receiver.url}/hang`)
    yield* writeEvents(hanging, backlog)
    const beside = yield* run
    yield* say(`beside one that hangs with ${backlog} waiting: ${words(beside)}`)
    yield* say(`ratio: ${(beside.rate / alone.rate).toFixed(2)}`)
    const inTime = yield* neighbour(receiver)
    yield* say(
      `beside ${HANGING} that hang and ${HANGING} without a name, of one organisation: ` +
        `${inTime} of a neighbour's ${NEIGHBOURS_EVENTS} deliveries within a second`
    )
  }).pipe(Effect.scoped)

const SilentNames = Layer.scoped(
  Dns,
  Effect.map(silentNameServer, (socket) => makeDns(new Map(), [`127.0.0.1:${socket.address().port}`]))
)

const main = async (): Promise<void> => {
  const dataDir = mkdtempSync(join(tmpdir(), "corridor-bench-"))
  // PostgreSQL runs as a user of its own when this runs as root.
  chmodSync(dataDir, 0o755)
  process.env["DATA_DIR"] = dataDir
  process.env["LOG_LEVEL"] ??= "warn"
  const [each = 200, backlog = 20_000] = process.argv.slice(2).map(Number)
  try {
    await Effect.runPromise(bench(each, backlog).pipe(Effect.provide(AppLive), Effect.provide(SilentNames)))
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

if (process.argv[2] === RECEIVER) receive()
else await main()
