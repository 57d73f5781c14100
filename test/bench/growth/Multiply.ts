/**
 * Multiplies the rows of a small database: copies are each a minute older and have derived ids, so that related rows
 * stay related. Organisations, users, endpoints and configurations are kept. For measurements only: nothing is
 * checked.
 */
import type { Pool } from "pg"

/** Tables that grow with business, and their unique texts. */
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

/** Ids that are not copied. */
const kept = new Set(
  "user_id beneficiary_of created_by requested_by config_id account account_id fee_rule_id webhook_id".split(" ")
)

export interface Size {
  readonly times: number
  /** Number of organisations that share the copies. */
  readonly organizations: number
  /** Number of existing copies; default 0. */
  readonly after?: number
}

interface Column {
  readonly column: string
  readonly type: string
}

/** Ids start with their time: copies sort before the originals, oldest first. */
const beginning = (copy: string): string => `'00' || lpad(to_hex(16777215 - (${copy})), 6, '0')`
const older = (id: string, begins: string): string => `(${begins} || substr(${id}::text, 9))::uuid`

const copied = ({ organizations }: Size, unique: ReadonlyArray<string>, { column, type }: Column): string => {
  const own = `t."${column}"`
  const owner = `case when c.n % ${organizations} = 0 then t.org_id else ${older("t.org_id", "c.owner")} end`
  if (column === "org_id") return organizations === 1 ? own : owner
  // Ledger accounts contain the organisation's id.
  if (column === "account" && type === "text") {
    return organizations === 1 ? own : `replace(${own}, coalesce(t.org_id::text, '-'), coalesce((${owner})::text, '-'))`
  }
  if (type === "uuid") return kept.has(column) ? own : older(own, "c.begins")
  if (type.startsWith("timestamp")) return `${own} - c.n * interval '1 minute'`
  return unique.includes(column) ? `${own} || '-' || c.n` : own
}

/** Without generated columns. */
export const columnsOf = async (pool: Pool, table: string): Promise<ReadonlyArray<Column>> => {
  const { rows } = await pool.query<Column>(
    `select column_name as column, data_type as type from information_schema.columns
      where table_schema = current_schema and table_name = $1 and is_generated = 'NEVER' order by ordinal_position`,
    [table]
  )
  return rows
}

/** Idempotency keys are kept for a day. */
const MINUTES_OF_A_DAY = 1440

/** Oldest first, as the service would have written them. */
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

/** Creates the partitions of the copies' months. */
export const makeMonths = (pool: Pool, { after = 0, times }: Size) =>
  pool.query(`select make_month(t.name, t.key, at) from (
      values ('events', 'created_at'), ('webhook_deliveries', 'created_at'), ('webhook_attempts', 'at'),
        ('notifications', 'created_at'), ('audit_log', 'created_at')
    ) t (name, key)
    cross join generate_series(date_trunc('month', now() - ${after + times} * interval '1 minute'), now(), interval '1 month') at`)

export const makeOrganizations = (pool: Pool, { organizations }: Size) =>
  pool.query(`insert into organizations select (jsonb_populate_record(o, jsonb_build_object(
      'kyb_customer_id', null, 'org_id', ${older("o.org_id", beginning("n"))}))).* from organizations o cross join generate_series(1, ${organizations - 1}) n`)

/** Every attempt leaves a clearing balance of zero. */
const balancesOfPayments = `insert into ledger_balances (account, org_id, currency)
  select 'clearing/' || payment_id || '/' || attempt_id || '/KES', org_id, 'KES' from attempts on conflict do nothing`

/** Needs a pool of one connection: disables triggers and references. Does not analyse. */
export const grow = async (pool: Pool, size: Size): Promise<void> => {
  await makeMonths(pool, size)
  await pool.query("set session_replication_role = replica")
  await pool.query("set synchronous_commit = off")
  await makeOrganizations(pool, size)
  for (const table of Object.keys(growing)) {
    // Reads a copy of the original rows, not the growing table.
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
