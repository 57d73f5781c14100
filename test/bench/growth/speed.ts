/**
 * How fast lists and initiations are in databases of different sizes: one service on each, all on one PostgreSQL, asked
 * in turns, so that whatever else the machine does meets all of them. Ratios are to the first.
 * `npm run bench:growth -- [payments[/organisations] …] [--rounds N] [--requests N] [--only text] [--keep folder] [--load]`
 * `--queues 0,10000,1000000` instead measures under so many waiting deliveries, one number for each database.
 * `--pages` counts the pages that a request makes PostgreSQL look at, which no other load on the machine changes.
 * With a folder to keep them in, databases are made once; `--load` makes them and measures nothing.
 */
import { chmod, mkdir } from "node:fs/promises"
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import type { Pool } from "pg"
import { durableCluster, poolOn, statement, temporaryFolder, urlOf } from "../BenchCluster.ts"
import { median } from "../Medians.ts"
import { credentialsOf, INITIATE_PATH, initiation } from "../Workload.ts"
import { type Case, cases, type Measured } from "./Cases.ts"
import { type SandboxFile, serviceOn, ask, nameOf, prepare, receiver, say, type Size } from "./Databases.ts"

/** A backlog of deliveries to one endpoint, enabled only while it is measured. */

/** Created through the API, so that its secret can be decrypted. */
const made = `
  with endpoint as (
    update webhooks set status = 'disabled', events = '{none.such}' where webhook_id = $1::uuid returning webhook_id, org_id
  ), told as (
    select event_id, created_at, event_type, org_id from events where data is not null and org_id = (select org_id from endpoint)
    order by created_at desc limit 1
  ), waiting as (
    insert into webhook_deliveries (delivery_id, org_id, webhook_id, event_id, event_type, status, created_at)
    select uuid_v7(), t.org_id, w.webhook_id, t.event_id, t.event_type, 'pending', now() - n * interval '1 ms'
    from told t cross join endpoint w cross join generate_series($2::int, 1, -1) n
    returning delivery_id, org_id, webhook_id, event_id, created_at
  )
  insert into webhook_queue (delivery_id, org_id, webhook_id, delivery_at, event_id, event_at, next_at)
  select d.delivery_id, d.org_id, d.webhook_id, d.created_at, d.event_id, t.created_at, d.created_at
  from waiting d cross join told t`

/** Adds or removes deliveries until there are this many. */
const deepen = async (pool: Pool, depth: number, endpoint: () => Promise<string>) => {
  await pool.query("set session_replication_role = replica")
  await pool.query(
    "delete from webhook_queue where webhook_id in (select webhook_id from webhooks where events = '{none.such}')"
  )
  if (depth > 0) await pool.query(made, [await endpoint(), depth])
  await pool.query("set session_replication_role = origin")
  await pool.query("vacuum analyze webhook_queue")
}

const left = async (pool: Pool): Promise<number> =>
  (await pool.query<{ count: number }>("select count(*)::int as count from webhook_queue")).rows[0]!.count

const letGo = (pool: Pool, status: "active" | "disabled", url: string) =>
  pool.query("update webhooks set status = $1, endpoint_url = $2, failing_since = null where events = '{none.such}'", [
    status,
    url
  ])

/** Deliveries a second. */
const drained = async (pool: Pool, url: string, millis: number): Promise<number> => {
  const before = await left(pool)
  const began = performance.now()
  await letGo(pool, "active", url)
  await new Promise((done) => setTimeout(done, millis))
  await letGo(pool, "disabled", url)
  const seconds = (performance.now() - began) / 1000
  return (before - (await left(pool))) / seconds
}

const AT_A_TIME = 4

const adminOf = ({ admin }: SandboxFile) => ({ authorization: `Bearer ${admin.jwt}`, "x-api-key": "NONE" })

/** The only payment with these values. */
const theOnlyOne = {
  ...initiation("the only one"),
  payer_details: { name: "Only", email: "only@example.com", phone: "+254700000001" }
}

const described = `select pg_size_pretty(pg_database_size(current_database())) as size,
  (select sum(reltuples)::bigint from pg_class where relname = 'payments') as payments`

interface Database extends Measured {
  readonly pool: Pool
}

const open = (folder: string, clusterUrl: string, size: Size, hook: string) =>
  Effect.gen(function* () {
    const { sandbox, server, url } = yield* serviceOn(nameOf(size), folder, clusterUrl)
    const pool = yield* poolOn(url)
    yield* Effect.promise(() => pool.query("update webhooks set endpoint_url = $1", [hook]))
    const { api_key, org_id } = sandbox.orgs[0]!
    const key = credentialsOf(api_key)
    yield* Effect.promise(() => ask(server.port, INITIATE_PATH, key, theOnlyOne))
    const { rows } = yield* Effect.promise(() => pool.query<{ size: string; payments: string }>(described))
    say(`about ${rows[0]?.payments} payments of ${size.organizations} organisations: ${rows[0]?.size}`)
    const measured: Database = {
      pool,
      port: server.port,
      org: org_id,
      key,
      admin: adminOf(sandbox),
      deep: new Map(),
      count: 0
    }
    return measured
  })

const rateOf = async (work: Case, of: Measured, requests: number) => {
  const began = performance.now()
  let left = requests
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      while (left-- > 0) await work(of)
    })
  )
  return requests / ((performance.now() - began) / 1000)
}

