/** Why the embedded PostgreSQL is not there, in words for whoever typed `npm start`. */
import { Data, Effect, Option } from "effect"

export class EmbeddedPostgresError extends Data.TaggedError("EmbeddedPostgresError")<{ readonly message: string }> {}

export const ELSEWHERE = "set DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL server of your own"

export const reason = (cause: unknown): string =>
  cause instanceof Error && cause.message !== "" ? cause.message : String(cause)

/** The `code` of a Node system error or of a PostgreSQL error. */
export const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : undefined

/** One step outside this process; `doing` completes the sentence "could not …". */
export const attempt = <A>(doing: string, run: () => Promise<A>): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new EmbeddedPostgresError({
        message: `The embedded PostgreSQL could not ${doing}: ${reason(cause)}. To get out of this, ${ELSEWHERE}.`
      })
  })

/** The same step where a missing file is an answer and not a failure. */
export const attemptIfPresent = <A>(
  doing: string,
  run: () => Promise<A>
): Effect.Effect<Option.Option<A>, EmbeddedPostgresError> =>
  attempt(doing, () =>
    run().then(Option.some, (cause: unknown) => {
      if (codeOf(cause) === "ENOENT") return Option.none()
      throw cause
    })
  )
