/** `corridor keys` */
import { Effect, Option, Schema } from "effect"
import { CreateApiKey, RotateApiKey } from "../../contract/api/ApiKeysApi.ts"
import type { Role } from "../../domain/Roles.ts"
import { type Answer, ApiClient, orNotFound } from "../client/ApiClient.ts"
import { onServer, onTarget } from "../client/RunCommand.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { decodeOption, refuse, type IdInput } from "../shared/CommandInput.ts"
import type { CommandResult } from "../shared/CommandResult.ts"
import { minute, properties, tableLayout, type TextLayout } from "../shared/Table.ts"

type Key = Answer<"apiKeys", "list">["data"][number]

const run = onTarget("records")

interface NewKey {
  readonly api_key_id: string
  readonly name: string
  readonly role: string
  readonly user_id: string
  readonly api_key: string
}

const createdKey = (key: NewKey): CommandResult => ({
  data: key,
  text: `API key created. It is shown this once; only its hash is stored.\n${properties([
    ["Id", key.api_key_id],
    ["Name", key.name],
    ["Role", key.role],
    ["User", key.user_id],
    ["API key", key.api_key]
  ])}`
})

const createForCaller = Effect.fnUntraced(function* (org_id: string, name: string, role: Role) {
  const { call } = yield* ApiClient
  const { data } = yield* call("apiKeys", "create", { payload: { name, role, org_id } })
  return createdKey(data)
})

/** Over HTTP the caller gets the key; next to the database a member of the organisation. */
export const create = Effect.fnUntraced(function* (input: {
  readonly org: string
  readonly name: string
  readonly role: Role
  readonly user: Option.Option<string>
  readonly json: boolean
}) {
  const local = yield* isLocal
  if (Option.isSome(input.user) && !local) {
    return yield* refuse("--user: by API a key is made for oneself; leave it out, or do it beside the database.")
  }
  const name = yield* decodeOption("--name", CreateApiKey.fields.name, input.name)
  if (!local) return yield* onServer(input.json, createForCaller(input.org, name, input.role))
  const { createForMember } = yield* Effect.promise(() => import("../database/LocalUsers.ts"))
  yield* createForMember({ ...input, name }, createdKey)
})

type Listed = Pick<Key, "api_key_id" | "prefix" | "name" | "role" | "status" | "expires_at" | "created_at">

export const keyTable = (keys: ReadonlyArray<Listed>): TextLayout =>
  tableLayout(
    ["ID", "PREFIX", "NAME", "ROLE", "STATUS", "CREATED"],
    keys.map((key) => [
      key.api_key_id,
      key.prefix,
      key.name,
      key.role,
      key.expires_at === null ? key.status : `${key.status} at ${minute(key.expires_at)}`,
      minute(key.created_at)
    ]),
    'No API keys here yet: "corridor keys create" makes one.',
    ["PREFIX", "ROLE", "CREATED"]
  )

const listAll = Effect.fnUntraced(function* (org_id: string) {
  const { all } = yield* ApiClient
  const data = yield* all("apiKeys", "list", { urlParams: { org_id } })
  return { data, ...keyTable(data) }
})

export const list = (input: { readonly org: string; readonly json: boolean }) => run(input.json, listAll(input.org))

const noSuchKey = (given: string) =>
  orNotFound(`There is no API key with the id ${given} ("corridor keys list --org ORG" shows them).`)

const graceFrom = (text: string) =>
  Schema.decodeUnknown(RotateApiKey)({ grace_seconds: /^\d{1,9}$/.test(text) ? Number(text) : text }).pipe(
    Effect.mapBoth({
      onFailure: () => refuse("--grace-seconds is not a whole number from 0 to 2592000 (30 days)."),
      onSuccess: ({ grace_seconds }) => grace_seconds
    })
  )

const rotateOne = Effect.fnUntraced(function* (api_key_id: string, grace_seconds: number) {
  const { call } = yield* ApiClient
  const { data } = yield* noSuchKey(api_key_id)(
    call("apiKeys", "rotate", { path: { api_key_id }, payload: { grace_seconds } })
  )
  const old = grace_seconds === 0 ? "is revoked" : `expires in ${grace_seconds} seconds`
  const facts = properties([
    ["Id", data.api_key_id],
    ["API key", data.api_key]
  ])
  return { data, text: `API key rotated; the old one ${old}. The new one is shown this once.\n${facts}` }
})

export const rotate = (input: { readonly id: string; readonly grace: string; readonly json: boolean }) =>
  Effect.flatMap(graceFrom(input.grace), (grace) => run(input.json, rotateOne(input.id, grace)))

const revokeOne = Effect.fnUntraced(function* (api_key_id: string) {
  const { call } = yield* ApiClient
  yield* noSuchKey(api_key_id)(call("apiKeys", "revoke", { path: { api_key_id } }))
  return { data: { api_key_id, status: "revoked" }, text: "API key revoked." }
})

export const revoke = (input: IdInput) => run(input.json, revokeOne(input.id))
