/** The sandbox's two organisations: made once, in one transaction, and remembered sealed so that every start shows the same keys. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ConfigId, OrgId, UserId } from "../../domain/Identifiers.ts"
import { ApiKeys } from "../../people/apiKeys/ApiKeys.ts"
import {
  developmentAudience,
  developmentIssuer,
  issuesTokens,
  TokenSigner
} from "../../people/auth/DevelopmentIssuer.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { operatorPermit, roles } from "../../domain/Access.ts"
import { Ids } from "../../domain/Ids.ts"
import { developmentTokenTtl } from "../../domain/policies/People.ts"
import { OrganizationStore } from "../../people/organizations/OrganizationStore.ts"
import { ProviderConfigStore } from "../../providers/configs/ProviderConfigStore.ts"
import { RateStore } from "../../money/rates/RateStore.ts"
import { SecretStore } from "../../platform/secrets/SecretStore.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { UserStore } from "../../people/users/UserStore.ts"
import { sandboxCorridors, sandboxOrganizations, sandboxRates } from "./SandboxData.ts"

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

type WithToken<A> = A & { readonly jwt: string | null }

export interface SandboxCredentials {
  readonly orgs: ReadonlyArray<
    Omit<Seed["orgs"][number], "users"> & { readonly users: ReadonlyArray<WithToken<typeof Person.Type>> }
  >
  readonly admin: WithToken<Seed["admin"]>
}

export class Sandbox extends Context.Tag("corridor/Sandbox")<
  Sandbox,
  {
    /** Makes the sandbox's data where there is none yet; answers with its credentials, the tokens fresh. */
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

      const addUser = Effect.fn("Sandbox.addUser")(function* (
        email: string,
        country: string | null,
        is_admin: boolean
      ) {
        const user_id = yield* ids.make(UserId)
        yield* Effect.orDie(users.insert({ user_id, subject: user_id, email, country, is_admin }))
        return user_id
      })

      const addOrganization = Effect.fn("Sandbox.addOrganization")(function* (
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
          keys.create(permit, { name: "Sandbox", role: "org-admin", userId: maker })
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

      /** Whoever inserts the name first makes the data; the others wait for that transaction's end. */
      const seedOnce = atomically(
        Effect.gen(function* () {
          const mark = yield* vault.encrypt(yield* ids.next, SECRET)
          const kept = yield* secrets.putIfAbsent({ name: SECRET, sealed: mark })
          if (kept === mark) yield* seed
        })
      )

      const token = (sub: string, email: string, orgId?: OrgId) =>
        ownTokens
          ? signer.issue({
              sub,
              email,
              orgId,
              ttl: developmentTokenTtl,
              issuer: developmentIssuer,
              audience: developmentAudience
            })
          : Effect.succeed(null)

      return {
        ensure: Effect.gen(function* () {
          const kept = yield* secrets.find(SECRET)
          if (Option.isNone(kept)) yield* seedOnce
          const sealed = yield* Effect.flatten(secrets.find(SECRET))
          const { admin, orgs } = yield* Effect.flatMap(vault.decrypt(sealed, SECRET), Schema.decode(Seed))
          return {
            orgs: yield* Effect.forEach(orgs, (org) =>
              Effect.map(
                Effect.forEach(org.users, (user) =>
                  Effect.map(token(user.user_id, user.email, org.org_id), (jwt) => ({ ...user, jwt }))
                ),
                (people) => ({ ...org, users: people })
              )
            ),
            admin: { ...admin, jwt: yield* token(admin.user_id, ADMIN_EMAIL) }
          }
        }).pipe(Effect.orDie, Effect.withSpan("Sandbox.ensure"))
      }
    })
  )
}
