/** Process that holds the embedded PostgreSQL of the folder in its first argument until it is signalled to stop. */
import { Effect, Logger, Redacted } from "effect"
import { embeddedPostgres } from "../../../src/platform/database/embedded/EmbeddedPostgres.ts"

const say = (line: object) => Effect.sync(() => process.stdout.write(`${JSON.stringify(line)}\n`))

const reported = Effect.async<void>((resume) => {
  process.stdin.once("end", () => resume(Effect.void)).resume()
})

embeddedPostgres({ dataDir: process.argv[2] ?? "" }).pipe(
  Effect.flatMap(({ started, url }) => say({ started, url: Redacted.value(url), pid: process.pid })),
  Effect.zipRight(reported),
  Effect.scoped,
  Effect.catchAll((error) => say({ error: error.message })),
  Effect.zipRight(say({ ended: true })),
  // Standard output is for the reports.
  Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.stringLogger))),
  Effect.runPromise
)
