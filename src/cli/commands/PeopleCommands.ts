/** `corridor orgs`, `kyb`, `users`, `tokens` and `keys`. */
import { features, kybStatuses } from "../../domain/Organization.ts"
import { roles } from "../../domain/Roles.ts"
import {
  argument,
  choice,
  databaseCommand,
  eitherCommand,
  flag,
  maybe,
  option,
  optional,
  repeated,
  withDefault
} from "../shared/Command.ts"

const orgActions = () => import("../actions/OrgActions.ts")
const userActions = () => import("../database/LocalUsers.ts")
const keyActions = () => import("../actions/KeyActions.ts")

const org = option("org", "ORG", "Id of the organisation.")

const user = option("user", "USER", "Id or e-mail of the user.")
const role = choice("role", roles, "Their role there.")

const keyId = argument("ID", 'Id of the key, as "corridor keys list" shows it.')

const kybId = argument("ID", 'Id of the application, as "corridor kyb list" shows it.')

export const newUser = {
  email: option("email", "ADDRESS", "E-mail address, unique among all users."),
  org: optional("org", "ORG", "Id of an organisation to make them a member of."),
  role: maybe(role),
  country: optional("country", "CC", "The country they live in, as an ISO 3166-1 code such as KE."),
  subject: optional("subject", "SUB", "The `sub` of their tokens at your identity provider; their own id by default."),
  admin: flag("admin", "Make them a platform admin, who may do everything in every organisation.")
}

export const newKey = {
  org,
  name: option("name", "NAME", "Purpose of the key, such as the server that will hold it."),
  role: withDefault("org-admin", choice("role", roles, "Role of the key; org-admin by default.")),
  user: optional("user", "USER", "Id or e-mail of the member it acts for; the oldest org-admin by default.")
}

