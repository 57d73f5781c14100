/** `corridor orgs` */
import { Args, Command, Options } from "@effect/cli"
import { features, kybStatuses } from "../../domain/Organization.ts"
import { choice, option, optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { onEither, byDatabase, byApiOrDatabase } from "../shared/CommandTarget.ts"
import { roles } from "../../domain/Roles.ts"

const runOrgAction = onEither(() => import("../actions/OrgActions.ts"))

const createOrg = Command.make(
  "create",
  {
    name: option("name", "NAME", "What the organisation is called."),
    country: option("country", "CC", "Its home country, as an ISO 3166-1 code such as KE."),
    currency: option("currency", "CUR", "Its home currency, as an ISO 4217 code such as KES."),
    email: option("email", "ADDRESS", "Where messages to the organisation go."),
    features: choice("feature", features, "A feature to switch on.").pipe(Options.repeated),
    json
  },
  (input) => runOrgAction((orgs) => orgs.create(input))
).pipe(Command.withDescription("Create an organisation (in sandbox mode a sandbox organisation)."))

const listOrg = Command.make("list", { json }, (input) => runOrgAction((orgs) => orgs.list(input))).pipe(
  Command.withDescription("List all organisations, newest first.")
)

const setOrg = Command.make(
  "set",
  {
    id: Args.text({ name: "ORG" }).pipe(Args.withDescription("Id of the organisation.")),
    name: optional("name", "NAME", "What the organisation is called."),
    email: optional("email", "ADDRESS", "Where messages to the organisation go."),
    country: optional("country", "CC", "Its home country, as an ISO 3166-1 code such as KE."),
    feature: choice("feature", features, "All features to be on, one by one.").pipe(Options.repeated),
    noFeatures: Options.boolean("no-features").pipe(Options.withDescription("Switch all features off.")),
    reviewThreshold: optional(
      "review-threshold",
      "AMOUNT",
      "Payments of this much and more, in its currency, wait for a review; 0 switches it off."
    ),
    spreadBps: optional("spread-bps", "N", "Basis points that its rates lie below the base rate: 0 to 9999."),
    kybStatus: Options.optional(choice("kyb-status", kybStatuses, "Whether its business was verified.")),
    json
  },
  (input) => runOrgAction((orgs) => orgs.set(input))
).pipe(Command.withDescription("Change an organisation; only what is given changes, at once and on every instance."))

export const orgs = Command.make("orgs").pipe(
  Command.withDescription("Organisations."),
  Command.withSubcommands([createOrg, listOrg, setOrg])
)

/** `corridor users` and `corridor tokens` */
const runUserAction = byDatabase(() => import("../database/LocalUsers.ts"))
const userMemberships = byDatabase(() => import("../database/LocalUsers.ts"))

const createUser = Command.make(
  "create",
  {
    email: option("email", "ADDRESS", "E-mail address, unique among all users."),
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
  (input) => runUserAction((users) => users.create(input))
).pipe(Command.withDescription("Create a user, as a member of an organisation or as a platform admin."))

const listUser = Command.make(
  "list",
  { org: optional("org", "ORG", "Only the members of this organisation, with their roles in it."), json },
  (input) =>
    byApiOrDatabase(
      () => import("../actions/UserActions.ts"),
      () => import("../database/LocalUsers.ts")
    )((users) => users.list(input))
).pipe(Command.withDescription("List users, newest first."))

const userUser = option("user", "USER", "Id or e-mail of the user.")
const userOrganization = option("org", "ORG", "Id of the organisation.")
const userRoleThere = choice("role", roles, "Their role there.")

const joinUser = Command.make("join", { user: userUser, org: userOrganization, role: userRoleThere, json }, (input) =>
  userMemberships((members) => members.join(input))
).pipe(Command.withDescription("Make an existing user a member of an organisation, without an invitation."))

const roleUser = Command.make("role", { user: userUser, org: userOrganization, role: userRoleThere, json }, (input) =>
  userMemberships((members) => members.role(input))
).pipe(Command.withDescription("Change a member's role in an organisation."))

const leaveUser = Command.make("leave", { user: userUser, org: userOrganization, json }, (input) =>
  userMemberships((members) => members.leave(input))
).pipe(Command.withDescription("End a membership, and revoke the API keys that go with it."))

export const users = Command.make("users").pipe(
  Command.withDescription("Users and their memberships."),
  Command.withSubcommands([createUser, listUser, joinUser, roleUser, leaveUser])
)

const issueUser = Command.make(
  "issue",
  {
    user: option("user", "USER", "Id or e-mail of the user that the token speaks for."),
    org: optional("org", "ORG", "Id of the organisation it is for; by default the only one they belong to, or none."),
    ttl: optional("ttl", "DURATION", 'How long it is valid, such as "90 minutes"; 12 hours by default.'),
    json
  },
  (input) => byDatabase(() => import("../database/LocalUsers.ts"))((tokens) => tokens.issue(input))
).pipe(Command.withDescription("Issue a bearer token of the development issuer (sandbox mode only)."))

export const tokens = Command.make("tokens").pipe(
  Command.withDescription("Tokens of users, for trying out user-facing calls."),
  Command.withSubcommands([issueUser])
)

/** `corridor keys` */
const runKeyAction = onEither(() => import("../actions/KeyActions.ts"))

const keyOrg = option("org", "ORG", "Id of the organisation.")
const keyId = Args.text({ name: "ID" }).pipe(Args.withDescription('Id of the key, as "corridor keys list" shows it.'))

const createKey = Command.make(
  "create",
  {
    org: keyOrg,
    name: option("name", "NAME", "What the key is for, such as the server that will hold it."),
    role: choice("role", roles, "Role of the key; org-admin by default.").pipe(
      Options.withDefault("org-admin" as const)
    ),
    user: optional("user", "USER", "Id or e-mail of the member it acts for; the oldest org-admin by default."),
    json
  },
  (input) => runKeyAction((keys) => keys.create(input))
).pipe(Command.withDescription("Create an API key; the whole key is shown this once."))

const listKey = Command.make("list", { org: keyOrg, json }, (input) => runKeyAction((keys) => keys.list(input))).pipe(
  Command.withDescription("List an organisation's API keys, newest first.")
)

const rotateKey = Command.make(
  "rotate",
  {
    id: keyId,
    grace: option(
      "grace-seconds",
      "N",
      "For how long the old key stays valid; 0, the default, revokes it at once."
    ).pipe(Options.withDefault("0")),
    json
  },
  (input) => runKeyAction((keys) => keys.rotate(input))
).pipe(Command.withDescription("Replace an API key by a new one of the same name, role and user."))

const revokeKey = Command.make("revoke", { id: keyId, json }, (input) =>
  runKeyAction((keys) => keys.revoke(input))
).pipe(Command.withDescription("Revoke an API key at once, on every instance."))

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys."),
  Command.withSubcommands([createKey, listKey, rotateKey, revokeKey])
)
