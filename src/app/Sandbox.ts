/**
 * The sandbox's two organisations. Created once in one transaction and stored encrypted, so that every start shows the
 * same API keys.
 */
import { Context, Effect, Layer, Option, Schema, BigDecimal, Either } from "effect"
import { ConfigId, OrgId, UserId, Ids } from "../domain/Ids.ts"
import { ApiKeys } from "../people/apiKeys/ApiKeys.ts"
import {
  developmentAudience,
  developmentIssuer,
  issuesTokens,
  TokenSigner,
  issuerSecret
} from "../people/auth/DevelopmentIssuer.ts"
import { Transactor } from "../platform/database/Transactor.ts"
import { operatorPermit, roles, type Permit } from "../domain/Access.ts"
import { developmentTokenTtl } from "../domain/policies/PeoplePolicies.ts"
import { OrganizationStore } from "../people/organizations/OrganizationStore.ts"
import { ProviderConfigStore, type ProviderConfig } from "../providers/configs/ProviderConfigStore.ts"
import { type NewRate, RateStore } from "../money/rates/RateStore.ts"
import { SecretStore } from "../platform/secrets/Secrets.ts"
import { Vault } from "../platform/secrets/Vault.ts"
import { UserStore } from "../people/users/UserStore.ts"
import { CountryCode } from "../domain/Country.ts"
import { networksOfCountry } from "../domain/MobileNetwork.ts"
import * as Rate from "../domain/Exchange.ts"
import { toPlainText } from "../domain/Decimal.ts"
import { mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Settings } from "../platform/config/Settings.ts"
import { SqlClient } from "@effect/sql"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import { rowsAs } from "../platform/database/Query.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { withoutLimits } from "../platform/database/Connections.ts"
import { Conflict } from "../domain/Failure.ts"
import { traced } from "../platform/observability/Spans.ts"

/** Corridors and exchange rates of a new sandbox. */
type Corridor = Pick<ProviderConfig, "provider" | "country" | "payment_method" | "direction">

export const sandboxCountries = Schema.decodeSync(Schema.Array(CountryCode))(["KE", "NG", "GH", "UG", "ZA", "GB", "US"])

const both = ["inbound", "outbound"] as const

const sandboxCorridors: ReadonlyArray<Corridor> = sandboxCountries.flatMap((country) => {
  const mobile = networksOfCountry(country).length > 0 ? (["mobile_money"] as const) : []
  return [
    ...(["card", "bank_transfer", ...mobile] as const).flatMap((payment_method) =>
      both.map((direction): Corridor => ({ provider: "fiat", country, payment_method, direction }))
    ),
    { provider: "hybrid", country, payment_method: "crypto", direction: "external" },
    ...both.map((direction): Corridor => ({ provider: "crypto", country, payment_method: "crypto", direction }))
  ]
})

/** Value of one unit in US dollars. */
const inDollars: Readonly<Record<string, string>> = {
  KES: "0.00774",
  NGN: "0.00065",
  GHS: "0.0645",
  UGX: "0.000272",
  ZAR: "0.0548",
  GBP: "1.27",
  EUR: "1.08",
  USDT: "1",
  USDC: "1",
  BTC: "68250",
  ETH: "3520"
}

const rateOf = (text: string): Rate.Rate => Either.getOrThrow(Rate.fromDecimal(BigDecimal.unsafeFromString(text)))

export const sandboxRates: ReadonlyArray<NewRate> = Object.entries(inDollars).flatMap(([code, dollars]) => [
  { from_currency: code, to_currency: "USD", rate: dollars },
  { from_currency: "USD", to_currency: code, rate: toPlainText(Rate.invert(rateOf(dollars))) }
])

const sandboxOrganizations = [
  { name: "Acme Pay", slug: "acme", country: "KE", currency: "KES", features: ["escrow"] },
  { name: "Globex Money", slug: "globex", country: "NG", currency: "NGN", features: [] }
] as const

