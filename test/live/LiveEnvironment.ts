/** Settings of a server in live mode whose third parties are the fakes, as docs/going-live.md lists them. */
import { randomBytes } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Data, Effect } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { baseUrlSetting } from "../../src/providers/accounts/ProviderSettings.ts"
import { thirdParties } from "../../src/providers/accounts/ThirdParties.ts"
import type { StartedFake } from "../fakes/AllFakes.ts"
import { startLiveFakes } from "../fakes/LiveFakes.ts"
import { newAuthority } from "../webhooks/delivery/Certificates.ts"

const ISSUER = "https://login.example"
const AUDIENCE = "corridor"

export type Environment = Readonly<Record<string, string>>

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

export class NotTheFakes extends Data.TaggedError("NotTheFakes")<{ readonly message: string }> {}

type Given = Readonly<Record<string, string | undefined>>

/** Fails unless every third party is one of the fakes, in this environment too: at another address, money would move. */
const requireFakes = (given: Given, fakes: ReadonlyArray<StartedFake>) =>
  Effect.forEach(
    thirdParties,
    ({ fields, name, title }) => {
      const settings = new Map(fakes.find(({ fake }) => fake.name === name)?.settings)
      const address = baseUrlSetting(name)
      const wrong = [address, ...Object.values(fields).map(({ env }) => env)].find(
        (setting) => (given[setting] ?? settings.get(setting)) !== settings.get(setting)
      )
      return wrong === undefined && settings.has(address)
        ? Effect.void
        : new NotTheFakes({ message: `${wrong ?? address} is not that of the fake of ${title}: unset it.` })
    },
    { discard: true }
  )

/**
 * Starts the fakes. The folder gets keys, the authority of their certificates, and an empty folder for data. `given`: the
 * environment of the caller, which must not name other third parties.
 */
export const liveEnvironment = Effect.fnUntraced(function* (folder: string, port: number, given: Given = {}) {
  const authority = newAuthority("An authority of the fakes")
  const authorities = join(folder, "authority.pem")
  writeFileSync(authorities, authority.cert)
  mkdirSync(join(folder, "data"))
  const identity = yield* Effect.promise(() => identityProvider(folder))
  const url = `http://127.0.0.1:${port}`
  const fakes = yield* startLiveFakes({ callbackBase: url }, authority.issue("localhost"))
  yield* requireFakes(given, fakes)
  const environment: Environment = {
    CORRIDOR_MODE: "live",
    CORRIDOR_MASTER_KEY: randomBytes(32).toString("hex"),
    DATA_DIR: join(folder, "data"),
    PORT: String(port),
    PUBLIC_URL: url,
    JWT_JWKS_FILE: identity.file,
    JWT_ISSUER: ISSUER,
    JWT_AUDIENCE: AUDIENCE,
    STATUS_ENQUIRY_DELAYS: "1 second, 2 seconds, 5 seconds, 10 seconds",
    NODE_EXTRA_CA_CERTS: authorities,
    ...Object.fromEntries(fakes.flatMap(({ settings }) => settings))
  }
  return { url, environment, fakes, authority, token: identity.token }
})
