/** A database that loses the answer of a committed statement. */
import { SqlClient, SqlError } from "@effect/sql"
import { Effect, Layer } from "effect"
import { ConnectionLost } from "../../src/platform/database/DatabaseFailure.ts"
import { TestDatabase } from "./TestDatabase.ts"

export interface Losses {
  /** The next statement with these words loses its answer; `meanwhile` runs after its commit. */
  readonly next: (words: string, meanwhile?: Effect.Effect<unknown, SqlError.SqlError>) => void
  readonly happened: () => boolean
}

const lost = new SqlError.SqlError({
  message: "Failed to execute statement",
  cause: new ConnectionLost({ message: "The connection to the database was lost", nothingWritten: false })
})

export const lossy = (): { readonly losses: Losses; readonly layer: typeof TestDatabase } => {
  let words: string | undefined
  let between: Effect.Effect<unknown, SqlError.SqlError> = Effect.void
  const orLost = <Statement extends Effect.Effect<unknown, SqlError.SqlError>>(text: string, statement: Statement) => {
    if (words === undefined || !text.includes(words)) return statement
    words = undefined
    return statement.pipe(Effect.zipRight(between), Effect.zipRight(Effect.fail(lost)))
  }
  const losing = (sql: SqlClient.SqlClient): SqlClient.SqlClient =>
    new Proxy(sql, {
      apply: (target, self, args: [TemplateStringsArray, ...Array<unknown>]) => {
        const made = Reflect.apply(target as never, self, args) as Effect.Effect<unknown, SqlError.SqlError>
        return Array.isArray(args[0]) ? orLost(args[0].join(" "), made) : made
      },
      get: (target, name, self) =>
        name === "unsafe"
          ? (text: string, values?: ReadonlyArray<unknown>) => orLost(text, target.unsafe(text, values))
          : (Reflect.get(target, name, self) as unknown)
    })
  return {
    losses: {
      next: (wanted, meanwhile = Effect.void) => {
        words = wanted
        between = meanwhile
      },
      happened: () => words === undefined
    },
    layer: Layer.effect(SqlClient.SqlClient, Effect.map(SqlClient.SqlClient, losing)).pipe(
      Layer.provideMerge(TestDatabase)
    )
  }
}
