/** `corridor users` */
import { Effect, Option } from "effect"
import type { Role } from "../../domain/Roles.ts"
import { Users, UserInput } from "../../people/users/Users.ts"
import type { Member } from "../../people/users/UserStore.ts"
import { allPages, permitFor } from "../shared/LocalDatabase.ts"
import { decodeInput, refuse } from "../shared/CommandInput.ts"
import { findOrganization } from "../shared/LookUp.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { properties } from "../shared/Table.ts"
import { userTable } from "../shown/Users.ts"

const roleOf = (user: Member): string | null => (user.is_admin ? "platform admin" : user.role)

const about = (user: Member): string =>
  properties([
    ["Id", user.user_id],
    ["E-mail", user.email],
    ["Subject", user.subject],
    ["Country", user.country],
    ["Organisation", user.org_id],
    ["Role", roleOf(user)]
  ])

/** The organisation as it was typed: only the database can tell whether there is one. */
const membershipOf = Effect.fn("Cli.membershipOf")(function* (org: Option.Option<string>, role: Option.Option<Role>) {
  if (Option.isNone(org) && Option.isNone(role)) return null
  if (Option.isNone(org)) return yield* refuse("--role is a role in an organisation: say which one with --org.")
  if (Option.isNone(role)) return yield* refuse("--org needs --role: org-admin, staff or member.")
  return { org_id: org.value, role: role.value }
})

const createOne = Effect.fn("Cli.createUser")(function* (wanted: typeof UserInput.Type) {
  const users = yield* Users
  const membership =
    wanted.membership === null
      ? null
      : { ...wanted.membership, org_id: (yield* findOrganization(wanted.membership.org_id)).org_id }
  const taken = wanted.subject === null ? "--email" : "--email or --subject"
  const data = yield* users
    .create(yield* permitFor("platform"), { ...wanted, membership })
    .pipe(Effect.catchTag("Conflict", () => refuse(`${taken}: another user has it already; use another one.`)))
  return { data, text: `User created.\n${about(data)}` }
})

export const create = Effect.fnUntraced(function* (input: {
  readonly email: string
  readonly org: Option.Option<string>
  readonly role: Option.Option<Role>
  readonly country: Option.Option<string>
  readonly subject: Option.Option<string>
  readonly admin: boolean
  readonly json: boolean
}) {
  const wanted = yield* decodeInput(UserInput, {
    email: input.email,
    country: Option.getOrNull(input.country),
    subject: Option.getOrNull(input.subject),
    is_admin: input.admin,
    membership: yield* membershipOf(input.org, input.role)
  })
  yield* onRecords(input.json, createOne(wanted))
})

const listAll = Effect.fn("Cli.listUsers")(function* (org: Option.Option<string>) {
  const users = yield* Users
  const scope = yield* Effect.transposeMapOption(org, findOrganization)
  const permit = yield* permitFor(
    "operations",
    Option.map(scope, (one) => one.org_id)
  )
  const data = yield* allPages(
    (window) => users.list(permit, window),
    (user) => user.user_id
  )
  return { data, ...userTable(data, roleOf, 'No users here yet: "corridor users create" makes one.') }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onRecords(input.json, listAll(input.org))
