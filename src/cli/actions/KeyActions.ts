/** `corridor keys`, and `corridor users list`, `role` and `leave` */
import { Effect, Option, Schema } from "effect"
import { CreateApiKey, RotateApiKey } from "../../contract/api/ApiKeysApi.ts"
import type { Role } from "../../domain/Roles.ts"
import { type Answer, call, callAll, orNotFound } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import { decodeOption, type IdInput, type JsonInput, type OrgInput, refuse } from "../shared/CommandInput.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import type { newKey } from "../commands/PeopleCommands.ts"
import type { Input } from "../shared/Command.ts"
import { minute, printable, properties, tableLayout, type TextLayout } from "../shared/Table.ts"

const onRecords = onTarget("records")

type User = Pick<Answer<"users", "list">["data"][number], "user_id" | "email" | "country" | "role" | "created_at"> & {
  /** Only the operator of the database sees it. */
  readonly is_admin?: boolean
}

export const userTable = (users: ReadonlyArray<User>): TextLayout =>
  tableLayout(
    ["ID", "E-MAIL", "COUNTRY", "ROLE", "CREATED"],
    users.map((user) => [
      user.user_id,
      user.email,
      user.country,
      user.is_admin === true ? "platform admin" : user.role,
      minute(user.created_at)
    ]),
    'No users here yet: "corridor users create" makes one.',
    ["ROLE", "CREATED", "COUNTRY"]
  )

export const listUsers = onRecords(({ org }: OrgInput) =>
  Effect.map(callAll("users", "list", { urlParams: { org_id: Option.getOrUndefined(org) } }), (data) => ({
    data,
    ...userTable(data)
  }))
)

type Key = Answer<"apiKeys", "list">["data"][number]

type KeyInput = Input<typeof newKey>

/** By id, or by e-mail address. */
const userNamed = Effect.fnUntraced(function* (user: string, org_id?: string) {
  const wanted = user.toLowerCase()
  const all = yield* callAll("users", "list", { urlParams: { org_id } })
  return Option.fromNullable(all.find(({ email, user_id }) => wanted === email.toLowerCase() || wanted === user_id))
})

const noSuchUser = (user: string) =>
  refuse(`--user: there is no user with the id or e-mail address ${user} ("corridor users list" shows them).`)

interface MemberInput extends JsonInput {
  readonly user: string
  readonly org: string
}

const noMember = (email: string) => `--user: ${email} is not a member of this organisation.`

const memberNamed = Effect.fnUntraced(function* ({ org, user }: MemberInput) {
  const member = yield* userNamed(user, org)
  if (Option.isNone(member)) {
    const known = yield* userNamed(user)
    return yield* Option.match(known, {
      onNone: () => noSuchUser(user),
      onSome: ({ email }) => refuse(noMember(email))
    })
  }
  const { email, user_id } = member.value
  const { data } = yield* call("organizations", "get", { path: { org_id: org } })
  return { email, path: { org_id: data.org_id, user_id }, organization: printable(data.name) }
})

export const changeRole = onRecords(
  Effect.fnUntraced(function* (input: MemberInput & { readonly role: Role }) {
    const { email, organization, path } = yield* memberNamed(input)
    const changed = call("members", "change", { path, payload: { role: input.role } })
    const { data } = yield* orNotFound(noMember(email))(changed)
    return { data, text: `${email} is now ${input.role} of ${organization}.` }
  })
)

export const leave = onRecords(
  Effect.fnUntraced(function* (input: MemberInput) {
    const { email, organization, path } = yield* memberNamed(input)
    yield* orNotFound(noMember(email))(call("members", "remove", { path }))
    return {
      data: { user_id: path.user_id, org_id: path.org_id, removed: true },
      text: `${email} is no member of ${organization} any more; their API keys there are revoked.`
    }
  })
)

/** The API itself refuses an unknown id. */
const userIdOf = Effect.fnUntraced(function* (user: string) {
  if (!user.includes("@")) return user
  const found = yield* userNamed(user)
  return Option.isSome(found) ? found.value.user_id : yield* noSuchUser(user)
})

const createOne = onRecords(
  Effect.fnUntraced(function* ({ name, org, role, user }: KeyInput) {
    const user_id = Option.getOrUndefined(yield* Effect.transposeMapOption(user, userIdOf))
    const { data } = yield* call("apiKeys", "create", {
      payload: { name, role, org_id: org, ...(user_id === undefined ? {} : { user_id }) }
    })
    const facts = properties([
      ["Id", data.api_key_id],
      ["Name", data.name],
      ["Role", data.role],
      ["User", data.user_id],
      ["API key", data.api_key]
    ])
    return { data, text: `API key created. It is shown this once; only its hash is stored.\n${facts}` }
  })
)

/** Over HTTP the caller gets the key; next to the database a member of the organisation. */
export const create = Effect.fnUntraced(function* (input: KeyInput) {
  if (Option.isSome(input.user) && !(yield* isLocal)) {
    return yield* refuse("--user: by API a key is made for oneself; leave it out, or do it beside the database.")
  }
  yield* createOne({ ...input, name: yield* decodeOption("--name", CreateApiKey.fields.name, input.name) })
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

export const list = onRecords(({ org }: JsonInput & { readonly org: string }) =>
  Effect.map(callAll("apiKeys", "list", { urlParams: { org_id: org } }), (data) => ({ data, ...keyTable(data) }))
)

const noSuchKey = (given: string) =>
  orNotFound(`There is no API key with the id ${given} ("corridor keys list --org ORG" shows them).`)

const graceFrom = (text: string) =>
  Schema.decodeUnknown(RotateApiKey)({ grace_seconds: /^\d{1,9}$/.test(text) ? Number(text) : text }).pipe(
    Effect.mapBoth({
      onFailure: () => refuse("--grace-seconds is not a whole number from 0 to 2592000 (30 days)."),
      onSuccess: ({ grace_seconds }) => grace_seconds
    })
  )

const rotateOne = onRecords(
  Effect.fnUntraced(function* ({ grace_seconds, id }: IdInput & { readonly grace_seconds: number }) {
    const { data } = yield* noSuchKey(id)(
      call("apiKeys", "rotate", { path: { api_key_id: id }, payload: { grace_seconds } })
    )
    const old = grace_seconds === 0 ? "is revoked" : `expires in ${grace_seconds} seconds`
    const facts = properties([
      ["Id", data.api_key_id],
      ["API key", data.api_key]
    ])
    return { data, text: `API key rotated; the old one ${old}. The new one is shown this once.\n${facts}` }
  })
)

export const rotate = (input: IdInput & { readonly grace: string }) =>
  Effect.flatMap(graceFrom(input.grace), (grace_seconds) => rotateOne({ ...input, grace_seconds }))

export const revoke = onRecords(
  Effect.fnUntraced(function* ({ id }: IdInput) {
    yield* noSuchKey(id)(call("apiKeys", "revoke", { path: { api_key_id: id } }))
    return { data: { api_key_id: id, status: "revoked" }, text: "API key revoked." }
  })
)
