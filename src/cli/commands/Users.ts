/** `corridor users` */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { RoleName } from "../../domain/AccessNames.ts"
import { Users, WantedUser } from "../../people/users/Users.ts"
import type { Member } from "../../people/users/User.ts"
import { allPages } from "../shared/AllPages.ts"
import { decodeInput, decodeOption, optional, option, refuse } from "../shared/Input.ts"
import { organizationNamed } from "../shared/LookUp.ts"
import { permitFor } from "../shared/Operator.ts"
import { onApp } from "../shared/OnApp.ts"
import { json } from "../shared/Report.ts"
import { minute, properties, table } from "../shared/Table.ts"
import { join, leave, role } from "./Memberships.ts"

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
const membershipOf = Effect.fn("Cli.membershipOf")(function* (org: Option.Option<string>, role: Option.Option<string>) {
  if (Option.isNone(org) && Option.isNone(role)) return null
  if (Option.isNone(org)) return yield* refuse("--role is a role in an organisation: say which one with --org.")
  if (Option.isNone(role)) return yield* refuse("--org needs --role: org-admin, staff or member.")
  return { org_id: org.value, role: yield* decodeOption("--role", RoleName, role.value) }
})

const createOne = Effect.fn("Cli.createUser")(function* (wanted: typeof WantedUser.Type) {
  const users = yield* Users
  const membership =
    wanted.membership === null
      ? null
      : { ...wanted.membership, org_id: (yield* organizationNamed(wanted.membership.org_id)).org_id }
  const taken = wanted.subject === null ? "--email" : "--email or --subject"
  const data = yield* users
    .create(yield* permitFor("platform"), { ...wanted, membership })
    .pipe(Effect.catchTag("Conflict", () => refuse(`${taken}: another user has it already; use another one.`)))
  return { data, text: `User created.\n${about(data)}` }
})

const create = Command.make(
  "create",
  {
    email: option("email", "ADDRESS", "Their e-mail address; nobody else may have it."),
    org: optional("org", "ORG", "Id of an organisation to make them a member of."),
    role: optional("role", "ROLE", "Their role there: org-admin, staff or member."),
    country: optional("country", "CC", "The country they live in, as an ISO 3166-1 code such as KE."),
    subject: optional(
      "subject",
      "SUB",
      "The `sub` of their tokens at your identity provider; their own id by default."
    ),
    admin: Options.boolean("admin").pipe(
      Options.withDescription("Make them a platform admin, who may do everything in every organisation.")
    ),
    json
  },
  (input) =>
    Effect.gen(function* () {
      const wanted = yield* decodeInput(WantedUser, {
        email: input.email,
        country: Option.getOrNull(input.country),
        subject: Option.getOrNull(input.subject),
        is_admin: input.admin,
        membership: yield* membershipOf(input.org, input.role)
      })
      yield* onApp(input.json, createOne(wanted))
    })
).pipe(Command.withDescription("Create a user, as a member of an organisation or as a platform admin."))

const listAll = Effect.fn("Cli.listUsers")(function* (org: Option.Option<string>) {
  const users = yield* Users
  const scope = yield* Effect.transposeMapOption(org, organizationNamed)
  const permit = yield* permitFor(
    "operations",
    Option.map(scope, (one) => one.org_id)
  )
  const data = yield* allPages(
    (window) => users.list(permit, window),
    (user) => user.user_id
  )
  const rows = data.map((user) => [user.user_id, user.email, user.country, roleOf(user), minute(user.created_at)])
  const titles = ["ID", "E-MAIL", "COUNTRY", "ROLE", "CREATED"]
  return { data, text: table(titles, rows, 'No users here yet: "corridor users create" makes one.') }
})

const list = Command.make(
  "list",
  { org: optional("org", "ORG", "Only the members of this organisation, with their roles in it."), json },
  (input) => onApp(input.json, listAll(input.org))
).pipe(Command.withDescription("List users, newest first."))

export const users = Command.make("users").pipe(
  Command.withDescription("People, and their place in an organisation."),
  Command.withSubcommands([create, list, join, role, leave])
)
