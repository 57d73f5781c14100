/** Every operation of the service, called with what its reference shows: for tests that look at every statement it sends. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { type Document, type Operation, operationsOf } from "../contract/api/DocumentedOperations.ts"
import { type Made, requestExample } from "../isolation/Objects.ts"
import type { Credential } from "../support/TestCredentials.ts"
import { send } from "../support/Send.ts"

/** One row each of what the calls leave no row of: what is nowhere cannot be made more of. */
export const rest = `
  insert into payment_link_payments select distinct on (p.payment_id) p.payment_id, link_id, org_id, 'once' from payment_links
    cross join lateral (select payment_id from payments p where p.org_id = payment_links.org_id limit 1) p;
  insert into operator_items (item_id, org_id, kind, payment_id, detail, opened_at)
    select gen_random_uuid(), org_id, 'review', payment_id, 'It waits.', created_at from payments on conflict do nothing;
  insert into allocations (allocation_id, payment_id, org_id, attempt_id, origin, amount, currency, account, own_amount,
      own_currency, note, at)
    select gen_random_uuid(), payment_id, org_id, attempt_id, 'clearing', 1, 'KES', 'settlement/' || org_id || '/KES', 1,
      'KES', 'It came besides.', now() from attempts;
  insert into rate_locks (org_rate_id, org_id, from_currency, to_currency, rate, expires_at)
    select gen_random_uuid(), org_id, 'KES', 'USD', 1, now() from organizations`

/** A node of a plan, as PostgreSQL explains it, with whatever else a test reads of it. */
export interface PlanNode<Self> {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly Plans?: ReadonlyArray<Self>
}

export const nodesOf = <Node extends PlanNode<Node>>(plan: Node): ReadonlyArray<Node> => [
  plan,
  ...(plan.Plans ?? []).flatMap((node) => nodesOf(node))
]

/** Query values for a list, by the name of the parameter. */
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

/** Lists are asked for by each of their filters, and by all of them. */
export const callEverything = (
  document: Document,
  { ids, words }: Pick<Made, "ids" | "words">,
  credentials: ReadonlyArray<Credential>
) =>
  Effect.gen(function* () {
    for (const operation of operationsOf(document)) {
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? words?.[name] ?? "-")
      for (const search of operation.method === "GET" ? searches(operation, ids) : [""]) {
        for (const credential of credentials) {
          const { about, method, name } = operation
          const body = about.requestBody === undefined ? {} : { body: JSON.stringify(requestExample(document, name)) }
          const headers = { "content-type": "application/json", "idempotency-key": randomUUID(), ...credential }
          yield* send(`/v1${path}${search}`, { method, headers, ...body })
        }
      }
    }
  })
