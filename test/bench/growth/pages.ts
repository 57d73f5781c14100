/**
 * Pages that PostgreSQL reads for lists in databases of different sizes, statement by statement, and the fastest time
 * of three. No other load on the machine changes the pages. Of databases that bench:growth has kept. `npm run
 * bench:pages -- --keep folder [payments[/organisations] …]`
 */
import { NodeRuntime } from "@effect/platform-node"
import { Statement, type SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { Pool } from "pg"
import { OrgId } from "../../../src/domain/Ids.ts"
import { inScope, newest, type Scope, type Window } from "../../../src/platform/database/Query.ts"
import { containing, filtered } from "../../../src/payments/store/PaymentLists.ts"
import { selectedColumns } from "../../../src/payments/store/PaymentRow.ts"
import { searchTerms } from "../../../src/payments/store/SearchTerms.ts"
import type { PaymentFilter } from "../../../src/payments/store/PaymentStore.ts"
import { clusterIn, poolOn, urlOf } from "../BenchCluster.ts"
import { nameOf, type Size } from "./Databases.ts"
import { newestDeliveries } from "../../../src/webhooks/delivery/DeliveryStore.ts"

const sql = Statement.make(
  Effect.die("nothing is sent by it"),
  PgClient.makeCompiler(),
  [],
  undefined
) as SqlClient.SqlClient

const first: Window = { after: Option.none(), take: 21 }

/** Twenty to a page. */
const DEEP = 19_980

interface Database {
  readonly pool: Pool
  readonly own: Scope
}

type List = (of: Database) => Promise<Statement.Fragment>

const everybody: Scope = Option.none()
const columns = sql.literal(selectedColumns())

const payments =
  (filter: PaymentFilter, scope?: Scope): List =>
  async ({ own }) =>
    sql`select ${columns} from payments ${filtered(sql, scope ?? own, filter, first)}`

const parts =
  (text: string, scope?: Scope): List =>
  async ({ own }) =>
    containing(sql, scope ?? own, columns, { search: searchTerms(text) }, first)

/** Window of page 1,000, or of the last page of a shorter list. */
const deepWindow = async ({ own, pool }: Database, table: string, id: string): Promise<Window> => {
  const { rows } = await pool.query<{ at: Date; id: string }>(
    `select * from (select created_at as at, ${id} as id from ${table} where org_id = $1
      order by created_at desc, ${id} desc limit ${DEEP}) newest order by at, id offset 20 limit 1`,
    [Option.getOrThrow(own)]
  )
  return { after: Option.some([rows[0]!.at.toISOString(), rows[0]!.id]), take: 21 }
}

const listOf =
  (table: string, id: string, where: string, scope?: Scope): List =>
  async ({ own }) =>
    sql`select * from ${sql(table)} where ${inScope(sql, scope ?? own)} and ${sql.literal(where)} ${newest(sql, id, first)}`

const deep =
  (table: string, id: string): List =>
  async (of) =>
    sql`select * from ${sql(table)} where ${inScope(sql, of.own)} ${newest(sql, id, await deepWindow(of, table, id))}`

const deliveries =
  (filter: Parameters<typeof newestDeliveries>[2], scope?: Scope): List =>
  async ({ own }) =>
    sql`select d.* from webhook_deliveries d where ${newestDeliveries(sql, scope ?? own, filter, first)}`

const times = { from: new Date("2020-01-01"), to: new Date("2040-01-01") }
const frequent = { customer: "wanjiru@example.com" }

const lists: Readonly<Record<string, List>> = {
  "first page": payments({}),
  "page 1,000": deep("payments", "payment_id"),
  "status, frequent": payments({ status: "completed" }),
  "status, none": payments({ status: "refunded" }),
  "direction, frequent": payments({ direction: "inbound" }),
  "direction, none": payments({ direction: "outbound" }),
  "method, frequent": payments({ payment_method: "mobile_money" }),
  "method, none": payments({ payment_method: "card" }),
  "status and direction": payments({ status: "failed", direction: "inbound" }),
  "status, direction, method": payments({ status: "completed", direction: "inbound", payment_method: "mobile_money" }),
  "status and times": payments({ status: "completed", ...times }),
  times: payments(times),
  "client_reference, one": payments({ client_reference: "the only one" }),
  "reference, one": payments({ reference: "the only one" }),
  "reference and status": payments({ reference: "the only one", status: "completed" }),
  "customer, frequent": payments(frequent),
  "customer by phone, frequent": payments({ customer: "+254 712 345 678" }),
  "customer, one in fifty": payments({ customer: "some@example.com" }),
  "customer, none": payments({ customer: "nobody@example.com" }),
  "customer and times": payments({ ...frequent, ...times }),
  "customer, frequent, status none": payments({ ...frequent, status: "refunded" }),
  "search, amount, frequent": payments({ search: searchTerms("1,500.00") }),
  "search, last four, none": payments({ search: searchTerms("4242") }),
  "search, id of a transfer, none": payments({ search: searchTerms("nobody has it") }),
  "search, part of a name": parts("jiru"),
  "search, part of nothing": parts("nobody has it"),
  "everybody's, search, amount": payments({ search: searchTerms("1,500.00") }, everybody),
  "everybody's, search, part of nothing": parts("nobody has it", everybody),
  "everybody's, first page": payments({}, everybody),
  "everybody's, status": payments({ status: "completed" }, everybody),
  "everybody's, status none": payments({ status: "refunded" }, everybody),
  "everybody's, customer": payments({ customer: "nobody@example.com" }, everybody),
  "everybody's, reference": payments({ reference: "nobody has it" }, everybody),
  events: listOf("events", "event_id", "true"),
  "events, page 1,000": deep("events", "event_id"),
  "events of a type": listOf("events", "event_id", "event_type = 'payment.completed'"),
  "events of a type, none": listOf("events", "event_id", "event_type = 'kyb.approved'"),
  deliveries: deliveries({}),
  "deliveries, delivered": deliveries({ status: "delivered" }),
  "dead letters": deliveries({ status: "dead" }),
  "deliveries, pending (none)": deliveries({ status: "pending" }),
  "everybody's deliveries": deliveries({}, everybody),
  "everybody's dead letters": deliveries({ status: "dead" }, everybody),
  "audit log": listOf("audit_log", "audit_id", "true"),
  "audit log, page 1,000": deep("audit_log", "audit_id"),
  "audit log, frequent action": listOf("audit_log", "audit_id", "action = 'payment.reviewed'"),
  "audit log, none": listOf("audit_log", "audit_id", "action = 'nothing'"),
  "everybody's audit log": listOf("audit_log", "audit_id", "true", everybody)
}

interface Node {
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
}

const TIMES = 3

const looked = async (of: Database, list: List): Promise<string> => {
  const [text, values] = sql`explain (analyze, buffers, format json) ${await list(of)}`.compile()
  const found: Array<{ readonly pages: number; readonly millis: number }> = []
  for (let nth = 0; nth < TIMES; nth++) {
    const { rows } = await of.pool.query<{
      "QUERY PLAN": readonly [{ readonly Plan: Node; readonly "Execution Time": number }]
    }>(text, [...values])
    const [{ "Execution Time": millis, Plan }] = rows[0]!["QUERY PLAN"]
    found.push({ pages: Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"], millis })
  }
  const least = (of: "pages" | "millis") => Math.min(...found.map((one) => one[of]))
  return `${least("pages")} / ${least("millis").toFixed(1)} ms`
}

const firstOwner = `select org_id from payments order by created_at desc limit 1`

const measure = (folder: string, sizes: ReadonlyArray<Size>) =>
  Effect.gen(function* () {
    const { url } = yield* clusterIn(folder)
    const databases = yield* Effect.forEach(sizes, (size) =>
      Effect.gen(function* () {
        const pool = yield* poolOn(urlOf(url, nameOf(size)))
        const { rows } = yield* Effect.promise(() => pool.query<{ org_id: string }>(firstOwner))
        return { pool, own: Option.some(OrgId.make(rows[0]!.org_id)) }
      })
    )
    const print = (name: string, cells: ReadonlyArray<string>) =>
      process.stdout.write(`${name.padEnd(36)}${cells.map((cell) => cell.padStart(20)).join("")}\n`)
    print(
      "pages looked at / least time",
      sizes.map(({ organizations, payments }) => `${payments}/${organizations}`)
    )
    for (const [name, list] of Object.entries(lists)) {
      const cells: Array<string> = []
      for (const database of databases) cells.push(yield* Effect.promise(() => looked(database, list)))
      print(name, cells)
    }
  }).pipe(Effect.scoped)

const given = process.argv.slice(2)
const folder = given[given.indexOf("--keep") + 1] ?? ""
const sizes = given
  .filter((word) => /^\d+(\/\d+)?$/.test(word))
  .map((word): Size => {
    const [payments = 0, organizations = 1] = word.split("/").map(Number)
    return { payments, organizations }
  })

measure(folder, sizes).pipe(NodeRuntime.runMain)
