/** A backlog of deliveries beside those that are made meanwhile, to an endpoint that is let go for as long as it is measured. */
import type { Pool } from "pg"

/** One that was made through the API, whose secret can be opened, hears of nothing but its backlog. */
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

/** As many as there are to be, whatever a measurement before has left. */
export const deepen = async (pool: Pool, depth: number, endpoint: () => Promise<string>) => {
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
export const drained = async (pool: Pool, url: string, millis: number): Promise<number> => {
  const before = await left(pool)
  const began = performance.now()
  await letGo(pool, "active", url)
  await new Promise((done) => setTimeout(done, millis))
  await letGo(pool, "disabled", url)
  const seconds = (performance.now() - began) / 1000
  return (before - (await left(pool))) / seconds
}
