/**
 * Makes a large database of a small one: every row that business has written is written again and again, a minute older
 * each time, with ids made of its own, so that rows that belonged together still do. What belongs to nobody's business
 * (organisations, people, endpoints, configurations, their balances) stays as it is. Only for measuring: no check is made.
 */
import type { Pool } from "pg"

/** Tables that grow with business, and the words in them that no two rows share. */
export const growing: Readonly<Record<string, ReadonlyArray<string>>> = {
  beneficiaries: [],
  rate_locks: [],
  payments: ["client_reference", "provider_payment_id"],
  payment_marks: [],
  payment_history: [],
  payment_fees: [],
  attempts: ["provider_payment_id"],
  movements: ["movement_id"],
  allocations: [],
  provider_callbacks: ["event_key"],
  operator_items: [],
  ledger_postings: [],
  idempotency_keys: ["key"],
  events: [],
  webhook_deliveries: [],
  webhook_attempts: [],
  notifications: [],
  audit_log: [],
  rail_payments: [],
  virtual_transactions: [],
  escrows: [],
  escrow_parties: [],
  escrow_milestones: [],
  escrow_splits: [],
  escrow_payouts: [],
  payment_links: ["link_ref"],
  payment_link_payments: ["submission"],
  verification_requests: []
}

/** What they name is not written again. */
const kept = new Set(
  "user_id beneficiary_of created_by requested_by config_id account account_id fee_rule_id webhook_id".split(" ")
)

export interface Size {
  readonly times: number
  /** Among how many organisations the copies are spread. */
  readonly organizations: number
  /** How many copies there are already; none, where nothing is said. */
  readonly after?: number
}

interface Column {
  readonly column: string
  readonly type: string
}

/** Ids begin with their time: what is older than all that there was comes before it, the oldest first. */
const beginning = (copy: string): string => `'00' || lpad(to_hex(16777215 - (${copy})), 6, '0')`
const older = (id: string, begins: string): string => `(${begins} || substr(${id}::text, 9))::uuid`

const copied = ({ organizations }: Size, unique: ReadonlyArray<string>, { column, type }: Column): string => {
  const own = `t."${column}"`
  const owner = `case when c.n % ${organizations} = 0 then t.org_id else ${older("t.org_id", "c.owner")} end`
  if (column === "org_id") return organizations === 1 ? own : owner
  // An account of the books has its owner in its name.
  if (column === "account" && type === "text") {
    return organizations === 1 ? own : `replace(${own}, coalesce(t.org_id::text, '-'), coalesce((${owner})::text, '-'))`
  }
  if (type === "uuid") return kept.has(column) ? own : older(own, "c.begins")
  if (type.startsWith("timestamp")) return `${own} - c.n * interval '1 minute'`
  return unique.includes(column) ? `${own} || '-' || c.n` : own
}

const columnsOf = async (pool: Pool, table: string): Promise<ReadonlyArray<Column>> => {
  const { rows } = await pool.query<Column>(
    `select column_name as column, data_type as type from information_schema.columns
      where table_schema = current_schema and table_name = $1 and is_generated = 'NEVER' order by ordinal_position`,
    [table]
  )
  return rows
}

/** Of what is forgotten after a day there are no copies from before. */
const MINUTES_OF_A_DAY = 1440

/** The oldest first, as they would have been written: a copy of all rows, then the next. */
export const copies = async (pool: Pool, table: string, source: string, size: Size): Promise<string> => {
  const columns = await columnsOf(pool, table)
  const { after = 0 } = size
  const times = table === "idempotency_keys" ? Math.min(size.times, MINUTES_OF_A_DAY) : size.times
  return `insert into ${table} (${columns.map(({ column }) => `"${column}"`).join(", ")})
    select ${columns.map((column) => copied(size, growing[table] ?? [], column)).join(", ")}
    from (
      select n, ${beginning("n")} as begins, ${beginning(`n % ${size.organizations}`)} as owner
      from generate_series(${after + times}, ${after + 1}, -1) n offset 0
    ) c cross join lateral (select s.* from ${source} s where c.n > 0 offset 0) t`
}

/** As they would have been made in their time: for as many minutes back as there are copies. */
export const makeMonths = (pool: Pool, { after = 0, times }: Size) =>
  pool.query(`select make_month(t.name, t.key, at) from (
      values ('events', 'created_at'), ('webhook_deliveries', 'created_at'), ('webhook_attempts', 'at'),
        ('notifications', 'created_at'), ('audit_log', 'created_at')
    ) t (name, key)
    cross join generate_series(date_trunc('month', now() - ${after + times} * interval '1 minute'), now(), interval '1 month') at`)

export const makeOrganizations = (pool: Pool, { organizations }: Size) =>
  pool.query(`insert into organizations select (jsonb_populate_record(o, jsonb_build_object(
      'kyb_customer_id', null, 'org_id', ${older("o.org_id", beginning("n"))}))).* from organizations o cross join generate_series(1, ${organizations - 1}) n`)

/** What a payment had in clearing has found its place: a balance of nothing stays for each of its attempts. */
const balancesOfPayments = `insert into ledger_balances (account, org_id, currency)
  select 'clearing/' || payment_id || '/' || attempt_id || '/KES', org_id, 'KES' from attempts on conflict do nothing`

/** One connection only: triggers and references are set aside for it. Nothing is analysed, as where rows come in a hurry. */
export const grow = async (pool: Pool, size: Size): Promise<void> => {
  await makeMonths(pool, size)
  await pool.query("set session_replication_role = replica")
  await pool.query("set synchronous_commit = off")
  await makeOrganizations(pool, size)
  for (const table of Object.keys(growing)) {
    // Of what was there at first: each copy of a table that is read as it grows would pass by all copies before it.
    await pool.query(`create temporary table if not exists first_${table} as select * from ${table}`)
    await pool.query(await copies(pool, table, `first_${table}`, size))
  }
  await pool.query(balancesOfPayments)
  await pool.query("set session_replication_role = origin")
}

export const multiply = async (pool: Pool, size: Size): Promise<void> => {
  await grow(pool, size)
  await pool.query("vacuum analyze")
}
