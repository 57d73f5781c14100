/**
 * Databases of several sizes in one PostgreSQL: a few payments made through the API, and copies of them. They are
 * kept in a folder for later measurements.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Schedule } from "effect"
import type { Pool } from "pg"
import { BenchFailed } from "../BenchFailed.ts"
import { clusterIn, poolOn, statement, urlOf } from "../BenchCluster.ts"
import { settled } from "../BenchVerification.ts"
import { credentialsOf, INITIATE_PATH, initiation } from "../Workload.ts"
import { load, loading } from "./FillDatabase.ts"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { startServer } from "../ServerProcess.ts"

const environmentOf = (folder: string, url: string) => ({
  CORRIDOR_MODE: "sandbox",
  CORRIDOR_MASTER_KEY: "5a".repeat(32),
  DATA_DIR: folder,
  DATABASE_URL: url,
  LOG_LEVEL: "warn",
  RATE_LIMIT_PER_MINUTE: "0"
})

export interface SandboxFile {
  readonly orgs: ReadonlyArray<{ readonly org_id: string; readonly api_key: string }>
  readonly admin: { readonly jwt: string }
}

/** Starts the built service on a database, with its own data folder. */
export const serviceOn = (name: string, folder: string, clusterUrl: string) =>
  Effect.gen(function* () {
    const url = urlOf(clusterUrl, name)
    const own = join(folder, name)
    const server = yield* startServer(name, "../main.mjs", environmentOf(own, url))
    const file = yield* Effect.promise(() => readFile(join(own, "sandbox.json"), "utf8"))
    return { server, url, sandbox: JSON.parse(file) as SandboxFile }
  })

export const newDatabase = (name: string, clusterUrl: string) => statement(clusterUrl, `create database ${name}`)

/** Payments made through the API; the rest are copies. */
const SEED = 50
const AT_A_TIME = 4

export interface Size {
  readonly payments: number
  readonly organizations: number
}

export const nameOf = ({ organizations, payments }: Size): string => `growth_${payments}_${organizations}`

export const say = (text: string) => void process.stderr.write(`${text}\n`)

export const ask = async (port: number, path: string, headers: Readonly<Record<string, string>>, body?: object) => {
  const send = () =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { "content-type": "application/json", ...headers }
    })
  let answer = await send()
  let text = await answer.text()
  // The service may be busy on a shared machine.
  for (let again = 0; answer.status === 503 && again < 10; again++) {
    await new Promise((done) => setTimeout(done, 1000))
    answer = await send()
    text = await answer.text()
  }
  if (!answer.ok) throw new BenchFailed({ message: `${path} answered ${answer.status}: ${text}` })
  return text
}

/** Accepts every delivery at once. */
export const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(200).end())
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
)

export const queueEmpty = (pool: Pool) =>
  Effect.promise(() => pool.query<{ open: boolean }>("select exists (select from webhook_queue) as open")).pipe(
    Effect.filterOrFail(
      ({ rows }) => rows[0]?.open === false,
      () => new BenchFailed({ message: "Deliveries were left in the queue." })
    ),
    Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo("2 minutes")))
  )

/** Mostly one kind, some declined, one of another customer. All of them end. */
const seed = (nth: number) => {
  const usual = initiation(`seed-${nth}`)
  const by = (phone: string, email: string) => ({
    ...usual,
    mobile_money_details: { ...usual.mobile_money_details, phone_number: phone },
    payer_details: { ...usual.payer_details, phone, email }
  })
  if (nth % 10 === 0) return by("+254712340001", "declined@example.com")
  return nth === 3 ? by("+254712345679", "some@example.com") : usual
}

/** One delivery in fifty is dead. */
const dead = `update webhook_deliveries set status = 'dead', attempts = 8, last_status_code = 500, last_error = 'It answered 500.'
  where delivery_id = (select delivery_id from webhook_deliveries order by 1 limit 1)`

/** One audit entry for each payment. */
const audited = `insert into audit_log (audit_id, org_id, actor_type, actor_id, action, subject_type, subject_id)
  select uuid_v7(), org_id, 'operator', 'bench', case when row_number() over () = 1 then 'payment.resolved' else 'payment.reviewed' end,
    'payment', payment_id::text from payments`

