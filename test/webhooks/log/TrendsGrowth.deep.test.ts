/** The trends of an endpoint count by an index alone, however much it was sent: the lists of an organisation wait for them. */
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import pg from "pg"
import { afterAll } from "vitest"
import { people } from "../../support/TestCredentials.ts"
import { openStoresOn } from "../../payments/support/PaymentServices.ts"
import { onServer } from "../../support/TestServer.ts"
import { copied } from "../DeliveryRows.ts"
import { deliveries, get, HOOKS, notify, registered } from "../WebhookFixtures.ts"

const sent: Array<{ readonly text: string; readonly values: ReadonlyArray<unknown> }> = []
const asSent = pg.Client.prototype.query as (...given: ReadonlyArray<unknown>) => unknown
pg.Client.prototype.query = function (this: pg.Client, ...given: ReadonlyArray<unknown>) {
  const [query, values] = given as [
    string | { readonly text?: string; readonly values?: ReadonlyArray<unknown> },
    unknown
  ]
  const text = typeof query === "string" ? query : (query.text ?? "")
  const own = typeof query === "string" ? values : query.values
  if (/webhook_deliveries/.test(text)) sent.push({ text, values: Array.isArray(own) ? own : [] })
  return asSent.apply(this, [...given])
} as typeof pg.Client.prototype.query
afterAll(() => {
  pg.Client.prototype.query = asSent as typeof pg.Client.prototype.query
})

interface Plan {
  readonly "Node Type": string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<Plan>
}

/** Rows that the leaves of a plan read from tables. Index entries alone cost a tenth or less. */
const rowsRead = ({ Plans: below = [], ...plan }: Plan): number => {
  if (below.length > 0) return below.reduce((sum, one) => sum + rowsRead(one), 0)
  return plan["Node Type"] === "Index Only Scan" ? 0 : plan["Actual Rows"] * plan["Actual Loops"]
}

const DELIVERIES = 8000

onServer(
  "Trends of an endpoint with very many deliveries",
  "PostgreSQL",
  { stores: Layer.orDie(openStoresOn("PostgreSQL")) },
  (it) => {
    for (const per of ["hour", "day"]) {
      it.effect(`read few of them by ${per}`, () =>
        Effect.gen(function* () {
          const sql = Option.getOrThrow(yield* Effect.serviceOption(SqlClient.SqlClient))
          const { acme } = yield* people
          const { webhook_id } = yield* registered(acme.key)
          yield* notify(acme.key, acme.org_id)
          const [first] = yield* deliveries(acme.key, `&webhook_id=${webhook_id}`)
          yield* Effect.replicateEffect(copied(first!.delivery_id, 1000), DELIVERIES / 1000)
          yield* sql`vacuum analyze webhook_deliveries`
          sent.length = 0
          expect((yield* get(acme.token("staff"), `${HOOKS}/${webhook_id}/trends?per=${per}`)).status).toBe(200)
          const selects = sent.filter(({ text }) => /^\s*(select|with)\b/i.test(text))
          expect(selects.length).toBeGreaterThan(0)
          for (const { text, values } of selects) {
            const [row] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
              `explain (analyze, format json) ${text}`,
              values as Array<never>
            )
            expect(rowsRead(row!["QUERY PLAN"][0]!.Plan), text).toBeLessThan(DELIVERIES / 4)
          }
        })
      )
    }
  }
)
