/** The statement that reads due times, where 100,000 rows of each queue wait and no table was ever analysed. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestDatabase } from "../support/TestDatabase.ts"
import { testSettings } from "../support/TestSettings.ts"
import { nodesOf, type PlanNode } from "./CallEveryOperation.ts"
import { dueTimesStatement } from "../../src/app/DueTimes.ts"

const ROWS = 100_000

interface Plan extends PlanNode<Plan> {
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
}

const backlogs: Readonly<Record<string, string>> = {
  "unsent attempts that pause": `insert into attempts (attempt_id, payment_id, org_id, provider, sends, started_at, leased_until)
    select gen_random_uuid(), gen_random_uuid(), md5('one')::uuid, 'fiat', 0, now(), now() + interval '1 hour'`,
  "attempts that were never sent": `insert into attempts (attempt_id, payment_id, org_id, provider, sends, outcome, started_at)
    select gen_random_uuid(), gen_random_uuid(), md5('one')::uuid, 'fiat', 0, 'declined', now()`,
  "enquiries under a lease": `insert into attempts (attempt_id, payment_id, org_id, provider, started_at, next_enquiry_at, leased_until)
    select gen_random_uuid(), gen_random_uuid(), md5('one')::uuid, 'fiat', now(), now() - n * interval '1 ms', now() + interval '1 hour'`,
  "enquiries to come": `insert into attempts (attempt_id, payment_id, org_id, provider, started_at, next_enquiry_at)
    select gen_random_uuid(), gen_random_uuid(), md5('one')::uuid, 'stripe', now(), now() + interval '1 day' + n * interval '1 ms'`,
  "early callbacks": `insert into provider_callbacks (callback_id, provider, event_key, report, effect, word, received_at)
    select gen_random_uuid(), 'fiat', n::text, 'completed', 'unknown payment', '{}', now() - n * interval '1 ms'`,
  "deliveries of one organisation": `insert into webhook_queue (delivery_id, org_id, webhook_id, delivery_at, event_id, event_at, next_at)
    select gen_random_uuid(), md5('one')::uuid, md5('hook')::uuid, now(), gen_random_uuid(), now(), now() + n * interval '1 s'`,
  "cards that are waited for": `insert into card_waits (payment_id, org_id, expires_at)
    select gen_random_uuid(), md5('one')::uuid, now() + n * interval '1 s'`,
  "usage of instances": `insert into spent_tokens (instance_id, batch, spent, told_at)
    select md5('instance')::uuid, n, '[]', now() - n * interval '1 ms'`
}

layer(TestDatabase.pipe(Layer.provideMerge(testSettings())), { excludeTestServices: true, timeout: "60 seconds" })(
  "The reading of due times",
  (it) => {
    it.effect(
      `reads few rows beside ${ROWS} that wait in each queue`,
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const add = (statement: string) => sql.unsafe(`${statement} from generate_series(1, ${ROWS}) n`)
          yield* sql.withTransaction(
            Effect.zipRight(
              sql.unsafe("set local session_replication_role = replica; set local statement_timeout = 0"),
              Effect.forEach(Object.values(backlogs), add, { discard: true })
            )
          )
          const [{ analysed }] = (yield* sql`select count(*)::int as analysed from pg_statistic s
            join pg_class c on c.oid = s.starelid and c.relname in ('attempts', 'provider_callbacks', 'webhook_queue')`) as unknown as readonly [
            { readonly analysed: number }
          ]
          expect(analysed).toBe(0)
          const [{ "QUERY PLAN": explained }] = (yield* sql.unsafe(
            `explain (analyze, buffers, format json) ${dueTimesStatement}`
          )) as unknown as readonly [{ readonly "QUERY PLAN": readonly [{ readonly Plan: Plan }] }]
          const plan = explained[0].Plan
          const rows = nodesOf(plan)
            .filter((node) => node["Relation Name"] !== undefined)
            .map((node) => [
              (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
              node["Relation Name"]
            ])
          expect(rows.filter(([count]) => Number(count) > 300)).toEqual([])
          expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]).toBeLessThan(1000)
        }),
      240_000
    )
  }
)
