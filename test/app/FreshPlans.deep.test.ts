/**
 * Rows that every statement of the service reads while one organisation has thousands of rows and no table was ever
 * analysed: in the first minutes of a new database, and after a restore or a major upgrade without statistics.
 * Connections keep plans from the time when the tables were small, as those of a service do.
 */
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, test } from "vitest"
import { grow, type Size } from "../bench/growth/Multiply.ts"
import { StoresLive } from "../../src/app/Stores.ts"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { DatabaseLive } from "../../src/platform/database/Database.ts"
import { fetchDocument } from "../contract/api/DocumentedOperations.ts"
import { makeObjects } from "../isolation/Objects.ts"
import { people } from "../support/TestCredentials.ts"
import { foundPostgres, otherServer } from "../support/OtherPostgres.ts"
import { isOfTests, ownPool } from "../support/OwnDatabase.ts"
import { TestDatabaseServer } from "../support/TestDatabase.ts"
import { testServer } from "../support/TestServer.ts"
import { callEverything, nodesOf, type PlanNode, rest } from "./CallEveryOperation.ts"

/** Rows of a table from which on an index of an organisation costs as much as that of a key. */
const small: Size = { times: 20, organizations: 1 }
const large: Size = { times: 800, organizations: 1, after: small.times }

/** Rows and pages that are enough for a statement that is no list. */
const MOST_ROWS = 300
const MOST_PAGES = 1000

/** Without statistics a list may sort all rows of an organisation: its index is used for its rows, but not for its order. */
const isList = (text: string): boolean => /order by (n\.)?(created_at|opened_at) desc/.test(text)

/**
 * Days that are not closed yet are counted as they are read, and here all of them are. Keys are counted beside their list.
 * Figures count up to 10,000 of what waits, once for all instances. Of an organisation's people and open invitations
 * some statements read all: each is sent when a person changes them, or asks for counts. The balances of the platform
 * are the sums of all postings of its accounts.
 */
