/** `corridor keys` beside the database. */
import { Effect, Option } from "effect"
import { KeyId, type OrgId, idOrNil } from "../../domain/Ids.ts"
import { CreateApiKey } from "../../contract/api/ApiKeys.ts"
import { ApiKeys } from "../../people/apiKeys/ApiKeys.ts"
import { type Role, roleAtLeast } from "../../domain/Access.ts"
import { allPages, permitFor } from "../shared/LocalDatabase.ts"
import { decodeOption, refuse, found } from "../shared/CommandInput.ts"
import { graceFrom } from "../shared/KeyInput.ts"
import { findOrganization, findUser } from "../shared/LookUp.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { createdKey, keyTable, rotatedKey } from "../shown/Keys.ts"
import { Users } from "../../people/users/Users.ts"

/** Whose key it will be: a member, whose own role is the most that the key can do. */
export const keyOwner = Effect.fn("Cli.keyOwner")(function* (orgId: OrgId, role: Role, named: Option.Option<string>) {
  const users = yield* Users
  if (Option.isNone(named)) {
    return yield* found(
      yield* users.oldestOrgAdmin(orgId),
      "--user: this organisation has no org-admin to make the key for; name a member, or create one with " +
        `"corridor users create --email ADDRESS --org ${orgId} --role org-admin".`
    )
  }
  const user = yield* findUser(named.value)
  if (user.is_admin) return user.user_id
  const own = (yield* users.placesOf(user.user_id)).find((membership) => membership.org_id === orgId)
  if (own === undefined) return yield* refuse(`--user: ${user.email} is not a member of this organisation.`)
  if (!roleAtLeast(own.role, role)) {
    return yield* refuse(`--role: ${user.email} is ${own.role} here, and a key cannot be more than that.`)
  }
  return user.user_id
})

const noSuchKey = (key: string) =>
  refuse(`There is no API key with the id ${key} ("corridor keys list --org ORG" shows them).`)

const createOne = Effect.fn("Cli.createKey")(function* (
  orgId: string,
  user: Option.Option<string>,
  name: string,
  role: Role
) {
  const { org_id } = yield* findOrganization(orgId)
  const userId = yield* keyOwner(org_id, role, user)
  const keys = yield* ApiKeys
  const data = yield* keys.create(yield* permitFor("api_keys", Option.some(org_id)), { name, role, userId })
  return { data, text: createdKey(data) }
})

export const create = Effect.fnUntraced(function* (input: {
  readonly org: string
  readonly name: string
  readonly role: Role
  readonly user: Option.Option<string>
  readonly json: boolean
}) {
  const name = yield* decodeOption("--name", CreateApiKey.fields.name, input.name)
  yield* onRecords(input.json, createOne(input.org, input.user, name, input.role))
})

const listAll = Effect.fn("Cli.listKeys")(function* (orgId: string) {
  const keys = yield* ApiKeys
  const { org_id } = yield* findOrganization(orgId)
  const permit = yield* permitFor("api_keys", Option.some(org_id))
  const data = yield* allPages(
    (window) => keys.list(permit, window),
    (key) => key.api_key_id
  )
  return { data, ...keyTable(data) }
})

export const list = (input: { readonly org: string; readonly json: boolean }) =>
  onRecords(input.json, listAll(input.org))

const rotateOne = Effect.fn("Cli.rotateKey")(function* (key: string, graceSeconds: number) {
  const keys = yield* ApiKeys
  const data = yield* keys
    .rotate(yield* permitFor("api_keys"), idOrNil(KeyId)(key), graceSeconds)
    .pipe(Effect.catchTag("NotFound", () => noSuchKey(key)))
  return { data, text: rotatedKey(data, graceSeconds) }
})

export const rotate = (input: { readonly id: string; readonly grace: string; readonly json: boolean }) =>
  Effect.flatMap(graceFrom(input.grace), (grace) => onRecords(input.json, rotateOne(input.id, grace)))

const revokeOne = Effect.fn("Cli.revokeKey")(function* (key: string) {
  const keys = yield* ApiKeys
  const api_key_id = idOrNil(KeyId)(key)
  yield* keys.revoke(yield* permitFor("api_keys"), api_key_id).pipe(Effect.catchTag("NotFound", () => noSuchKey(key)))
  return { data: { api_key_id, status: "revoked" }, text: "API key revoked." }
})

export const revoke = (input: { readonly id: string; readonly json: boolean }) =>
  onRecords(input.json, revokeOne(input.id))
