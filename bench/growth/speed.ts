/**
 * How fast lists and initiations are in databases of different sizes: one service on each, all on one PostgreSQL, asked
 * in turns, so that whatever else the machine does meets all of them. Ratios are to the first.
 * `npm run bench:growth -- [payments[/organisations] …] [--rounds N] [--requests N]`
 */
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { BenchFailed } from "../BenchFailed.ts"
import { durableCluster, poolOn, temporaryFolder } from "../Cluster.ts"
import { median } from "../Report.ts"
import { settled } from "../Verification.ts"
import { credentialsOf, INITIATE_PATH, initiation } from "../Workload.ts"
import { multiply } from "./Multiply.ts"
import { newDatabase, type SandboxFile, serviceOn } from "./Service.ts"

/** So many payments are made through the API; the rest are copies of them. */
const SEED = 50
const AT_A_TIME = 4
const DEEP = 20_000

interface Size {
  readonly payments: number
  readonly organizations: number
}

interface Measured {
  readonly size: Size
  readonly port: number
  readonly key: Readonly<Record<string, string>>
  readonly admin: Readonly<Record<string, string>>
  readonly deep: string
  count: number
}

const say = (text: string) => Effect.sync(() => process.stderr.write(`${text}\n`))

const ask = async (port: number, path: string, headers: Readonly<Record<string, string>>, body?: object) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", ...headers }
  })
  if (!answer.ok) throw new BenchFailed({ message: `${path} answered ${answer.status}: ${await answer.text()}` })
  return (await answer.json()) as { readonly last_evaluated_key?: string | null }
}

const adminOf = ({ admin }: SandboxFile) => ({ authorization: `Bearer ${admin.jwt}`, "x-api-key": "NONE" })

/** Mostly of one kind, a few of others. */
const seed = (nth: number) => {
  const usual = initiation(`seed-${nth}`)
  if (nth % 10 !== 0) return usual
  return {
    ...usual,
    mobile_money_details: { ...usual.mobile_money_details, phone_number: "+254712340001" },
    payer_details: { ...usual.payer_details, phone: "+254712340001" }
  }
}

/** The cursor before page 1,000, or before the last hundred records where there are fewer. */
const deepCursor = async (port: number, key: Readonly<Record<string, string>>) => {
  let [cursor, before] = ["", ""]
  for (let at = 0; at < DEEP; at += 100) {
    const next = cursor === "" ? "" : `&last_evaluated_key=${encodeURIComponent(cursor)}`
    const { last_evaluated_key } = await ask(port, `/v1/transactions?limit=100${next}`, key)
    if (typeof last_evaluated_key !== "string") return before
    before = cursor
    cursor = last_evaluated_key
  }
  return cursor
}

const open = (folder: string, clusterUrl: string, size: Size) =>
  Effect.gen(function* () {
    const name = `growth_${size.payments}_${size.organizations}`
    yield* newDatabase(name, clusterUrl)
    const { sandbox, server, url } = yield* serviceOn(name, folder, clusterUrl)
    const { port } = server
    const pool = yield* poolOn(url)
    const key = credentialsOf(sandbox.orgs[0]!.api_key)
    yield* Effect.forEach(
      Array.from({ length: SEED }, (_, nth) => nth),
      (nth) =>
        Effect.promise(() =>
          ask(port, INITIATE_PATH, { ...key, "idempotency-key": `seed-${nth}` }, seed(nth)).catch(() => undefined)
        ),
      { concurrency: AT_A_TIME }
    )
    yield* settled(name, pool)
    const began = performance.now()
    yield* Effect.promise(() =>
      multiply(pool, { times: Math.round(size.payments / SEED) - 1, organizations: size.organizations })
    )
    // One of a kind, among all the others.
    yield* Effect.promise(() =>
      ask(port, INITIATE_PATH, key, {
        ...initiation("the only one"),
        mobile_money_details: { provider: "mpesa", phone_number: "+254712340002" }
      })
    )
    const { rows } = yield* Effect.promise(() =>
      pool.query<{ size: string; payments: string }>(
        `select pg_size_pretty(pg_database_size(current_database())) as size, (select count(*) from payments) as payments`
      )
    )
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    yield* say(
      `${rows[0]?.payments} payments of ${size.organizations} organisations: ${rows[0]?.size}, in ${seconds} s`
    )
    const deep = yield* Effect.promise(() => deepCursor(port, key))
    const measured: Measured = { size, port, key, admin: adminOf(sandbox), deep, count: 0 }
    return measured
  })

