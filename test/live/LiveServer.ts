/**
 * A server in live mode, set up as docs/going-live.md says: the built program on a database of its own, the fakes as
 * third parties over TLS, a mail server, and an identity provider's keys.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { dataIn, freePort, ownDatabase, startServer, temporaryFolder } from "../cli/Cli.ts"
import { startLiveFakes } from "../fakes/LiveFakes.ts"
import { mailServer } from "../platform/notifications/MailServer.ts"
import { newAuthority } from "../webhooks/delivery/Certificates.ts"

const ISSUER = "https://login.example"
const AUDIENCE = "corridor"

export const KYB_SECRET = "the secret of the KYB provider"

/** Keys of an identity provider, in a file, and tokens that it signs. */
const identityProvider = async (folder: string) => {
  const { privateKey, publicKey } = await generateKeyPair("ES256")
  const file = join(folder, "jwks.json")
  writeFileSync(
    file,
    JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" }] })
  )
  const token = (subject: string, claims: Readonly<Record<string, unknown>> = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", kid: "1" })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime("1 hour")
      .sign(privateKey)
  return { file, token }
}

export const startLive = Effect.gen(function* () {
  const folder = temporaryFolder()
  const port = yield* Effect.promise(freePort)
  const authority = newAuthority("An authority of the test")
  const authorities = join(folder, "authority.pem")
  writeFileSync(authorities, authority.cert)
  mkdirSync(join(folder, "data"))
  const identity = yield* Effect.promise(() => identityProvider(folder))
  const mail = yield* mailServer()
  const url = `http://127.0.0.1:${port}`
  const fakes = yield* startLiveFakes({ callbackBase: url }, authority.issue("localhost"))
  const database = yield* Effect.acquireRelease(
    Effect.promise(() => ownDatabase("empty")),
    ({ drop }) => Effect.promise(drop)
  )
  const environment: Readonly<Record<string, string>> = {
    CORRIDOR_MODE: "live",
    CORRIDOR_MASTER_KEY: "5a".repeat(32),
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, "data"),
    PORT: port,
    PUBLIC_URL: url,
    JWT_JWKS_FILE: identity.file,
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: AUDIENCE,
    SMTP_URL: mail.url,
    NOTIFY_FROM: "Corridor <no-reply@corridor.example>",
    KYB_WEBHOOK_SECRET: KYB_SECRET,
    WEBHOOK_RETRY_DELAYS: "100 millis",
    WEBHOOK_TIMEOUT: "1 second",
    STATUS_ENQUIRY_DELAYS: "1 second, 2 seconds, 5 seconds, 10 seconds",
    NODE_EXTRA_CA_CERTS: authorities,
    ...Object.fromEntries(fakes.flatMap(({ settings }) => settings))
  }
  const cli = dataIn(environment)
  yield* Effect.promise(() => cli("migrate"))
  yield* Effect.acquireRelease(
    Effect.promise(() => startServer(environment)),
    ({ stop }) => Effect.promise(stop)
  )
  return { url, environment, cli, fakes, mail, token: identity.token }
})
