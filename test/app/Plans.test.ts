/**
 * Every statement that the service sends while all of its operations are called and its workers run, as PostgreSQL would
 * answer it in a small and in a large database: by an index, and not slower where there are more rows.
 */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import pg from "pg"
import { growing, multiply } from "../../bench/growth/Multiply.ts"
import { startWorkers } from "../../src/app/Workers.ts"
import { planning } from "../../src/platform/database/Pool.ts"
import { fetchDocument, type Operation, operationsOf } from "../contract/api/Operations.ts"
import { makeObjects, requestExample } from "../isolation/Objects.ts"
import { people } from "../support/Credentials.ts"
import { isOfTests } from "../support/OwnDatabase.ts"
import { send } from "../support/Send.ts"
import { onDatabaseServer } from "../support/TestServer.ts"

const COPIES = 1500

/**
 * Days that are not closed yet are counted as they are read: there are two of them as a rule, and here all of them are.
 * The list of an organisation's payment links has no pages. Figures for metrics count up to 10,000 of what waits.
 */
const grows: ReadonlyArray<RegExp> = [
  /^with open_days as/,
  /^with past as materialized/,
  /from payment_links l where org_id = \$1\s+order by created_at desc, link_id desc$/,
  /^with turn as \(\s*update figures/
]

/** One row each of what the calls leave no row of: what is nowhere cannot be made more of. */
const rest = `
  insert into payment_link_payments select distinct on (p.payment_id) p.payment_id, link_id, org_id, 'once' from payment_links
    cross join lateral (select payment_id from payments p where p.org_id = payment_links.org_id limit 1) p;
  insert into operator_items (item_id, org_id, kind, payment_id, detail, opened_at)
    select gen_random_uuid(), org_id, 'suspense', payment_id, 'It waits.', created_at from payments;
  insert into rate_locks (org_rate_id, org_id, from_currency, to_currency, rate, expires_at)
    select gen_random_uuid(), org_id, 'KES', 'USD', 1, now() from organizations`

/** Each with the values that it was sent with last. */
const statements = new Map<string, ReadonlyArray<unknown>>()
let database: pg.ClientConfig = {}

const sentIn = ([query, values]: ReadonlyArray<unknown>) =>
  typeof query === "string"
    ? { text: query, values: Array.isArray(values) ? values : [] }
    : (query as { readonly text?: string; readonly values?: ReadonlyArray<unknown> })

const asSent = pg.Client.prototype.query as (...given: ReadonlyArray<unknown>) => unknown
pg.Client.prototype.query = function (this: pg.Client, ...given: ReadonlyArray<unknown>) {
  if (isOfTests(this)) return asSent.apply(this, [...given])
  const { text = "", values = [] } = sentIn(given)
  if (/^\s*(select|with|insert|update|delete)\b/i.test(text)) statements.set(text, values)
  const { database: name, host, password, port, user } = this
  database = { ...{ host, port, user }, database: name ?? "", password: password ?? "" }
  return asSent.apply(this, [...given])
} as typeof pg.Client.prototype.query

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Total Cost": number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The months of a table count as the table. */
const tableOf = (relation: string): string => relation.replace(/_(\d{4}_\d\d|default|before)$/, "")

const explain = async (pool: pg.Pool, text: string, values: ReadonlyArray<unknown>): Promise<Plan> => {
  const { rows } = await pool.query<{ "QUERY PLAN": readonly [{ readonly Plan: Plan }] }>(
    `explain (format json) ${text}`,
    [...values]
  )
  return rows[0]!["QUERY PLAN"][0].Plan
}

const explained = async (pool: pg.Pool, sent: typeof statements) => {
  const plans = new Map<string, Plan>()
  for (const [text, values] of sent) plans.set(text, await explain(pool, text, values))
  return plans
}

/** What a list can be asked for, by the name of the parameter. */
const questions: Readonly<Record<string, string>> = {
  status: "completed",
  direction: "inbound",
  payment_method: "mobile_money",
  client_reference: "order-1",
  reference: "order-1",
  customer: "wanjiru@example.com",
  event_type: "payment.completed",
  action: "payment.resolved",
  from: "2020-01-01T00:00:00Z",
  to: "2040-01-01T00:00:00Z",
  dateFrom: "2026-01-01",
  dateTo: "2026-12-31"
}

const searches = ({ about }: Operation, ids: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const known = { ...ids, ...questions }
  const asked = (about.parameters ?? []).filter(({ in: place, name }) => place === "query" && known[name] !== undefined)
  const byPhone = asked.some(({ name }) => name === "customer")
    ? ["?customer=254712345678", "?customer=0712345678"]
    : []
  const one = asked.map(({ name }) => `?${name}=${encodeURIComponent(known[name]!)}`).concat(byPhone)
  const all = asked.map(({ name }) => `${name}=${encodeURIComponent(known[name]!)}`).join("&")
  return ["", ...one, `?${all}`]
}

onDatabaseServer("Every statement", (it) => {
  it.scoped("is answered by an index, however many rows there are", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const document = yield* fetchDocument
      yield* startWorkers
      const { ids, words } = yield* makeObjects(document, { owner: globex, admin })
      yield* makeObjects(document, { owner: acme, admin })
      for (const operation of operationsOf(document)) {
        const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? words?.[name] ?? "-")
        for (const search of operation.method === "GET" ? searches(operation, ids) : [""]) {
          for (const credential of [globex.key, admin]) {
            const { about, method, name } = operation
            const body = about.requestBody === undefined ? {} : { body: JSON.stringify(requestExample(document, name)) }
            const headers = { "content-type": "application/json", "idempotency-key": randomUUID(), ...credential }
            yield* send(`/v1${path}${search}`, { method, headers, ...body })
          }
        }
      }
      yield* Effect.sleep("1 second")
      const slower = yield* Effect.promise(async () => {
        const pool = new pg.Pool({ ...database, options: planning.options, max: 1 })
        const sent = new Map(statements)
        const tables = new Set(Object.keys(growing))
        await pool.query(rest)
        // The plans of a service that has just begun are those of its first minutes, however many rows those bring.
        const readWhole = Array.from(await explained(pool, sent)).filter(
          ([text, plan]) =>
            /\(\s*seq integer/.test(text) &&
            nodesOf(plan).some((node) => node["Node Type"] === "Seq Scan" && tables.has(node["Relation Name"] ?? ""))
        )
        expect(readWhole.map(([text]) => text)).toEqual([])
        await pool.query("vacuum analyze")
        const small = await explained(pool, sent)
        await multiply(pool, { times: COPIES, organizations: 500 })
        // A table of a few thousand rows may be read whole where no index is missed: what is left then, lacks one.
        await pool.query("set enable_seqscan = off")
        const large = await explained(pool, sent)
        const { rows } = await pool.query<{ name: string }>(
          "select relname as name from pg_class where relkind = 'r' and reltuples > 0"
        )
        // Of a month that nothing has happened in yet nothing is read.
        const filled = new Set(rows.map(({ name }) => name).filter((name) => tables.has(tableOf(name))))
        await pool.end()
        return Array.from(sent.keys()).flatMap((text) => {
          const [before, after] = [small.get(text)!, large.get(text)!]
          const scanned = nodesOf(after).filter(
            (node) => node["Node Type"] === "Seq Scan" && filled.has(node["Relation Name"] ?? "")
          )
          const times = after["Total Cost"] / (before["Total Cost"] + 100)
          return (scanned.length > 0 || times > 10) && !grows.some((known) => known.test(text))
            ? [
                `${times.toFixed(0)} times, reads all of ${scanned.map((node) => node["Relation Name"]).join()}: ${text}`
              ]
            : []
        })
      })
      expect(statements.size).toBeGreaterThan(150)
      expect(slower).toEqual([])
    })
  )
})
