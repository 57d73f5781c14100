/** Which PostgreSQL the process works on: the one that DATABASE_URL names, else the embedded one in DATA_DIR. */
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { Settings } from "../config/Settings.ts"
import { embeddedPostgres, type EmbeddedPostgresError } from "./EmbeddedPostgres.ts"

export class DatabaseServer extends Context.Tag("corridor/DatabaseServer")<
  DatabaseServer,
  {
    readonly url: Redacted.Redacted<string>
    readonly embedded: boolean
    /** Fails when the server is gone for good; a process that serves must end then. */
    readonly gone: Effect.Effect<never, EmbeddedPostgresError>
  }
>() {
  static readonly layer = Layer.scoped(
    DatabaseServer,
    Effect.gen(function* () {
      const { dataDir, databaseUrl, embeddedUrl } = yield* Settings
      if (Option.isSome(databaseUrl)) return { url: databaseUrl.value, embedded: false, gone: Effect.never }
      if (Option.isSome(embeddedUrl)) return { url: embeddedUrl.value, embedded: true, gone: Effect.never }
      const { gone, url } = yield* embeddedPostgres({ dataDir })
      return { url, embedded: true, gone }
    })
  )
}