const seeded = (folder: string, clusterUrl: string, size: Size) =>
  Effect.gen(function* () {
    const name = nameOf(size)
    yield* statement(clusterUrl, `drop database if exists ${name}`)
    yield* statement(clusterUrl, `create database ${name}`)
    const { sandbox, server, url } = yield* serviceOn(name, folder, clusterUrl)
    const pool = yield* poolOn(url)
    const key = credentialsOf(sandbox.orgs[0]!.api_key)
    const { url: endpoint_url } = yield* receiver
    const endpoint = { endpoint_url, events: ["payment.completed"] }
    yield* Effect.promise(() => ask(server.port, "/v1/public/webhooks", key, endpoint))
    yield* Effect.forEach(
      Array.from({ length: SEED }, (_, nth) => nth),
      (nth) =>
        Effect.promise(() =>
          ask(server.port, INITIATE_PATH, { ...key, "idempotency-key": `seed-${nth}` }, seed(nth)).catch(() => "")
        ),
      { concurrency: AT_A_TIME }
    )
    yield* settled(name, pool)
    yield* queueEmpty(pool)
    yield* Effect.promise(() => pool.query(dead))
    yield* Effect.promise(() => pool.query(audited))
    yield* Effect.promise(() => pool.query("create table bench_seeded ()"))
  }).pipe(Effect.scoped)

const has = (url: string, table: string) =>
  Effect.flatMap(poolOn(url), (pool) =>
    Effect.promise(async () => {
      const { rows } = await pool.query<{ there: boolean }>("select to_regclass($1) is not null as there", [table])
      return rows[0]!.there
    })
  ).pipe(Effect.scoped)

const exists = (clusterUrl: string, name: string) =>
  Effect.flatMap(poolOn(clusterUrl), (pool) =>
    Effect.promise(async () => (await pool.query("select from pg_database where datname = $1", [name])).rowCount === 1)
  ).pipe(Effect.scoped)

const stateOf = (clusterUrl: string, size: Size) =>
  Effect.gen(function* () {
    const name = nameOf(size)
    if (!(yield* exists(clusterUrl, name))) return "none"
    const url = urlOf(clusterUrl, name)
    if (yield* has(url, "bench_loaded")) return "loaded"
    return (yield* has(url, "bench_seeded")) ? "seeded" : "none"
  })

const settings = (clusterUrl: string, statements: ReadonlyArray<string>) =>
  Effect.forEach(statements, (text) => statement(clusterUrl, text), { discard: true })

const filled = (clusterUrl: string, size: Size) =>
  Effect.gen(function* () {
    const url = urlOf(clusterUrl, nameOf(size))
    const began = performance.now()
    const times = Math.round(size.payments / SEED) - 1
    yield* load(url, { times, organizations: size.organizations }, say)
    yield* statement(url, "create table bench_loaded ()")
    say(`${nameOf(size)}: loaded in ${((performance.now() - began) / 1000).toFixed(0)} s`)
  })

/** Starts PostgreSQL to seed, then to load without WAL. */
export const prepare = (folder: string, sizes: ReadonlyArray<Size>) =>
  Effect.gen(function* () {
    const states = yield* Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* clusterIn(folder)
        const found = yield* Effect.forEach(sizes, (size) => stateOf(url, size))
        for (const [nth, size] of sizes.entries()) if (found[nth] === "none") yield* seeded(folder, url, size)
        yield* settings(url, ["alter system set shared_preload_libraries = pg_stat_statements"])
        if (found.some((state) => state !== "loaded")) {
          yield* settings(
            url,
            Object.entries(loading).map(([name, value]) => `alter system set ${name} = '${value}'`)
          )
        }
        return found
      })
    )
    const left = sizes.filter((_, nth) => states[nth] !== "loaded")
    if (left.length === 0) return
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* clusterIn(folder)
        for (const size of left) yield* filled(url, size)
        yield* settings(url, [...Object.keys(loading).map((name) => `alter system reset ${name}`), "checkpoint"])
      })
    )
  })
