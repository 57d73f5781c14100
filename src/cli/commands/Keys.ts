/** `corridor keys` */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { KeyId } from "../../domain/Identifiers.ts"
import { CreateApiKey, RotateApiKey } from "../../contract/api/ApiKeys.ts"
import { ApiKeys } from "../../people/apiKeys/ApiKeys.ts"
import type { Role } from "../../domain/Access.ts"
import { idOrNil } from "../../domain/Ids.ts"
import { RoleName } from "../../domain/AccessNames.ts"
import { allPages } from "../shared/AllPages.ts"
import { decodeOption, optional, option, refuse } from "../shared/Input.ts"
import { keyOwner } from "../shared/KeyOwner.ts"
import { organizationNamed } from "../shared/LookUp.ts"
import { permitFor } from "../shared/Operator.ts"
import { onApp } from "../shared/OnApp.ts"
import { json } from "../shared/Report.ts"
import { minute, properties, table } from "../shared/Table.ts"

const org = option("org", "ORG", "Id of the organisation.")
const id = Args.text({ name: "ID" }).pipe(Args.withDescription('Id of the key, as "corridor keys list" shows it.'))

const onlyOnce = "It is shown this once; only its hash is stored."

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
  const shown = properties([
    ["Id", data.api_key_id],
    ["Name", data.name],
    ["Role", data.role],
    ["User", data.user_id],
    ["API key", data.api_key]
  ])
  return { data, text: `API key created. ${onlyOnce}\n${shown}` }
})

const create = Command.make(
  "create",
  {
    org,
    name: option("name", "NAME", "What the key is for, such as the server that will hold it."),
    role: option("role", "ROLE", "What it may do: org-admin (the default), staff or member.").pipe(
      Options.withDefault("org-admin")
    ),
    user: optional("user", "USER", "Id or e-mail of the member it acts for; the oldest org-admin by default."),
    json
  },
  (input) =>
    Effect.gen(function* () {
      const name = yield* decodeOption("--name", CreateApiKey.fields.name, input.name)
      const role = yield* decodeOption("--role", RoleName, input.role)
      yield* onApp(input.json, createOne(input.org, input.user, name, role))
    })
).pipe(Command.withDescription("Create an API key; the whole key is shown this once."))

const listAll = Effect.fn("Cli.listKeys")(function* (orgId: string) {
  const keys = yield* ApiKeys
  const { org_id } = yield* organizationNamed(orgId)
  const permit = yield* permitFor("api_keys", Option.some(org_id))
  const data = yield* allPages(
    (window) => keys.list(permit, window),
    (key) => key.api_key_id
  )
  const rows = data.map((key) => [
    key.api_key_id,
    key.prefix,
    key.name,
    key.role,
    key.expires_at === null ? key.status : `${key.status} at ${minute(key.expires_at)}`,
    minute(key.created_at)
  ])
  const titles = ["ID", "PREFIX", "NAME", "ROLE", "STATUS", "CREATED"]
  return { data, text: table(titles, rows, 'No API keys here yet: "corridor keys create" makes one.') }
})

const list = Command.make("list", { org, json }, (input) => onApp(input.json, listAll(input.org))).pipe(
  Command.withDescription("List an organisation's API keys, newest first.")
)

const graceFrom = (text: string) =>
  Schema.decodeUnknown(RotateApiKey)({ grace_seconds: /^\d{1,9}$/.test(text) ? Number(text) : text }).pipe(
    Effect.mapBoth({
      onFailure: () => refuse("--grace-seconds is not a whole number from 0 to 2592000 (30 days)."),
      onSuccess: ({ grace_seconds }) => grace_seconds
    })
  )

const rotateOne = Effect.fn("Cli.rotateKey")(function* (key: string, graceSeconds: number) {
  const keys = yield* ApiKeys
  const data = yield* keys
    .rotate(yield* permitFor("api_keys"), idOrNil(KeyId)(key), graceSeconds)
    .pipe(Effect.catchTag("NotFound", () => noSuchKey(key)))
  const old = graceSeconds === 0 ? "is revoked" : `expires in ${graceSeconds} seconds`
  const shown = properties([
    ["Id", data.api_key_id],
    ["API key", data.api_key]
  ])
  return { data, text: `API key rotated; the old one ${old}. The new one is shown this once.\n${shown}` }
})

const rotate = Command.make(
  "rotate",
  {
    id,
    grace: option(
      "grace-seconds",
      "N",
      "For how long the old key stays valid; 0, the default, revokes it at once."
    ).pipe(Options.withDefault("0")),
    json
  },
  (input) => Effect.flatMap(graceFrom(input.grace), (grace) => onApp(input.json, rotateOne(input.id, grace)))
).pipe(Command.withDescription("Replace an API key by a new one of the same name, role and user."))

const revokeOne = Effect.fn("Cli.revokeKey")(function* (key: string) {
  const keys = yield* ApiKeys
  const api_key_id = idOrNil(KeyId)(key)
  yield* keys.revoke(yield* permitFor("api_keys"), api_key_id).pipe(Effect.catchTag("NotFound", () => noSuchKey(key)))
  return { data: { api_key_id, status: "revoked" }, text: "API key revoked." }
})

const revoke = Command.make("revoke", { id, json }, (input) => onApp(input.json, revokeOne(input.id))).pipe(
  Command.withDescription("Revoke an API key at once, on every instance.")
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys."),
  Command.withSubcommands([create, list, rotate, revoke])
)
