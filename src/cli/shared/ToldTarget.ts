/** Says, on standard error, whom a command talks to: what was meant for one server is easily sent to another. */
import { resolve } from "node:path"
import { Effect, Option, Redacted } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { Streams } from "./Streams.ts"

/** Only to a person who watches: scripts read what else stands there. */
export const tellDatabase = Effect.gen(function* () {
  const { err, watched } = yield* Streams
  if (!watched) return
  const { dataDir, databaseUrl, mode } = yield* Settings
  const where = Option.match(databaseUrl, {
    onNone: () => `the embedded PostgreSQL in ${resolve(dataDir)}`,
    onSome: (url) => {
      const { host, pathname } = new URL(Redacted.value(url))
      return `${host}${pathname}, which DATABASE_URL names`
    }
  })
  err(`Database: ${where} (${mode}).\n`)
})