const SECRET = "sandbox"
const ADMIN_EMAIL = "admin@corridor.example"

const Person = Schema.Struct({ user_id: UserId, email: Schema.String, role: Schema.Literal(...roles) })

const Seed = Schema.parseJson(
  Schema.Struct({
    orgs: Schema.Array(
      Schema.Struct({
        org_id: OrgId,
        name: Schema.String,
        api_key: Schema.String,
        users: Schema.Array(Person)
      })
    ),
    admin: Schema.Struct({ user_id: UserId })
  })
)

type Seed = typeof Seed.Type

interface Token {
  readonly jwt: string | null
}

export interface SandboxCredentials {
  readonly orgs: ReadonlyArray<
    Omit<Seed["orgs"][number], "users"> & { readonly users: ReadonlyArray<typeof Person.Type & Token> }
  >
  readonly admin: Seed["admin"] & Token
}

export class Sandbox extends Context.Tag("corridor/Sandbox")<
  Sandbox,
  {
    /** Creates the sandbox's data if it is missing; returns its credentials with fresh tokens. */
    readonly ensure: Effect.Effect<SandboxCredentials>
  }
>() {
  static readonly layer = Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      const ids = yield* Ids
      const vault = yield* Vault
      const secrets = yield* SecretStore
      const organizations = yield* OrganizationStore
      const users = yield* UserStore
      const keys = yield* ApiKeys
      const configs = yield* ProviderConfigStore
      const rates = yield* RateStore
      const signer = yield* TokenSigner
      const { atomically } = yield* Transactor
      const ownTokens = yield* issuesTokens

      const addUser = traced("Sandbox.addUser")(function* (email: string, country: string | null, is_admin: boolean) {
        const user_id = yield* ids.make(UserId)
        yield* Effect.orDie(users.insert({ user_id, subject: user_id, email, country, is_admin }))
        return user_id
      })

      const addOrganization = traced("Sandbox.addOrganization")(function* (
        about: (typeof sandboxOrganizations)[number]
      ) {
        const { country, currency, features, name, slug } = about
        const org_id = yield* ids.make(OrgId)
        const email = `hello@${slug}.example`
        yield* organizations.insert({ org_id, name, country, currency, features, email, sandbox: true })
        const people = yield* Effect.forEach([...roles].reverse(), (role) =>
          Effect.gen(function* () {
            const address = `${role}@${slug}.example`
            const user_id = yield* addUser(address, country, false)
            yield* users.putMember({ org_id, user_id, role })
            return { user_id, email: address, role }
          })
        )
        const permit = operatorPermit("api_keys", "sandbox", Option.some(org_id))
        const maker = people[0]!.user_id
        const { api_key } = yield* Effect.orDie(
          keys.create(permit, { name: "Sandbox", role: "org-admin", user_id: maker })
        )
        return { org_id, name, api_key, users: people }
      })

      const seed = Effect.gen(function* () {
        const orgs = yield* Effect.forEach(sandboxOrganizations, addOrganization)
        const admin = { user_id: yield* addUser(ADMIN_EMAIL, null, true) }
        yield* rates.set(sandboxRates)
        const withIds = yield* Effect.forEach(sandboxCorridors, (corridor) =>
          Effect.map(ids.make(ConfigId), (config_id) => ({
            ...corridor,
            config_id,
            org_id: null,
            priority: 100,
            is_active: true
          }))
        )
        yield* configs.insert(withIds)
        const encoded = yield* Effect.orDie(Schema.encode(Seed)({ orgs, admin }))
        yield* secrets.replace({ name: SECRET, sealed: yield* vault.encrypt(encoded, SECRET) })
      })

      /** The first transaction to insert the name creates the data; others wait for it. */
      const seedOnce = atomically(
        Effect.gen(function* () {
          const mark = yield* vault.encrypt(yield* ids.next, SECRET)
          const kept = yield* secrets.putIfAbsent({ name: SECRET, sealed: mark })
          if (kept === mark) yield* seed
        })
      )

      const issued = { ttl: developmentTokenTtl, issuer: developmentIssuer, audience: developmentAudience }
      const withToken = <User extends { readonly user_id: UserId }>(user: User, email: string, orgId?: OrgId) =>
        Effect.map(
          ownTokens ? signer.issue({ sub: user.user_id, email, orgId, ...issued }) : Effect.succeed(null),
          (jwt) => ({ ...user, jwt })
        )

      return {
        ensure: Effect.gen(function* () {
          if (Option.isNone(yield* secrets.find(SECRET))) yield* seedOnce
          const sealed = yield* Effect.flatten(secrets.find(SECRET))
          const { admin, orgs } = yield* Effect.flatMap(vault.decrypt(sealed, SECRET), Schema.decode(Seed))
          return {
            orgs: yield* Effect.forEach(orgs, (org) =>
              Effect.map(
                Effect.forEach(org.users, (user) => withToken(user, user.email, org.org_id)),
                (people) => ({ ...org, users: people })
              )
            ),
            admin: yield* withToken(admin, ADMIN_EMAIL)
          }
        }).pipe(Effect.orDie, Effect.withSpan("Sandbox.ensure"))
      }
    })
  )
}

