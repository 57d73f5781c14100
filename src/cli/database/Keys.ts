/** `corridor keys` beside the database. */
import { Effect, Option } from "effect"
import { KeyId } from "../../domain/Identifiers.ts"
import { CreateApiKey } from "../../contract/api/ApiKeys.ts"
import { ApiKeys } from "../../people/apiKeys/ApiKeys.ts"
import type { Role } from "../../domain/Access.ts"
import { idOrNil } from "../../domain/Ids.ts"
import { allPages } from "../shared/AllPages.ts"
import { decodeOption, refuse } from "../shared/Input.ts"
import { graceFrom } from "../shared/KeyInput.ts"
import { keyOwner } from "../shared/KeyOwner.ts"
import { organizationNamed } from "../shared/LookUp.ts"
import { permitFor } from "../shared/Operator.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { createdKey, keyTable, rotatedKey } from "../shown/Keys.ts"

const noSuchKey = (key: string) =>
  refuse(`There is no API key with the id ${key} ("corridor keys list --org ORG" shows them).`)

const createOne = Effect.fn("Cli.createKey")(function* (
  orgId: string,
  user: Option.Option<string>,
  name: string,
  role: Role
) {
  const { org_id } = yield* organizationNamed(orgId)
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
  const { org_id } = yield* organizationNamed(orgId)
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
