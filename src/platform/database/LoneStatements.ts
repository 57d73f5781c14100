/**
 * Statements as they are run outside of transactions while nobody traces them: with neither a span nor a scope of their
 * own, which cost Node as much as all the rest of a short one.
 */
import { SqlClient, SqlError, Statement } from "@effect/sql"
import { Effect, FiberRef } from "effect"
import type Pg from "pg"
import { cancelWithin } from "../../domain/policies/Database.ts"
import { cancelStatement } from "./Connections.ts"

type Rows = ReadonlyArray<unknown>

const failed = (message: string, cause: unknown) => Effect.fail(new SqlError.SqlError({ cause, message }))

/** Several statements in one text have an answer each. */
const rowsOf = (result: Pg.QueryResult | ReadonlyArray<Pg.QueryResult>): Rows =>
  "rows" in result ? result.rows : result.map(({ rows }) => rows)

/** Whoever has a connection hears of its end by what it asked for: `Connections.ts` listens to all of them. */
const overPool = (
  pool: Pg.Pool,
  text: string,
  values: ReadonlyArray<unknown>
): Effect.Effect<Rows, SqlError.SqlError> =>
  Effect.async((resume) => {
    /** Until it is given back. */
    let client: (Pg.PoolClient & { readonly processID?: number }) | undefined
    let isLeft = false
    /** What is sent to cancel a statement stops the next one on its connection, where it comes too late. */
    let isBeingCancelled = false
    const giveBack = () => {
      const held = client
      client = undefined
      held?.release(isBeingCancelled)
    }
    pool.connect((cause, given) => {
      if (given === undefined) return resume(failed("Failed to acquire connection", cause))
      if (isLeft) return given.release()
      client = given
      given.query(text, values as Array<unknown>, (error: Error | null, result) => {
        if (!isBeingCancelled) giveBack()
        resume(error instanceof Error ? failed("Failed to execute statement", error) : Effect.succeed(rowsOf(result)))
      })
    })
    /** As well as it goes, and only while it is under way: a pooler gives no number to cancel by. */
    const cancelled = Effect.async<void>((done) => {
      const processId = client?.processID
      if (processId === undefined || pool.ending) return done(Effect.void)
      pool.connect((_, other) => {
        if (other === undefined) return done(Effect.void)
        if (client === undefined) {
          other.release()
          return done(Effect.void)
        }
        isBeingCancelled = true
        other.query(cancelStatement(processId), (error: Error | null) => {
          isBeingCancelled = error instanceof Error
          other.release()
          done(Effect.void)
        })
      })
    }).pipe(Effect.interruptible, Effect.timeoutOption(cancelWithin))
    return Effect.suspend(() => {
      isLeft = true
      return client === undefined ? Effect.void : Effect.ensuring(cancelled, Effect.sync(giveBack))
    })
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
