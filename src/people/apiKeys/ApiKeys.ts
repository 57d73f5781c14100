/**
 * Creates, rotates and revokes API keys; each change is audited in the same transaction. A key belongs to the user who
 * was shown it: rotating another user's key transfers it to the one who rotates.
 */
import { Context, Effect, Layer, Option } from "effect"
import { Ids, KeyId, type OrgId, type UserId } from "../../domain/Ids.ts"
import type { ApiKey, ApiKeysApi } from "../../contract/api/ApiKeysApi.ts"
import { orNotFound, orRefuse } from "../../platform/database/DatabaseFailure.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { organizationOf, type Permit, type Role, roleAtLeast } from "../../domain/Access.ts"
import { API_KEY_RANDOM_BYTES, formatApiKey, hashApiKey, prefixOf } from "../../domain/ApiKeyFormat.ts"
import { Conflict, Forbidden, Invalid } from "../../domain/Failure.ts"
import type { Window } from "../../platform/database/Query.ts"
import { Users } from "../users/Users.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { traced } from "../../platform/observability/Spans.ts"

type Key = typeof ApiKey.Type

type Owner = Pick<Key, "org_id" | "user_id" | "obtained_by" | "name" | "role">

const make = Effect.gen(function* () {
  const store = yield* ApiKeyStore
  const users = yield* Users
  const audit = yield* AuditLog
  const ids = yield* Ids
  const { mode } = yield* Settings
  const { atomically } = yield* Transactor
  const keyMode = mode === "live" ? "live" : "test"

  const insert = traced("ApiKeys.insert")(function* (owner: Owner) {
    const api_key = formatApiKey(keyMode, yield* ids.bytes(API_KEY_RANDOM_BYTES))
    const key = yield* store.insert({
      ...owner,
      api_key_id: yield* ids.make(KeyId),
      prefix: prefixOf(api_key),
      hash: hashApiKey(api_key),
      mode: keyMode
    })
    return { ...key, api_key }
  })

  const find = (permit: Permit<"api_keys">, id: KeyId) => orNotFound("API key")(store.findForUpdate(permit.scope, id))

  const reaches = (permit: Permit<"api_keys">, role: Role): boolean =>
    permit.role === "admin" || roleAtLeast(permit.role, role)

  /** The new key's role must not be above the caller's. */
  const mayIssue = (permit: Permit<"api_keys">, role: Role) =>
    reaches(permit, role)
      ? Effect.void
      : Effect.fail(new Forbidden({ message: `role: creating a key with the role ${role} needs that role.` }))

  /** Checks that neither the key's role nor its owner's is above the caller's. */
  const mayManage = Effect.fnUntraced(function* (permit: Permit<"api_keys">, key: Key) {
    if (Option.contains(permit.actor.userId, key.user_id)) return
    const memberships = yield* users.membershipsOf(key.user_id)
    const owner = memberships.find(({ org_id }) => org_id === key.org_id)?.role ?? key.role
    if (reaches(permit, key.role) && reaches(permit, owner)) return
    return yield* new Forbidden({ message: "The role of this key, or of its user, is above your own." })
  })

  /** The caller becomes the owner; an operator without a user creates keys for another user. */
  const ownerOf = (permit: Permit<"api_keys">, owner: UserId) =>
    Option.match(permit.actor.userId, {
      onNone: () => ({ user_id: owner, obtained_by: null }),
      onSome: (person) => ({ user_id: person, obtained_by: person })
    })

  /** A member, whose role is the upper limit of the key's role. A platform admin may have a key in every organisation. */
  const checkOwner = Effect.fnUntraced(function* (org: OrgId, id: UserId, role: Role) {
    const user = yield* users.find(id)
    if (Option.isNone(user)) return yield* new Invalid({ message: `user_id: there is no user with the id ${id}.` })
    const { email, is_admin } = user.value
    if (is_admin) return
    const own = (yield* users.membershipsOf(id)).find(({ org_id }) => org_id === org)
    if (own === undefined) {
      return yield* new Invalid({ message: `user_id: ${email} is not a member of this organisation.` })
    }
    if (!roleAtLeast(own.role, role)) {
      const message = `role: ${email} is ${own.role} here, and a key cannot be more than that.`
      return yield* new Invalid({ message })
    }
  })

  /** Without a name, an operator creates a key for the oldest org-admin. */
  const newOwner = Effect.fnUntraced(function* (
    permit: Permit<"api_keys">,
    org: OrgId,
    { role, user_id }: { readonly role: Role; readonly user_id?: UserId | undefined }
  ) {
    const { userId } = permit.actor
    if (Option.isSome(userId)) {
      if (user_id === undefined || user_id === userId.value) return userId.value
      return yield* new Forbidden({ message: "user_id: a key is made for oneself." })
    }
    if (user_id === undefined) {
      const message = "user_id: this organisation has no org-admin to make the key for; name a member, or create one."
      return yield* orRefuse(() => new Invalid({ message }))(users.oldestOrgAdmin(org))
    }
    yield* checkOwner(org, user_id, role)
    return user_id
  })

  return {
    list: (permit: Permit<"api_keys">, window: Window) => store.list(permit.scope, window),
    count: (permit: Permit<"api_keys">) => store.count(permit.scope),
    create: traced("ApiKeys.create")(function* (
      permit: Permit<"api_keys">,
      wanted: { readonly name: string; readonly role: Role; readonly user_id?: UserId | undefined }
    ) {
      const { name, role } = wanted
      const org = yield* organizationOf(permit)
      yield* mayIssue(permit, role)
      const user = yield* newOwner(permit, org, wanted)
      return yield* atomically(
        Effect.gen(function* () {
          const key = yield* insert({ org_id: org, ...ownerOf(permit, user), name, role })
          const subject = ["api_key", key.api_key_id] as const
          yield* audit.record(permit, { action: "api_key.created", org, subject, detail: { name, role } })
          return key
        })
      )
    }),
    rotate: traced("ApiKeys.rotate")(function* (permit: Permit<"api_keys">, id: KeyId, graceSeconds: number) {
      const old = yield* find(permit, id)
      yield* mayManage(permit, old)
      yield* mayIssue(permit, old.role)
      if (old.status !== "active") {
        return yield* new Conflict({ message: `This key is ${old.status}; create a new one instead.` })
      }
      const { name, org_id, role } = old
      const key = yield* insert({ name, org_id, role, ...ownerOf(permit, old.user_id) })
      yield* graceSeconds > 0 ? store.expire(permit.scope, id, graceSeconds) : store.revoke(permit.scope, id)
      yield* audit.record(permit, {
        action: "api_key.rotated",
        org: org_id,
        subject: ["api_key", id],
        detail: {
          new_api_key_id: key.api_key_id,
          grace_seconds: graceSeconds,
          ...(key.user_id === old.user_id ? {} : { old_user_id: old.user_id, new_user_id: key.user_id })
        }
      })
      return key
    }, atomically),
    /** Revokes all keys of a removed member, in the transaction of the removal. */
    revokeAllOf: traced("ApiKeys.revokeAllOf")(function* (permit: Permit<"members">, org: OrgId, userId: UserId) {
      const revoked = yield* store.revokeAllOf(org, userId)
      yield* Effect.forEach(
        revoked,
        (id) => audit.record(permit, { action: "api_key.revoked", org, subject: ["api_key", id] }),
        { discard: true }
      )
    }),
    revoke: traced("ApiKeys.revoke")(function* (permit: Permit<"api_keys">, id: KeyId) {
      const key = yield* find(permit, id)
      yield* mayManage(permit, key)
      if (key.status === "revoked") return
      yield* store.revoke(permit.scope, id)
      yield* audit.record(permit, { action: "api_key.revoked", org: key.org_id, subject: ["api_key", id] })
    }, atomically)
  }
})

export class ApiKeys extends Context.Tag("corridor/ApiKeys")<ApiKeys, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(ApiKeys, make)
}

export const apiKeysHandlers = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const pages = yield* makePages
  return {
    list: Effect.fnUntraced(function* (request) {
      const page = yield* pages(request, {
        message: "API keys",
        fetch: (window) => keys.list(request.permit, window),
        idOf: (key) => key.api_key_id
      })
      return { ...page, meta: { ...page.meta, total_count: yield* keys.count(request.permit) } }
    }),
    create: ({ payload, permit }) =>
      answer("API key created; store it now, it is not shown again", keys.create(permit, payload)),
    rotate: ({ path, payload, permit }) =>
      answer("API key rotated; store the new one now", keys.rotate(permit, path.api_key_id, payload.grace_seconds)),
    revoke: ({ path, permit }) => keys.revoke(permit, path.api_key_id)
  } satisfies Handlers<typeof ApiKeysApi>
})