/** `DATA_DIR/sandbox.json`: the sandbox's credentials, readable by the owner only. */
export const writeSandboxFile = traced("writeSandboxFile")(function* (credentials: SandboxCredentials) {
  const { dataDir, publicUrl } = yield* Settings
  const path = join(dataDir, "sandbox.json")
  const text = `${JSON.stringify({ base_url: `${publicUrl}/v1`, ...credentials }, null, 2)}\n`
  yield* Effect.promise(async () => {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    // Atomic: readers see the old file or the new one.
    await writeFile(`${path}.${process.pid}`, text, { mode: 0o600 })
    await rename(`${path}.${process.pid}`, path)
  })
  return path
})

/** Tables that survive a reset. Of the secrets only the token issuer's is kept. */
const keptTables = [
  "corridor_migrations",
  "database_identity",
  "figures",
  "master_key",
  "secrets",
  "payment_transitions"
]

const tableNames = rowsAs(Schema.Struct({ tablename: Schema.String }))

/** Resets the sandbox while its server runs. */
export class SandboxReset extends Context.Tag("corridor/SandboxReset")<
  SandboxReset,
  { readonly run: (permit: Permit<"platform">) => Stored<SandboxCredentials, Conflict> }
>() {
  static readonly layer = Layer.effect(
    SandboxReset,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sandbox = yield* Sandbox
      const audit = yield* AuditLog
      const { mode } = yield* Settings
      const { atomically } = yield* Transactor

      const empty = Effect.gen(function* () {
        yield* sql.unsafe(withoutLimits)
        const tables = yield* sql`select tablename from pg_tables
          where schemaname = current_schema() and not (${sql.in("tablename", keptTables)}) order by tablename`.pipe(
          Effect.flatMap(tableNames)
        )
        yield* sql`truncate ${sql.csv(tables.map(({ tablename }) => sql`${sql(tablename)}`))}`
        yield* sql`delete from secrets where name <> ${issuerSecret}`
      }).pipe(Effect.orDie)

      return {
        run: traced("SandboxReset.run")(function* (permit) {
          if (mode !== "sandbox") {
            return yield* new Conflict({ message: "Only a sandbox can be reset, and CORRIDOR_MODE is live." })
          }
          return yield* atomically(
            Effect.gen(function* () {
              yield* empty
              const credentials = yield* sandbox.ensure
              yield* audit.record(permit, { action: "sandbox.reset", org: null, subject: ["sandbox", "sandbox"] })
              return credentials
            })
          )
        })
      }
    })
  )
}