export const peopleCommands = [
  eitherCommand("orgs create", "Create an organisation (in sandbox mode a sandbox organisation).", {
    examples: ['corridor orgs create --name "Kilimo Ltd" --country KE --currency KES --email ops@kilimo.example'],
    takes: {
      name: option("name", "NAME", "Name of the organisation."),
      country: option("country", "CC", "Its home country, as an ISO 3166-1 code such as KE."),
      currency: option("currency", "CUR", "Its home currency, as an ISO 4217 code such as KES."),
      email: option("email", "ADDRESS", "Where messages to the organisation go."),
      features: repeated(choice("feature", features, "A feature to switch on."))
    },
    run: (input) => orgActions().then(({ create }) => create(input))
  }),
  eitherCommand("orgs list", "List all organisations, newest first.", {
    examples: ["corridor orgs list"],
    takes: {},
    run: (input) => orgActions().then(({ list }) => list(input))
  }),
  eitherCommand("orgs set", "Change an organisation; only what is given changes, at once and on every instance.", {
    examples: ["corridor orgs set ORG --feature escrow --review-threshold 50000"],
    takes: {
      id: argument("ORG", "Id of the organisation."),
      name: optional("name", "NAME", "Name of the organisation."),
      email: optional("email", "ADDRESS", "Where messages to the organisation go."),
      country: optional("country", "CC", "Its home country, as an ISO 3166-1 code such as KE."),
      feature: repeated(choice("feature", features, "All features to be on, one by one.")),
      noFeatures: flag("no-features", "Switch all features off."),
      reviewThreshold: optional(
        "review-threshold",
        "AMOUNT",
        "Payments of this much and more, in its currency, wait for a review; 0 switches it off."
      ),
      spreadBps: optional("spread-bps", "N", "Basis points that its rates lie below the base rate: 0 to 9999."),
      kybStatus: maybe(choice("kyb-status", kybStatuses, "Whether its business was verified."))
    },
    run: (input) => orgActions().then(({ set }) => set(input))
  }),
  eitherCommand("kyb list", "List the latest KYB application of each organisation, newest first.", {
    examples: ["corridor kyb list --status pending"],
    takes: { status: maybe(choice("status", kybStatuses, "Only those with this status.")) },
    run: (input) => orgActions().then(({ kybList }) => kybList(input))
  }),
  eitherCommand("kyb show", "Show a KYB application with its documents.", {
    examples: ["corridor kyb show KYB_ID"],
    takes: { id: kybId },
    run: (input) => orgActions().then(({ kybShow }) => kybShow(input))
  }),
  eitherCommand("kyb approve", "Approve a KYB application; with KYB_APPROVALS=2 another person has to as well.", {
    examples: ["corridor kyb approve KYB_ID"],
    takes: { id: kybId, reason: optional("reason", "TEXT", "Sent to the organisation, and in the audit log.") },
    run: (input) => orgActions().then(({ kybApprove }) => kybApprove(input))
  }),
  eitherCommand("kyb reject", "Reject a KYB application; the organisation may apply again.", {
    examples: ['corridor kyb reject KYB_ID --reason "The register does not know this business"'],
    takes: { id: kybId, reason: option("reason", "TEXT", "Sent to the organisation, and in the audit log.") },
    run: (input) => orgActions().then(({ kybReject }) => kybReject(input))
  }),
  databaseCommand("users create", "Create a user, as a member of an organisation or as a platform admin.", {
    examples: ["corridor users create --email ada@kilimo.example --org ORG --role org-admin"],
    takes: newUser,
    run: (input) => userActions().then(({ create }) => create(input))
  }),
  eitherCommand("users list", "List users, newest first.", {
    examples: ["corridor users list --org ORG"],
    takes: { org: optional("org", "ORG", "Only the members of this organisation, with their roles in it.") },
    run: (input) => keyActions().then(({ listUsers }) => listUsers(input))
  }),
  databaseCommand("users join", "Make an existing user a member of an organisation, without an invitation.", {
    examples: ["corridor users join --user ada@kilimo.example --org ORG --role staff"],
    takes: { user, org, role },
    run: (input) => userActions().then(({ join }) => join(input))
  }),
  eitherCommand("users role", "Change a member's role in an organisation.", {
    examples: ["corridor users role --user ada@kilimo.example --org ORG --role org-admin"],
    takes: { user, org, role },
    run: (input) => keyActions().then(({ changeRole }) => changeRole(input))
  }),
  eitherCommand("users leave", "End a membership, and revoke the API keys that go with it.", {
    examples: ["corridor users leave --user ada@kilimo.example --org ORG"],
    takes: { user, org },
    run: (input) => keyActions().then(({ leave }) => leave(input))
  }),
  eitherCommand("keys create", "Create an API key; the whole key is shown this once.", {
    examples: ['corridor keys create --org ORG --name "Checkout server" --role staff'],
    takes: newKey,
    run: (input) => keyActions().then(({ create }) => create(input))
  }),
  eitherCommand("keys list", "List an organisation's API keys, newest first.", {
    examples: ["corridor keys list --org ORG"],
    takes: { org },
    run: (input) => keyActions().then(({ list }) => list(input))
  }),
  eitherCommand("keys rotate", "Replace an API key by a new one of the same name, role and user.", {
    examples: ["corridor keys rotate KEY_ID --grace-seconds 3600"],
    takes: {
      id: keyId,
      grace: withDefault(
        "0",
        option("grace-seconds", "N", "For how long the old key stays valid; 0, the default, revokes it at once.")
      )
    },
    run: (input) => keyActions().then(({ rotate }) => rotate(input))
  }),
  eitherCommand("keys revoke", "Revoke an API key at once, on every instance.", {
    examples: ["corridor keys revoke KEY_ID"],
    takes: { id: keyId },
    run: (input) => keyActions().then(({ revoke }) => revoke(input))
  }),
  databaseCommand("tokens issue", "Issue a bearer token of the development issuer (sandbox mode only).", {
    examples: ['corridor tokens issue --user ada@kilimo.example --ttl "90 minutes"'],
    takes: {
      user: option("user", "USER", "Id or e-mail of the user of the token."),
      org: optional("org", "ORG", "Id of the organisation it is for; by default the only one they belong to, or none."),
      ttl: optional("ttl", "DURATION", 'How long it is valid, such as "90 minutes"; 12 hours by default.')
    },
    run: (input) => userActions().then(({ issue }) => issue(input))
  })
]