const grows: ReadonlyArray<RegExp> = [
  /^with open_days as/,
  /^with own as/,
  /^with parts as/,
  /^with past as materialized/,
  /^with turn as \(\s*update figures/,
  /^select count\(\*\)::int from api_keys/,
  /^select provider, coalesce\(outcome, 'none'\) as outcome/,
  /^select account, sum\(amount\)::text as amount, 1 as accounts from ledger_postings/,
  /^select country, count\(\*\)::int as users/,
  /^select 1 from memberships where org_id = \$1 and \(role = 'org-admin' or/,
  /^update invitations set status = '(expired|withdrawn)', updated_at = now\(\)\s+where org_id = /
]

interface Plan extends PlanNode<Plan> {
  readonly Alias?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
}

interface Explained {
  readonly "Query Text": string
  readonly Plan: Plan
}

type Mode = "force_generic_plan" | "force_custom_plan"

/** Planning of the service's connections from now on; `anew` differs where they are to drop their plans. */
let planned: { readonly mode: Mode; readonly anew: number } = { mode: "force_generic_plan", anew: 0 }
let seen = new Map<string, Array<Plan>>()
let database: pg.ClientConfig = {}

const explaining = ["min_duration = 0", "analyze", "buffers", "timing = off", "verbose", "nested_statements"]
  .map((option) => `set auto_explain.log_${option.includes("=") ? option : `${option} = on`}`)
  .concat("set auto_explain.log_format = json", "set auto_explain.log_level = notice")

const asSent = pg.Client.prototype.query as (...given: ReadonlyArray<unknown>) => unknown
const modes = new WeakMap<pg.Client, typeof planned>()

/** Sends a setting. In a transaction that has failed it has no effect, and is sent again later. */
const sendStatement = (client: pg.Client, text: string) =>
  void (asSent.call(client, text) as Promise<unknown>).catch(() => {})

const keepPlan = ({ message = "" }: { readonly message?: string | undefined }) => {
  const [, json] = /^duration: [^{]* plan:\s*({[^]*})$/.exec(message) ?? []
  if (json === undefined) return
  const { Plan: plan, "Query Text": text } = JSON.parse(json) as Explained
  seen.set(text, [...(seen.get(text) ?? []), plan])
}

beforeAll(() => {
  pg.Client.prototype.query = function (this: pg.Client, ...given: ReadonlyArray<unknown>) {
    const before = modes.get(this)
    if (!isOfTests(this) && before !== planned) {
      if (before === undefined) {
        sendStatement(this, ["load 'auto_explain'", ...explaining].join("; "))
        this.on("notice", keepPlan)
        const { database: name, host, password, port, user } = this
        database = { ...{ host, port, user }, database: name ?? "", password: password ?? "" }
      }
      if (before !== undefined && before.anew !== planned.anew) sendStatement(this, "discard plans")
      sendStatement(this, `set plan_cache_mode = ${planned.mode}`)
      modes.set(this, planned)
    }
    return asSent.apply(this, [...given])
  } as typeof pg.Client.prototype.query
})

afterAll(() => {
  pg.Client.prototype.query = asSent as typeof pg.Client.prototype.query
})

const hash = "'\\x' || encode(sha256(n::text::bytea), 'hex')"

/** Tables that the copies of business leave out: keys, people, accounts, and deliveries that wait for their turn. */
const others: Readonly<Record<string, string>> = {
  api_keys: `'api_key_id', gen_random_uuid(), 'hash', ${hash}`,
  invitations: `'invitation_id', gen_random_uuid(), 'email', n || '@example.com', 'token_hash', ${hash}`,
  users: "'user_id', md5(n::text)::uuid, 'subject', md5(n::text), 'email', n || '@example.com'",
  memberships: "'user_id', md5(n::text)::uuid",
  virtual_accounts: "'account_id', gen_random_uuid()"
}

/** Deliveries of five endpoints, none of them due. */
const waiting = `insert into webhook_queue (delivery_id, org_id, webhook_id, delivery_at, event_id, event_at, next_at)
  select gen_random_uuid(), $1, md5((n % 5)::text)::uuid, now(), gen_random_uuid(), now(), now() + interval '1 day'
  from generate_series(1, $2::int) n`

const growAll = async (pool: pg.Pool, orgId: string, size: Size) => {
  await grow(pool, size)
  const { after = 0, times } = size
  await pool.query("set session_replication_role = replica")
  for (const [table, changed] of Object.entries(others)) {
    const { rowCount } = await pool.query(
      `insert into ${table} select (jsonb_populate_record(one.o, jsonb_build_object('org_id', $1::uuid, ${changed}))).*
        from (select o from ${table} o limit 1) one
        cross join generate_series(${4 * after + 1}, ${4 * (after + times)}) n`,
      [orgId]
    )
    expect(rowCount, table).toBe(4 * times)
  }
  await pool.query(waiting, [orgId, 4 * times])
  await pool.query("set session_replication_role = origin")
}

/** Columns by table that begin an index without the organisation, and name one thing or what belongs to it. */
const keysOf = async (pool: pg.Pool): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const { rows } = await pool.query<{ table: string; keys: ReadonlyArray<string> }>(
    `select c.relname as table, array_agg(distinct a.attname::text) as keys from pg_index i
      join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] and a.atttypid = 'uuid'::regtype
      where a.attname <> 'org_id' and not exists (select from pg_attribute o
        where o.attrelid = c.oid and o.attname = 'org_id' and o.attnum = any (i.indkey))
      group by c.relname`
  )
  return new Map(rows.map(({ keys, table }) => [table, new Set(keys)]))
}

/** The key of a membership has the organisation in it, and so have the keys that foreign keys of two columns refer to. */
const hasOrganizationInKey = (table: string, text: string): boolean =>
  table === "memberships" || text.startsWith("SELECT 1 FROM ONLY")

const columnsComparedIn = (conditions: string, alias: string): ReadonlySet<string> => {
  const compared = new RegExp(`\\b${alias}\\.(\\w+) = |= ${alias}\\.(\\w+)\\b`, "g")
  return new Set(Array.from(conditions.matchAll(compared), ([, left, right]) => left ?? right!))
}

/** Tables that a plan may enter by the organisation although the statement has a key of theirs. */
const otherWaysIn = (keys: ReadonlyMap<string, ReadonlySet<string>>, text: string, plan: Plan): ReadonlyArray<string> =>
  nodesOf(plan).flatMap((node) => {
    const { Alias: alias, "Relation Name": relation } = node
    if (alias === undefined || relation === undefined || hasOrganizationInKey(relation, text)) return []
    const conditions = Object.entries(node).flatMap(([name, value]) => (/(Cond|Filter)$/.test(name) ? [value] : []))
    const compared = columnsComparedIn(conditions.join(" ").replaceAll(/NOT \(ANY \([^)]*/g, ""), alias)
    const key = Array.from(compared).find((column) => keys.get(relation)?.has(column) === true)
    return compared.has("org_id") && key !== undefined ? [`${relation} has ${key} = beside org_id =: ${text}`] : []
  })

const rowsOf = (node: Plan): number =>
  (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)) *
  node["Actual Loops"]

const tooMuch = (text: string, plan: Plan): ReadonlyArray<string> => {
  const rows = Math.max(...nodesOf(plan).map((node) => (node["Relation Name"] === undefined ? 0 : rowsOf(node))))
  const pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
  return rows > MOST_ROWS || pages > MOST_PAGES ? [`${Math.round(rows)} rows, ${pages} pages: ${text}`] : []
}

/** Statements that workers send by themselves: the workers have run once each of these was seen. */
const ofWorkers = [/^with recursive capacity as/, /^with recursive asked as/, /^with held as/, /^with due as/]

const onServerOf = (major: number) => {
  if (major === 18) return TestDatabaseServer
  return foundPostgres.has(major) ? otherServer(major) : undefined
}

for (const major of [15, 16, 17, 18]) {
  const server = onServerOf(major)
  if (server === undefined) {
    describe.skip(`PostgreSQL ${major} is not on this machine: POSTGRES_BINS names folders of programs`, () => {
      test("reads no more than it needs", () => {})
    })
    continue
  }
  const stores = StoresLive.pipe(Layer.provide(DatabaseLive.pipe(Layer.provideMerge(server))))
  layer(testServer("PostgreSQL", { stores }), { excludeTestServices: true, timeout: "120 seconds" })(
    `PostgreSQL ${major} that was never analysed`,
    (it) => {
      it.scoped("reads no more than it needs", () =>
        Effect.gen(function* () {
          planned = { mode: "force_generic_plan", anew: 0 }
          const { admin, globex } = yield* people
          const document = yield* fetchDocument
          yield* startWorkers
          const walk = Effect.gen(function* () {
            seen = new Map()
            const made = yield* makeObjects(document, { owner: globex, admin })
            yield* callEverything(document, made, [globex.key, admin])
            yield* Effect.sync(() =>
              ofWorkers.filter((known) => !Array.from(seen.keys()).some((text) => known.test(text)))
            ).pipe(
              Effect.repeat({ until: (missing) => missing.length === 0, schedule: Schedule.spaced("50 millis") }),
              Effect.timeout("30 seconds")
            )
            return seen
          })
          yield* walk
          const pool = yield* Effect.acquireRelease(
            Effect.sync(() => ownPool(database)),
            (own) => Effect.promise(() => own.end())
          )
          yield* Effect.promise(() => pool.query(rest))
          yield* Effect.promise(() => growAll(pool, globex.org_id, small))
          planned = { ...planned, anew: 1 }
          const first = yield* walk
          yield* Effect.promise(() => growAll(pool, globex.org_id, large))
          const before = yield* walk
          planned = { ...planned, mode: "force_custom_plan" }
          const after = yield* walk
          const keys = yield* Effect.promise(() => keysOf(pool))
          const { rows } = yield* Effect.promise(() =>
            pool.query<{ payments: number; analysed: number }>(
              `select (select count(*)::int from payments) as payments, count(*)::int as analysed
                from pg_statistic s join pg_class c on c.oid = s.starelid and c.relnamespace = 'public'::regnamespace`
            )
          )
          expect(rows[0]!.payments).toBeGreaterThan(3000)
          expect(rows[0]!.analysed).toBe(0)
          const all = [first, before, after].flatMap((walked) => Array.from(walked))
          expect(new Set(all.map(([text]) => text)).size).toBeGreaterThan(250)
          const found = (look: (text: string, plan: Plan) => ReadonlyArray<string>, walked: typeof all) =>
            Array.from(new Set(walked.flatMap(([text, plans]) => plans.flatMap((plan) => look(text, plan)))))
          expect.soft(found((text, plan) => otherWaysIn(keys, text, plan), all)).toEqual([])
          const points = [...before, ...after].filter(
            ([text]) => !isList(text) && !grows.some((known) => known.test(text))
          )
          expect(found(tooMuch, points)).toEqual([])
        })
      )
    }
  )
}
