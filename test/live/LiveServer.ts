/**
 * A server in live mode, set up as docs/going-live.md says: the built program on a database of its own, the fakes as
 * third parties over TLS, a mail server, and an identity provider's keys.
 */
import { Effect } from "effect"
import { dataIn, freePort, ownDatabase, startServer, temporaryFolder } from "../cli/Cli.ts"
import { mailServer } from "../platform/notifications/MailServer.ts"
import { type Environment, liveEnvironment } from "./LiveEnvironment.ts"

export const KYB_SECRET = "the secret of the KYB provider"

export const startLive = Effect.gen(function* () {
  const port = yield* Effect.promise(freePort)
  const { fakes, token, url, ...live } = yield* liveEnvironment(temporaryFolder(), Number(port))
  const mail = yield* mailServer()
  const database = yield* Effect.acquireRelease(
    Effect.promise(() => ownDatabase("empty")),
    ({ drop }) => Effect.promise(drop)
  )
  const environment: Environment = {
    ...live.environment,
    DATABASE_URL: database.url,
    SMTP_URL: mail.url,
    NOTIFY_FROM: "Corridor <no-reply@corridor.example>",
    KYB_WEBHOOK_SECRET: KYB_SECRET,
    WEBHOOK_RETRY_DELAYS: "100 millis",
    WEBHOOK_TIMEOUT: "1 second"
  }
  const cli = dataIn(environment)
  yield* Effect.promise(() => cli("migrate"))
  yield* Effect.acquireRelease(
    Effect.promise(() => startServer(environment)),
    ({ stop }) => Effect.promise(stop)
  )
  return { url, environment, cli, fakes, mail, token }
})
