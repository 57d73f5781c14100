/**
 * Measures the bytes that one payment and its completion write, by table, index and WAL, on the built-in simulator.
 * "written": growth of files; "grown": growth with vacuum; "packed": size after VACUUM FULL. `npm run bench:bytes --
 * [payments] [--key] [--endpoint] [--json]`
 */
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import type { Pool } from "pg"
import { durableCluster, poolOn, temporaryFolder } from "../BenchCluster.ts"
import { settled } from "../BenchVerification.ts"
import { credentialsOf, INITIATE_PATH, initiation } from "../Workload.ts"
import { newDatabase, serviceOn, ask, queueEmpty, receiver } from "./Databases.ts"

const WARM_UP = 500
const AT_A_TIME = 32
/** Number of vacuums in the second half. */
const PARTS = 5

interface Relation {
  readonly owner: string
  readonly name: string
  readonly part: "rows" | "index" | "toast"
  readonly bytes: number
}

/** Partitions and their indexes count for their table. */
const relations = `
  with tables as (
    select c.oid, coalesce(pg_partition_root(c.oid)::oid, c.oid) as root, c.reltoastrelid as toast
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r'
  ), parts as (
    select root, oid, 'rows' as part, root as named from tables
    union all select root, toast, 'toast', root from tables where toast <> 0
    union all select root, i.indexrelid, 'index', coalesce(pg_partition_root(i.indexrelid)::oid, i.indexrelid)
      from tables t join pg_index i on i.indrelid = t.oid
  )
  select root::regclass::text as owner, named::regclass::text as name, part, sum(pg_relation_size(oid))::float8 as bytes
  from parts group by root, named, part`

const sizes = async (pool: Pool): Promise<ReadonlyMap<string, Relation>> => {
  const { rows } = await pool.query<Relation>(relations)
  return new Map(rows.map((row) => [`${row.owner} ${row.part} ${row.name}`, row]))
}

interface Log {
  readonly bytes: number
  readonly images: number
}

const logOf = async (pool: Pool): Promise<Log> => {
  await pool.query("select pg_stat_force_next_flush()")
  const { rows } = await pool.query<Log>(
    "select wal_bytes::float8 as bytes, wal_fpi::float8 as images from pg_stat_wal"
  )
  return rows[0]!
}

const measure = (count: number, { endpoint, key }: { readonly endpoint: boolean; readonly key: boolean }) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder("bytes")
    const { url: clusterUrl } = yield* durableCluster(folder)
    yield* newDatabase("bytes", clusterUrl)
    const { sandbox, server, url } = yield* serviceOn("bytes", folder, clusterUrl)
    const pool = yield* poolOn(url)
    const credentials = credentialsOf(sandbox.orgs[0]!.api_key)
    if (endpoint) {
      const { url: endpoint_url } = yield* receiver
      yield* Effect.promise(() => ask(server.port, "/v1/public/webhooks", credentials, { endpoint_url, events: ["*"] }))
    }
    const pay = (name: string, payments: number) =>
      Effect.forEach(
        Array.from({ length: payments }, (_, nth) => `${name}-${nth}`),
        (reference) =>
          Effect.promise(() => {
            const headers = key ? { ...credentials, "idempotency-key": `${reference}-3d5b6a1e-8f4c` } : credentials
            return ask(server.port, INITIATE_PATH, headers, initiation(reference))
          }),
        { concurrency: AT_A_TIME, discard: true }
      ).pipe(Effect.zipRight(Effect.zipRight(settled("corridor", pool), queueEmpty(pool))))
    yield* pay("warm", WARM_UP)
    yield* Effect.promise(() => pool.query("checkpoint"))
    const [before, logBefore] = yield* Effect.promise(async () => [await sizes(pool), await logOf(pool)] as const)
    yield* pay("paid", count)
    const [after, logAfter] = yield* Effect.promise(async () => [await sizes(pool), await logOf(pool)] as const)
    const vacuum = Effect.promise(() => pool.query("vacuum"))
    yield* Effect.promise(() => pool.query("vacuum full"))
    const base = yield* Effect.promise(() => sizes(pool))
    for (let part = 0; part < PARTS; part++) yield* Effect.zipRight(pay(`part-${part}`, count / PARTS), vacuum)
    const reused = yield* Effect.promise(() => sizes(pool))
    yield* Effect.promise(() => pool.query("vacuum full"))
    const packed = yield* Effect.promise(() => sizes(pool))
    const rows = Array.from(after.values(), (row) => {
      const id = `${row.owner} ${row.part} ${row.name}`
      const bytesIn = (of: typeof after) => of.get(id)?.bytes ?? 0
      return {
        ...row,
        written: (row.bytes - bytesIn(before)) / count,
        grown: (bytesIn(reused) - bytesIn(base)) / count,
        kept: bytesIn(packed) / (2 * count + WARM_UP)
      }
    })
    const log = {
      bytes: (logAfter.bytes - logBefore.bytes) / count,
      images: (logAfter.images - logBefore.images) / count
    }
    return { rows: rows.filter(({ written }) => written > 0.5), log }
  }).pipe(Effect.scoped)

type Measured = Effect.Effect.Success<ReturnType<typeof measure>>

const tableOf = ({ log, rows }: Measured): string => {
  const line = (name: string, ...bytes: ReadonlyArray<number>) =>
    `${name.padEnd(58)}${bytes.map((one) => one.toFixed(0).padStart(8)).join("")}`
  const sum = (of: Measured["rows"]) =>
    [
      of.reduce((all, { written }) => all + written, 0),
      of.reduce((all, { grown }) => all + grown, 0),
      of.reduce((all, { kept }) => all + kept, 0)
    ] as const
  const owners = Array.from(new Set(rows.map(({ owner }) => owner)))
    .map((owner) => rows.filter((row) => row.owner === owner))
    .toSorted((a, b) => sum(b)[0] - sum(a)[0])
  const rail = rows.filter(({ owner }) => owner.startsWith("rail_"))
  return [
    `${"bytes for a payment".padEnd(58)}${["written", "grown", "packed"].map((word) => word.padStart(8)).join("")}`,
    ...owners.flatMap((of) => [
      line(of[0]!.owner, ...sum(of)),
      ...of
        .toSorted((a, b) => b.written - a.written)
        .map((row) => line(`  ${row.part} ${row.name}`, row.written, row.grown, row.kept))
    ]),
    line("all of it", ...sum(rows)),
    line("without the sandbox's rail", ...sum(rows.filter((row) => !rail.includes(row)))),
    `write-ahead log: ${log.bytes.toFixed(0)}, ${log.images.toFixed(2)} full pages among it`
  ].join("\n")
}

const given = process.argv.slice(2)
const count = Number(given.find((word) => /^\d+$/.test(word)) ?? 4000)

measure(count, { key: given.includes("--key"), endpoint: given.includes("--endpoint") }).pipe(
  Effect.tap((measured) =>
    Effect.sync(() => {
      process.stdout.write(given.includes("--json") ? `${JSON.stringify(measured)}\n` : `${tableOf(measured)}\n`)
    })
  ),
  NodeRuntime.runMain
)
