/** The statement that reads when each queue has something due. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { QueueName } from "../../src/platform/database/WorkQueues.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { testSettings } from "../support/TestSettings.ts"
import { dueTimesStatement } from "../../src/app/DueTimes.ts"

const HOUR = 3_600_000
const MINUTE = 60_000

interface Row {
  readonly queue: QueueName
  readonly is_due: boolean
  readonly wait: number | null
}

const read = (queue: QueueName) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql.unsafe<Row>(dueTimesStatement)
    return rows.find((row) => row.queue === queue)!
  })

/** Without the rows that it refers to. `values`: columns that differ, as SQL. */
const attempt = (values: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const given: Readonly<Record<string, string>> = {
      attempt_id: "gen_random_uuid()",
      payment_id: "gen_random_uuid()",
      org_id: "gen_random_uuid()",
      provider: "'fiat'",
      started_at: "now()",
      ...values
    }
    yield* sql.withTransaction(
      Effect.zipRight(
        sql`set local session_replication_role = replica`,
        sql.unsafe(
          `insert into attempts (${Object.keys(given).join(", ")}) values (${Object.values(given).join(", ")})`
        )
      )
    )
  })

const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from attempts`)

layer(TestDatabase.pipe(Layer.provideMerge(testSettings())), { excludeTestServices: true, timeout: "60 seconds" })(
  "The due times that are read",
  (it) => {
    it.effect("of an attempt under a lease are the end of the lease, and it is due when that is over", () =>
      Effect.gen(function* () {
        const asked = { next_enquiry_at: "now() - interval '1 minute'" }
        yield* attempt({ ...asked, leased_until: "now() + interval '1 hour'" })
        const leased = yield* read("enquiries")
        expect(leased.is_due).toBe(false)
        expect(leased.wait).toBeGreaterThan(HOUR - MINUTE)
        expect(leased.wait).toBeLessThanOrEqual(HOUR)
        yield* attempt({ ...asked, leased_until: "now() - interval '1 second'" })
        expect((yield* read("enquiries")).is_due).toBe(true)
        yield* emptied
      })
    )

    it.effect("of one that is planned are its time, also beside many that are under a lease", () =>
      Effect.gen(function* () {
        yield* attempt({ next_enquiry_at: "now() + interval '1 minute'" })
        yield* attempt({ next_enquiry_at: "now() - interval '1 minute'", leased_until: "now() + interval '1 hour'" })
        const planned = yield* read("enquiries")
        expect(planned.is_due).toBe(false)
        expect(planned.wait).toBeLessThanOrEqual(MINUTE)
        const busy = { next_enquiry_at: "now() - interval '1 hour'", leased_until: "now() + interval '1 hour'" }
        yield* Effect.replicateEffect(attempt(busy), 20)
        expect((yield* read("enquiries")).is_due, "the worker looks itself").toBe(true)
        yield* emptied
      })
    )

    it.effect("of an attempt to be sent are the end of its pause", () =>
      Effect.gen(function* () {
        expect(yield* read("ramp_payouts")).toEqual({ queue: "ramp_payouts", is_due: false, wait: null })
        yield* attempt({ sends: "0", outcome: "'declined'" })
        yield* attempt({ sends: "0", leased_until: "now() + interval '1 minute'" })
        const paused = yield* read("ramp_payouts")
        expect(paused.is_due, "one was stopped").toBe(false)
        expect(paused.wait).toBeLessThanOrEqual(MINUTE)
        yield* attempt({ sends: "0" })
        expect((yield* read("ramp_payouts")).is_due).toBe(true)
        yield* emptied
      })
    )

    it.effect("of rate limits follow the usage of the last seconds", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        expect((yield* read("rate_limits")).is_due).toBe(false)
        yield* sql`insert into spent_tokens (instance_id, batch, spent, told_at)
          values (gen_random_uuid(), 1, '[]', now() - interval '30 seconds')`
        expect((yield* read("rate_limits")).is_due).toBe(false)
        yield* sql`insert into spent_tokens (instance_id, batch, spent) values (gen_random_uuid(), 1, '[]')`
        expect((yield* read("rate_limits")).is_due).toBe(true)
      })
    )
  }
)
