/** Requests to services on databases of different sizes: every list, with frequent and rare values. */
import { INITIATE_PATH, initiation } from "../Workload.ts"
import { ask } from "./Databases.ts"

export interface Measured {
  readonly port: number
  readonly org: string
  readonly key: Readonly<Record<string, string>>
  readonly admin: Readonly<Record<string, string>>
  /** Cursors of page 1,000, by path. */
  readonly deep: Map<string, string>
  count: number
}

export type Case = (of: Measured) => Promise<unknown>

const TRANSACTIONS = "/v1/transactions"
const EVENTS = "/v1/public/events"
const DELIVERIES = "/v1/public/webhooks/deliveries"
const AUDIT = "/v1/audit-log"

/** Records before page 1,000. */
const BEFORE = 19_980

const pageOf = (path: string, search: string, limit = 20) => `${path}?limit=${limit}${search}`

const cursorIn = (text: string): string | null =>
  (JSON.parse(text) as { readonly last_evaluated_key: string | null }).last_evaluated_key

/** Finds a deep cursor; of a shorter list, the one before its last hundred. */
export const findDeep = async (of: Measured, path: string, headers: Readonly<Record<string, string>>) => {
  let [cursor, before] = ["", ""]
  for (let at = 0; at < BEFORE; at += 100) {
    const next = cursorIn(await ask(of.port, pageOf(path, cursor, 100), headers))
    if (next === null) break
    before = cursor
    cursor = `&last_evaluated_key=${encodeURIComponent(next)}`
    if (at + 100 >= BEFORE) before = cursor
  }
  return before
}

const own =
  (path: string) =>
  (search: string): Case =>
  ({ key, port }) =>
    ask(port, pageOf(path, search), key)
const everybodys =
  (path: string) =>
  (search: string): Case =>
  ({ admin, port }) =>
    ask(port, pageOf(path, search), admin)

const deep =
  (path: string): Case =>
  async (of) => {
    const name = `own ${path}`
    const cursor = of.deep.get(name) ?? (await findDeep(of, path, of.key))
    of.deep.set(name, cursor)
    return ask(of.port, pageOf(path, cursor), of.key)
  }

const list = own(TRANSACTIONS)
const all = everybodys(TRANSACTIONS)

const kinds = {
  status: { frequent: "completed", rare: "processing", none: "refunded" },
  direction: { frequent: "inbound", none: "outbound" },
  payment_method: { frequent: "mobile_money", none: "card" },
  client_reference: { rare: "the%20only%20one" },
  reference: { rare: "the%20only%20one", none: "nobody%20has%20it" },
  customer: {
    frequent: "wanjiru@example.com",
    "frequent, by phone": "254712345678",
    rare: "only@example.com",
    none: "nobody@example.com"
  },
  search: { amount: "1,500.00", "part of a reference": "only%20one", none: "nobody%20has%20it" },
  times: { frequent: "" }
} as const

const TIMES = "&from=2020-01-01T00:00:00Z&to=2040-01-01T00:00:00Z"
const searchOf = (name: string, value: string) => (name === "times" ? TIMES : `&${name}=${value}`)

/** Each filter alone with each value, and each pair with their first values. */
const filters = (): ReadonlyArray<readonly [string, string]> => {
  const each = Object.entries(kinds).map(
    ([name, values]) => [name, Object.entries(values) as ReadonlyArray<[string, string]>] as const
  )
  const alone = each.flatMap(([name, values]) =>
    values.map(([how, value]) => [`${name}, ${how}`, searchOf(name, value)] as const)
  )
  const pairs = each.flatMap(([one, [first]], nth) =>
    each
      .slice(nth + 1)
      .map(
        ([other, [second]]) => [`${one} and ${other}`, searchOf(one, first![1]) + searchOf(other, second![1])] as const
      )
  )
  const everything = each.map(([name, [first]]) => searchOf(name, first![1])).join("")
  const rare = searchOf("status", "refunded") + searchOf("customer", "wanjiru@example.com")
  return [...alone, ...pairs, ["rare status of a frequent customer", rare], ["all of them", everything]]
}

export const cases = (): ReadonlyArray<readonly [string, Case]> => [
  ["first page", list("")],
  ["page 1,000", deep(TRANSACTIONS)],
  ...filters().map(([name, search]) => [name, list(search)] as const),
  ["everybody's, first page", all("")],
  ["everybody's, status", all("&status=completed")],
  ["everybody's, status, none", all("&status=refunded")],
  ["everybody's, customer", all("&customer=only@example.com")],
  ["events", own(EVENTS)("")],
  ["events, page 1,000", deep(EVENTS)],
  ["events of a type", own(EVENTS)("&event_type=payment.completed")],
  ["events of a type, none", own(EVENTS)("&event_type=kyb.approved")],
  ["deliveries", own(DELIVERIES)("")],
  ["deliveries, page 1,000", deep(DELIVERIES)],
  ["deliveries, delivered", own(DELIVERIES)("&status=delivered")],
  ["dead letters", own(DELIVERIES)("&status=dead")],
  ["deliveries, pending (none)", own(DELIVERIES)("&status=pending")],
  ["everybody's deliveries", everybodys(DELIVERIES)("")],
  ["everybody's dead letters", everybodys(DELIVERIES)("&status=dead")],
  ["audit log", own(AUDIT)("")],
  ["audit log, page 1,000", deep(AUDIT)],
  ["audit log, frequent action", own(AUDIT)("&action=payment.reviewed")],
  ["audit log, rare action", own(AUDIT)("&action=payment.resolved")],
  ["everybody's audit log", everybodys(AUDIT)("")],
  ["operations queue", ({ admin, port }) => ask(port, "/v1/operations/queue?limit=20", admin)],
  ["analytics of an organisation", ({ key, org, port }) => ask(port, `/v1/organizations/${org}/trends`, key)],
  ["analytics of everybody", ({ admin, port }) => ask(port, "/v1/transactions/analytics/trends", admin)],
  ["balances", ({ key, org, port }) => ask(port, `/v1/organizations/${org}/balances`, key)],
  ["initiation", (of) => ask(of.port, INITIATE_PATH, of.key, initiation(`more-${of.count++}`))]
]
