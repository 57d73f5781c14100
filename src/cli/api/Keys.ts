/** `corridor keys` by API: keys of whoever's credential it is. */
import { Effect, Option } from "effect"
import { CreateApiKey } from "../../contract/api/ApiKeys.ts"
import type { Role } from "../../domain/Roles.ts"
import { decodeOption, refuse } from "../shared/CommandInput.ts"
import { graceFrom } from "../shared/KeyInput.ts"
import { createdKey, keyTable, rotatedKey } from "../shown/Keys.ts"
import { Calls } from "./Calls.ts"
import { onApi } from "./OnApi.ts"

export const create = Effect.fnUntraced(function* (input: {
  readonly org: string
  readonly name: string
  readonly role: Role
  readonly user: Option.Option<string>
  readonly json: boolean
}) {
  if (Option.isSome(input.user)) {
    return yield* refuse("--user: by API a key is made for oneself; leave it out, or do it beside the database.")
  }
  const name = yield* decodeOption("--name", CreateApiKey.fields.name, input.name)
  const made = Effect.gen(function* () {
    const { call } = yield* Calls
    const { data } = yield* call("apiKeys", "create", { payload: { name, role: input.role, org_id: input.org } })
    return { data, text: createdKey(data) }
  })
  yield* onApi(input.json, made)
})

const listAll = Effect.fnUntraced(function* (org_id: string) {
  const { all } = yield* Calls
  const data = yield* all("apiKeys", "list", { urlParams: { org_id } })
  return { data, ...keyTable(data) }
})

export const list = (input: { readonly org: string; readonly json: boolean }) => onApi(input.json, listAll(input.org))

const rotateOne = Effect.fnUntraced(function* (api_key_id: string, grace_seconds: number) {
  const { call } = yield* Calls
  const { data } = yield* call("apiKeys", "rotate", { path: { api_key_id }, payload: { grace_seconds } })
  return { data, text: rotatedKey(data, grace_seconds) }
})

export const rotate = (input: { readonly id: string; readonly grace: string; readonly json: boolean }) =>
  Effect.flatMap(graceFrom(input.grace), (grace) => onApi(input.json, rotateOne(input.id, grace)))

const revokeOne = Effect.fnUntraced(function* (api_key_id: string) {
  const { call } = yield* Calls
  yield* call("apiKeys", "revoke", { path: { api_key_id } })
  return { data: { api_key_id, status: "revoked" }, text: "API key revoked." }
})

export const revoke = (input: { readonly id: string; readonly json: boolean }) => onApi(input.json, revokeOne(input.id))
