/** `corridor users` and `corridor tokens` */
import { Command, Options } from "@effect/cli"
import { roles } from "../../domain/Roles.ts"
import { choice, optional, option } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { byDatabase, byApiOrDatabase } from "../shared/CommandTarget.ts"

const work = byDatabase(() => import("../database/Users.ts"))
const memberships = byDatabase(() => import("../database/Memberships.ts"))

const create = Command.make(
  "create",
  {
    email: option("email", "ADDRESS", "Their e-mail address; nobody else may have it."),
    org: optional("org", "ORG", "Id of an organisation to make them a member of."),
    role: Options.optional(choice("role", roles, "Their role there.")),
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
  (input) => work((users) => users.create(input))
).pipe(Command.withDescription("Create a user, as a member of an organisation or as a platform admin."))

const list = Command.make(
  "list",
  { org: optional("org", "ORG", "Only the members of this organisation, with their roles in it."), json },
  (input) =>
    byApiOrDatabase(
      () => import("../api/Users.ts"),
      () => import("../database/Users.ts")
    )((users) => users.list(input))
).pipe(Command.withDescription("List users, newest first."))

const user = option("user", "USER", "Id or e-mail of the user.")
const organization = option("org", "ORG", "Id of the organisation.")
const roleThere = choice("role", roles, "Their role there.")

const join = Command.make("join", { user, org: organization, role: roleThere, json }, (input) =>
  memberships((members) => members.join(input))
).pipe(Command.withDescription("Make an existing user a member of an organisation, without an invitation."))

const role = Command.make("role", { user, org: organization, role: roleThere, json }, (input) =>
  memberships((members) => members.role(input))
).pipe(Command.withDescription("Change a member's role in an organisation."))

const leave = Command.make("leave", { user, org: organization, json }, (input) =>
  memberships((members) => members.leave(input))
).pipe(Command.withDescription("End a membership, and revoke the API keys that go with it."))

export const users = Command.make("users").pipe(
  Command.withDescription("People, and their place in an organisation."),
  Command.withSubcommands([create, list, join, role, leave])
)

const issue = Command.make(
  "issue",
  {
    user: option("user", "USER", "Id or e-mail of the user that the token speaks for."),
    org: optional("org", "ORG", "Id of the organisation it is for; by default the only one they belong to, or none."),
    ttl: optional("ttl", "DURATION", 'How long it is valid, such as "90 minutes"; 12 hours by default.'),
    json
  },
  (input) => byDatabase(() => import("../database/Tokens.ts"))((tokens) => tokens.issue(input))
).pipe(Command.withDescription("Issue a bearer token of the development issuer (sandbox mode only)."))

export const tokens = Command.make("tokens").pipe(
  Command.withDescription("Tokens of users, for trying out user-facing calls."),
  Command.withSubcommands([issue])
)