const list = (search: string) => (of: Measured) => ask(of.port, `/v1/transactions?limit=20${search}`, of.key)
const all = (search: string) => (of: Measured) => ask(of.port, `/v1/transactions?limit=20${search}`, of.admin)
const told = (search: string) => (of: Measured) => ask(of.port, `/v1/public/events?limit=20${search}`, of.key)

const cases: Readonly<Record<string, (of: Measured) => Promise<unknown>>> = {
  "first page": list(""),
  "page 1,000": (of) => list(of.deep === "" ? "" : `&last_evaluated_key=${encodeURIComponent(of.deep)}`)(of),
  "status, frequent": list("&status=completed"),
  "status, rare": list("&status=pending"),
  "status, none": list("&status=refunded"),
  direction: list("&direction=inbound"),
  "direction, none": list("&direction=outbound"),
  method: list("&payment_method=mobile_money"),
  "method, none": list("&payment_method=card"),
  "status and direction": list("&status=failed&direction=inbound"),
  "status, direction and method": list("&status=completed&direction=inbound&payment_method=mobile_money"),
  "reference of one": list("&client_reference=the%20only%20one"),
  "status and times": list("&status=completed&from=2020-01-01T00:00:00Z&to=2040-01-01T00:00:00Z"),
  "everybody's, first page": all(""),
  "everybody's, status": all("&status=completed"),
  events: told(""),
  "events of a type": told("&event_type=payment.completed"),
  "events of a type, rare": told("&event_type=kyb.approved"),
  initiation: (of) => ask(of.port, INITIATE_PATH, of.key, initiation(`more-${of.count++}`))
}

const rateOf = async (work: (of: Measured) => Promise<unknown>, of: Measured, requests: number) => {
  const began = performance.now()
  let left = requests
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      while (left-- > 0) await work(of)
    })
  )
  return requests / ((performance.now() - began) / 1000)
}

const bench = (sizes: ReadonlyArray<Size>, rounds: number, requests: number) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder("growth")
    const { url } = yield* durableCluster(folder)
    const databases = yield* Effect.forEach(sizes, (size) => open(folder, url, size))
    const head = databases.map(({ size }) => `${size.payments}/${size.organizations}`.padStart(20)).join("")
    process.stdout.write(`${"requests/s, and the ratio to the first".padEnd(32)}${head}\n`)
    for (const [name, work] of Object.entries(cases)) {
      const rates = databases.map((): Array<number> => [])
      for (let round = 0; round <= rounds; round++) {
        for (const [nth, database] of databases.entries()) {
          const rate = yield* Effect.promise(() => rateOf(work, database, requests))
          // The first round warms up.
          if (round > 0) rates[nth]!.push(rate)
        }
      }
      const medians = rates.map(median)
      const cells = medians.map((rate) => `${rate.toFixed(0)} (${(rate / medians[0]!).toFixed(2)})`.padStart(20))
      process.stdout.write(`${name.padEnd(32)}${cells.join("")}\n`)
    }
  }).pipe(Effect.scoped)

const given = process.argv.slice(2)
const option = (name: string, usual: number) => (given.includes(name) ? Number(given[given.indexOf(name) + 1]) : usual)

const sizes = given
  .filter((word, nth) => /^\d+(\/\d+)?$/.test(word) && !(given[nth - 1] ?? "").startsWith("--"))
  .map((word): Size => {
    const [payments = 0, organizations = 1] = word.split("/").map(Number)
    return { payments, organizations }
  })
const usual = [1_000, 100_000].map((payments): Size => ({ payments, organizations: 1 }))

bench(sizes.length === 0 ? usual : sizes, option("--rounds", 5), option("--requests", 100)).pipe(NodeRuntime.runMain)
