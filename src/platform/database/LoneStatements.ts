/**
 * Statements as they are run outside of transactions while nobody traces them: with neither a span nor a scope of their
 * own, which cost Node as much as all the rest of a short one.
 */
import { SqlClient, SqlError, Statement } from "@effect/sql"
import { Effect, FiberRef } from "effect"
import type Pg from "pg"
import { cancelWithin } from "../../domain/policies/Database.ts"

type Rows = ReadonlyArray<unknown>

const failed = (message: string, cause: unknown) => Effect.fail(new SqlError.SqlError({ cause, message }))

/** Several statements in one text have an answer each. */
const rowsOf = (result: Pg.QueryResult | ReadonlyArray<Pg.QueryResult>): Rows =>
  "rows" in result ? result.rows : result.map(({ rows }) => rows)

/** As well as it goes: a pooler gives no number to cancel by. */
const cancelled = (
  pool: Pg.Pool,
  { processID }: Pg.PoolClient & { readonly processID?: number }
): Effect.Effect<void> =>
  processID === undefined || pool.ending
    ? Effect.void
    : Effect.async<void>((resume) => {
        pool.query("select pg_cancel_backend($1)", [processID], () => resume(Effect.void))
      }).pipe(Effect.interruptible, Effect.timeoutOption(cancelWithin), Effect.asVoid)

const overPool = (
  pool: Pg.Pool,
  text: string,
  values: ReadonlyArray<unknown>
): Effect.Effect<Rows, SqlError.SqlError> =>
  Effect.async((resume) => {
    let client: Pg.PoolClient | undefined
    let isOver = false
    const release = () => {
      if (!isOver) client?.release()
      isOver = true
    }
    pool.connect((cause, given) => {
      if (given === undefined) return resume(failed("Failed to acquire connection", cause))
      if (isOver) return given.release()
      client = given
      given.query(text, values as Array<unknown>, (error: Error | null, result) => {
        release()
        resume(error instanceof Error ? failed("Failed to execute statement", error) : Effect.succeed(rowsOf(result)))
      })
    })
    return Effect.suspend(() =>
      Effect.ensuring(client === undefined ? Effect.void : cancelled(pool, client), Effect.sync(release))
    )
  })

/** What a statement is as an effect is what it gives when it is committed. */
type Committed = Statement.Statement<object> & { commit: () => Effect.Effect<Rows, SqlError.SqlError> }

const alone = (pool: Pg.Pool, statement: Committed): Committed => {
  const whole = statement.commit.bind(statement)
  statement.commit = () =>
    Effect.withFiberRuntime((fiber) => {
      const isInside = fiber.currentContext.unsafeMap.has(SqlClient.TransactionConnection.key)
      if (isInside || fiber.getFiberRef(FiberRef.currentTracerEnabled)) return whole()
      return overPool(pool, ...statement.compile())
    })
  return statement
}

/** The client of a pool, whose statements are run so. */
export const runningAlone = (client: SqlClient.SqlClient, pool: Pg.Pool): SqlClient.SqlClient => {
  const make = client as unknown as (...given: ReadonlyArray<unknown>) => unknown
  const made = (...given: ReadonlyArray<unknown>): unknown => {
    const one = make(...given)
    return Statement.isFragment(one) ? alone(pool, one as unknown as Committed) : one
  }
  const unsafe = (text: string, values?: ReadonlyArray<unknown>) =>
    alone(pool, client.unsafe(text, values) as unknown as Committed)
  return Object.assign(made, client, { unsafe }) as unknown as SqlClient.SqlClient
}
