/** Rows for the store suites. Tests of a suite share one database, so each makes its own. */
import { Effect, Option } from "effect"
import { type OrgId, type UserId, Ids } from "../../src/domain/Ids.ts"
import { ApiKeyStore, type NewKey } from "../../src/people/apiKeys/ApiKeyStore.ts"
import type { Role } from "../../src/domain/Access.ts"
import { hashApiKey } from "../../src/domain/ApiKeyFormat.ts"
import { OrganizationStore, type NewOrganization } from "../../src/people/organizations/OrganizationStore.ts"
import { type NewUser, UserStore } from "../../src/people/users/UserStore.ts"
import { idFrom } from "./AnyId.ts"

export const nextId = Effect.flatMap(Ids, (ids) => Effect.map(ids.next, idFrom))

export const newOrganization = (about: Partial<NewOrganization> = {}) =>
  Effect.gen(function* () {
    const store = yield* OrganizationStore
    const org_id = yield* nextId
    return yield* store.insert({
      org_id,
      name: "Initech",
      country: "KE",
      currency: "KES",
      email: "hello@initech.example",
      features: [],
      sandbox: false,
      ...about
    })
  })

/** Sets the spread as a platform admin. */
export const setSpread = (org_id: OrgId, spread_bps: number) =>
  Effect.gen(function* () {
    const store = yield* OrganizationStore
    const organization = yield* Effect.flatten(store.find(Option.none(), org_id))
    yield* store.update(Option.none(), { ...organization, spread_bps })
  })

export const newUser = (about: Partial<NewUser> = {}) =>
  Effect.gen(function* () {
    const store = yield* UserStore
    const user_id = yield* nextId
    const user = { user_id, subject: user_id, email: `${user_id}@initech.example`, country: null, is_admin: false }
    return yield* store.insert({ ...user, ...about })
  })

export const newMember = (org_id: OrgId, role: Role, about: Partial<NewUser> = {}) =>
  Effect.gen(function* () {
    const user = yield* newUser(about)
    yield* Effect.flatMap(UserStore, (store) => store.putMember({ org_id, user_id: user.user_id, role }))
    return user
  })

/** Text of the key, which is stored as a hash. */
export const keyText = (api_key_id: string): string => `key ${api_key_id}`

export const newKey = (org_id: OrgId, user_id: UserId, about: Partial<NewKey> = {}) =>
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const api_key_id = yield* nextId
    const hash = hashApiKey(keyText(api_key_id))
    const key = {
      api_key_id,
      org_id,
      user_id,
      obtained_by: user_id,
      hash,
      name: "Till",
      role: "org-admin",
      prefix: "ck_test_abcd",
      mode: "test"
    }
    return yield* store.insert({ ...key, ...about } as NewKey)
  })