/** Pages and time of the statements of a request, one request at a time. */
const pagesOf = async (work: Case, of: Database, requests: number) => {
  await work(of)
  await of.pool.query(
    "select pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()))"
  )
  for (let nth = 0; nth < requests; nth++) await work(of)
  // Statements of workers have fewer calls.
  const { rows } = await of.pool.query<{ pages: number; millis: number }>(
    `select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 / $1 as pages,
      coalesce(sum(total_exec_time * $1 / calls), 0)::float8 / $1 as millis
    from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
      and calls >= $1 and query !~ 'pg_stat_statements|webhook_queue|capacity'`,
    [requests]
  )
  return rows[0]!
}

interface Plan {
  readonly pages: boolean
  readonly sizes: ReadonlyArray<Size>
  /** Waiting deliveries in each database. */
  readonly queues: ReadonlyArray<number>
  readonly rounds: number
  readonly requests: number
  readonly only: string
}

const print = (name: string, cells: ReadonlyArray<string>) =>
  process.stdout.write(`${name.padEnd(44)}${cells.map((cell) => cell.padStart(20)).join("")}\n`)

/** In turns; the first round warms up. */
const compared = async (
  name: string,
  databases: ReadonlyArray<Database>,
  rounds: number,
  rateIn: (of: Database) => Promise<number>
) => {
  const rates = databases.map((): Array<number> => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [nth, database] of databases.entries()) {
      const rate = await rateIn(database)
      if (round > 0) rates[nth]!.push(rate)
    }
  }
  const medians = rates.map(median)
  print(
    name,
    medians.map((rate) => `${rate.toFixed(0)} (${(rate / medians[0]!).toFixed(2)})`)
  )
}

/** Cases that a backlog may slow down. */
const besideQueues = ["initiation", "first page", "deliveries", "deliveries, pending (none)", "dead letters"]
const DRAINED_FOR = 5000

const measure = (folder: string, { only, pages, queues, requests, rounds, sizes }: Plan) =>
  Effect.gen(function* () {
    const { url } = yield* durableCluster(folder)
    const { url: hook } = yield* receiver
    if (pages) {
      for (const size of sizes) {
        yield* statement(urlOf(url, nameOf(size)), "create extension if not exists pg_stat_statements")
      }
    }
    const databases = yield* Effect.forEach(sizes, (size) => open(folder, url, size, hook))
    const deep = queues.length > 0
    const backlog =
      ({ key, port }: Database) =>
      async () => {
        const answer = await ask(port, "/v1/public/webhooks", key, {
          endpoint_url: hook,
          events: ["payment.completed"]
        })
        return (JSON.parse(answer) as { readonly data: { readonly webhook_id: string } }).data.webhook_id
      }
    for (const [nth, database] of databases.entries()) {
      if (deep) yield* Effect.promise(() => deepen(database.pool, queues[nth] ?? 0, backlog(database)))
    }
    print(
      "a second, and the ratio to the first",
      sizes.map(({ organizations, payments }, nth) =>
        deep ? `${payments}, queue ${queues[nth]}` : `${payments}/${organizations}`
      )
    )
    const chosen = cases().filter(([name]) => name.includes(only) && (!deep || besideQueues.includes(name)))
    for (const [name, work] of chosen) {
      if (pages) {
        const cells: Array<string> = []
        for (const database of databases) {
          const found = yield* Effect.promise(() => pagesOf(work, database, requests))
          cells.push(`${found.pages.toFixed(0)} / ${found.millis.toFixed(1)} ms`)
        }
        print(name, cells)
        continue
      }
      yield* Effect.promise(() => compared(name, databases, rounds, (of) => rateOf(work, of, requests)))
    }
    const drainable = databases.filter((_, nth) => (queues[nth] ?? 0) > 0)
    if (deep) {
      const rate = ({ pool }: Database) => drained(pool, hook, DRAINED_FOR)
      yield* Effect.promise(() => compared("deliveries out of the backlog", drainable, rounds, rate))
      for (const database of databases) yield* Effect.promise(() => deepen(database.pool, 0, backlog(database)))
    }
  }).pipe(Effect.scoped)

const given = process.argv.slice(2)
const option = (name: string, usual: string): string =>
  given.includes(name) ? (given[given.indexOf(name) + 1] ?? usual) : usual

const asked = given
  .filter(
    (word, nth) => /^\d+(\/\d+)?$/.test(word) && !/^--(rounds|requests|keep|only|queues)$/.test(given[nth - 1] ?? "")
  )
  .map((word): Size => {
    const [payments = 0, organizations = 1] = word.split("/").map(Number)
    return { payments, organizations }
  })
const usual = [1_000, 100_000].map((payments): Size => ({ payments, organizations: 1 }))

const kept = (folder: string) =>
  Effect.promise(async () => {
    await mkdir(folder, { recursive: true })
    // PostgreSQL runs as another user if we are root.
    await chmod(folder, 0o755)
    return folder
  })

Effect.gen(function* () {
  const folder = yield* given.includes("--keep") ? kept(option("--keep", "growth")) : temporaryFolder("growth")
  const sizes = asked.length === 0 ? usual : asked
  yield* prepare(folder, sizes)
  if (given.includes("--load")) return
  const [rounds, requests] = [Number(option("--rounds", "5")), Number(option("--requests", "100"))]
  const queues = option("--queues", "").split(",").filter(Boolean).map(Number)
  const pages = given.includes("--pages")
  yield* measure(folder, { sizes, pages, queues, rounds, requests, only: option("--only", "") })
}).pipe(Effect.scoped, NodeRuntime.runMain)
