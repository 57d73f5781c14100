/**
 * Fills a database: each table without its indexes, two tables at a time, then the indexes. Progress is kept in the
 * database, so that an interrupted load continues.
 */
import { Effect } from "effect"
import { Pool } from "pg"
import { columnsOf, copies, growing, makeMonths, makeOrganizations, type Size } from "./Multiply.ts"

const AT_A_TIME = 2

/** Avoids WAL for tables that are truncated in the same transaction. */
export const loading = {
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "8GB",
  checkpoint_timeout: "1h",
  full_page_writes: "off",
  autovacuum: "off"
}

const session = {
  synchronous_commit: "off",
  session_replication_role: "replica",
  maintenance_work_mem: "1GB",
  work_mem: "64MB"
}

/** Constraints and indexes to drop before and create afterwards, in order. */
const attached = `
  with parts as (
    select c.oid, coalesce(pg_partition_root(c.oid)::oid, c.oid) as root from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and coalesce(pg_partition_root(c.oid)::oid, c.oid)::regclass::text = any ($1)
  )
  select case k.contype when 'f' then 3 else 1 end as step, p.root::regclass::text as table,
    format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as away,
    format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as back
  from pg_constraint k join parts p on p.oid = case k.contype when 'f' then k.confrelid else k.conrelid end or
    (k.contype = 'f' and p.oid = k.conrelid)
  where k.contype in ('p', 'u', 'f') and k.conparentid = 0
  union
  select 2, p.root::regclass::text, format('drop index %s', i.indexrelid::regclass),
    replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
  from pg_index i join parts p on p.oid = i.indrelid
  where not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))
    and not exists (select from pg_inherits h where h.inhrelid = i.indexrelid)
  order by 1, 3`

interface Step {
  readonly step: number
  readonly table: string
  readonly away: string
  readonly back: string
}

const inTurns = async <A>(items: ReadonlyArray<A>, atATime: number, work: (item: A) => Promise<void>) => {
  const left = [...items]
  await Promise.all(
    Array.from({ length: atATime }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
    })
  )
}

const takeAway = async (pool: Pool, size: Size) => {
  await makeMonths(pool, size)
  await makeOrganizations(pool, size)
  const { rows } = await pool.query<Step>(attached, [Object.keys(growing)])
  const once = new Map(rows.map((row) => [row.away, row]))
  const client = await pool.connect()
  await client.query("begin")
  await client.query("create table bench_load (step integer, name text, back text)")
  // References first: they need the keys.
  for (const { away, back, step, table } of Array.from(once.values()).toSorted((a, b) => b.step - a.step)) {
    await client.query(away)
    await client.query("insert into bench_load values ($1, $2, $3)", [step, table, back])
  }
  for (const table of Object.keys(growing)) await client.query("insert into bench_load values (0, $1, null)", [table])
  await client.query("commit")
  client.release()
}

const fill = async (pool: Pool, table: string, size: Size) => {
  const names = (await columnsOf(pool, table)).map(({ column }) => `"${column}"`).join(", ")
  const client = await pool.connect()
  await client.query("begin")
  await client.query(`create temp table seeds_${table} on commit drop as table ${table}`)
  await client.query(`truncate ${table}`)
  await client.query(await copies(pool, table, `seeds_${table}`, size))
  await client.query(`insert into ${table} (${names}) select ${names} from seeds_${table}`)
  await client.query("delete from bench_load where step = 0 and name = $1", [table])
  await client.query("commit")
  await client.query(`vacuum ${table}`)
  client.release()
}

/** Largest tables first. */
const heaviest = "payments events webhook_deliveries payment_history ledger_postings".split(" ")
const weight = ({ name }: { readonly name: string }) => heaviest.indexOf(name) + 1 || heaviest.length + 1

export const load = (url: string, size: Size, say: (text: string) => void) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const options = Object.entries(session).map(([name, value]) => `-c ${name}=${value}`)
      return new Pool({ connectionString: url, max: AT_A_TIME + 2, options: options.join(" ") })
    }),
    (pool) =>
      Effect.promise(async () => {
        const began = performance.now()
        const after = () => `${((performance.now() - began) / 1000).toFixed(0)} s`
        const { rows: there } = await pool.query<{ at: string | null }>("select to_regclass('bench_load') as at")
        if (there[0]?.at === null) await takeAway(pool, size)
        const steps = async (step: number) =>
          (
            await pool.query<{ name: string; back: string }>("select name, back from bench_load where step = $1", [
              step
            ])
          ).rows.toSorted((a, b) => weight(a) - weight(b))
        await inTurns(await steps(0), AT_A_TIME, async ({ name }) => {
          await fill(pool, name, size)
          say(`  ${name}: after ${after()}`)
        })
        for (const step of [1, 2, 3]) {
          // References lock both of their tables.
          await inTurns(await steps(step), step === 3 ? 1 : AT_A_TIME, async ({ back }) => {
            const client = await pool.connect()
            await client.query("begin")
            await client.query(back)
            await client.query("delete from bench_load where step = $1 and back = $2", [step, back])
            await client.query("commit")
            client.release()
          })
          say(`  ${["", "keys", "indexes", "references"][step]}: after ${after()}`)
        }
        await pool.query("analyze")
        await pool.query("drop table bench_load")
      }),
    (pool) => Effect.promise(() => pool.end())
  )
