/** `corridor users`, `keys` and `tokens`. */
import { Effect, Option } from "effect"
import { roles } from "../../domain/Roles.ts"
import { type Answer, call, callAll, orNotFound } from "../shared/ApiClient.ts"
import {
  argument,
  choice,
  commandOn,
  databaseCommand,
  flag,
  maybe,
  option,
  optional,
  withDefault
} from "../shared/Command.ts"
import { decodeInput, decodeOption, refuse } from "../shared/CommandInput.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { minute, printable, properties, tableOf } from "../shared/Table.ts"

const command = commandOn("records")
const userActions = () => import("../database/LocalUsers.ts")

/** Loaded when a key is made: a help text does not wait for the contract. */
const keysApi = Effect.promise(() => import("../../contract/api/ApiKeysApi.ts"))

type User = Pick<Answer<"users", "list">["data"][number], "user_id" | "email" | "country" | "role" | "created_at"> & {
  /** Only the operator of the database sees it. */
  readonly is_admin?: boolean
}

export const userTable = tableOf<User>(
  {
    ID: "user_id",
    "E-MAIL": "email",
    COUNTRY: "country",
    ROLE: (user) => (user.is_admin === true ? "platform admin" : user.role),
    CREATED: (user) => minute(user.created_at)
  },
  'No users here yet: "corridor users create" makes one.',
  ["ROLE", "CREATED", "COUNTRY"]
)

type Key = Answer<"apiKeys", "list">["data"][number]

export const keyTable = tableOf<
  Pick<Key, "api_key_id" | "prefix" | "name" | "role" | "status" | "expires_at" | "created_at">
>(
  {
    ID: "api_key_id",
    PREFIX: "prefix",
    NAME: "name",
    ROLE: "role",
    STATUS: (key) => (key.expires_at === null ? key.status : `${key.status} at ${minute(key.expires_at)}`),
    CREATED: (key) => minute(key.created_at)
  },
  'No API keys here yet: "corridor keys create" makes one.',
  ["PREFIX", "ROLE", "CREATED"]
)

/** By id, or by e-mail address. */
const userNamed = Effect.fnUntraced(function* (user: string, org_id?: string) {
  const wanted = user.toLowerCase()
  const all = yield* callAll("users", "list", { urlParams: { org_id } })
  return Option.fromNullable(all.find(({ email, user_id }) => wanted === email.toLowerCase() || wanted === user_id))
})

const noSuchUser = (user: string) =>
  refuse(`--user: there is no user with the id or e-mail address ${user} ("corridor users list" shows them).`)

/** The API itself refuses an unknown id. */
const userIdOf = Effect.fnUntraced(function* (user: string) {
  if (!user.includes("@")) return user
  const found = yield* userNamed(user)
  return Option.isSome(found) ? found.value.user_id : yield* noSuchUser(user)
})

const noMember = (email: string) => `--user: ${email} is not a member of this organisation.`

const memberNamed = Effect.fnUntraced(function* ({ org, user }: { readonly user: string; readonly org: string }) {
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

const noSuchKey = (given: string) =>
  orNotFound(`There is no API key with the id ${given} ("corridor keys list --org ORG" shows them).`)

const org = option("org", "ORG", "Id of the organisation.")

const user = option("user", "USER", "Id or e-mail of the user.")
const role = choice("role", roles, "Their role there.")

const keyId = argument("ID", 'Id of the key, as "corridor keys list" shows it.')

export const newUser = {
  email: option("email", "ADDRESS", "E-mail address, unique among all users."),
  org: optional("org", "ORG", "Id of an organisation to make them a member of."),
  role: maybe(role),
  country: optional("country", "CC", "The country they live in, as an ISO 3166-1 code such as KE."),
  subject: optional("subject", "SUB", "The `sub` of their tokens at your identity provider; their own id by default."),
  admin: flag("admin", "Make them a platform admin, who may do everything in every organisation.")
}

export const peopleCommands = [
  databaseCommand("users create", "Create a user, as a member of an organisation or as a platform admin.", {
    examples: ["corridor users create --email ada@kilimo.example --org ORG --role org-admin"],
    takes: newUser,
    run: (input) => userActions().then(({ create }) => create(input))
  }),
  command("users list", "List users, newest first.", {
    examples: ["corridor users list --org ORG"],
    takes: { org: optional("org", "ORG", "Only the members of this organisation, with their roles in it.") },
    *run({ org }) {
      const data = yield* callAll("users", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
      return { data, ...userTable(data) }
    }
  }),
  databaseCommand("users join", "Make an existing user a member of an organisation, without an invitation.", {
    examples: ["corridor users join --user ada@kilimo.example --org ORG --role staff"],
    takes: { user, org, role },
    run: (input) => userActions().then(({ join }) => join(input))
  }),
  command("users role", "Change a member's role in an organisation.", {
    examples: ["corridor users role --user ada@kilimo.example --org ORG --role org-admin"],
    takes: { user, org, role },
    *run({ role, ...input }) {
      const { email, organization, path } = yield* memberNamed(input)
      const { data } = yield* orNotFound(noMember(email))(call("members", "change", { path, payload: { role } }))
      return { data, text: `${email} is now ${role} of ${organization}.` }
    }
  }),
  command("users leave", "End a membership, and revoke the API keys that go with it.", {
    examples: ["corridor users leave --user ada@kilimo.example --org ORG"],
    takes: { user, org },
    *run(input) {
      const { email, organization, path } = yield* memberNamed(input)
      yield* orNotFound(noMember(email))(call("members", "remove", { path }))
      return {
        data: { user_id: path.user_id, org_id: path.org_id, removed: true },
        text: `${email} is no member of ${organization} any more; their API keys there are revoked.`
      }
    }
  }),
  command("keys create", "Create an API key; the whole key is shown this once.", {
    examples: ['corridor keys create --org ORG --name "Checkout server" --role staff'],
    takes: {
      org,
      name: option("name", "NAME", "Purpose of the key, such as the server that will hold it."),
      role: withDefault("org-admin", choice("role", roles, "Role of the key; org-admin by default.")),
      user: optional("user", "USER", "Id or e-mail of the member it acts for; the oldest org-admin by default.")
    },
    check: ({ name, user }) =>
      Effect.gen(function* () {
        // Over HTTP the caller gets the key; next to the database a member of the organisation.
        if (Option.isSome(user) && !(yield* isLocal)) {
          return yield* refuse("--user: by API a key is made for oneself; leave it out, or do it beside the database.")
        }
        return yield* decodeOption("--name", (yield* keysApi).CreateApiKey.fields.name, name)
      }),
    *run({ org, role, user }, name) {
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
    }
  }),
  command("keys list", "List an organisation's API keys, newest first.", {
    examples: ["corridor keys list --org ORG"],
    takes: { org },
    *run({ org }) {
      const data = yield* callAll("apiKeys", "list", { urlParams: { org_id: org } })
      return { data, ...keyTable(data) }
    }
  }),
  command("keys rotate", "Replace an API key by a new one of the same name, role and user.", {
    examples: ["corridor keys rotate KEY_ID --grace-seconds 3600"],
    takes: {
      id: keyId,
      grace: withDefault(
        "0",
        option("grace-seconds", "N", "For how long the old key stays valid; 0, the default, revokes it at once.")
      )
    },
    check: ({ grace }) =>
      Effect.flatMap(keysApi, ({ RotateApiKey }) =>
        Effect.mapError(
          decodeInput(RotateApiKey, { grace_seconds: /^\d{1,9}$/.test(grace) ? Number(grace) : grace }),
          () => refuse("--grace-seconds is not a whole number from 0 to 2592000 (30 days).")
        )
      ),
    *run({ id }, payload) {
      const { data } = yield* noSuchKey(id)(call("apiKeys", "rotate", { path: { api_key_id: id }, payload }))
      const { grace_seconds } = payload
      const old = grace_seconds === 0 ? "is revoked" : `expires in ${grace_seconds} seconds`
      const facts = properties([
        ["Id", data.api_key_id],
        ["API key", data.api_key]
      ])
      return { data, text: `API key rotated; the old one ${old}. The new one is shown this once.\n${facts}` }
    }
  }),
  command("keys revoke", "Revoke an API key at once, on every instance.", {
    examples: ["corridor keys revoke KEY_ID"],
    takes: { id: keyId },
    *run({ id }) {
      yield* noSuchKey(id)(call("apiKeys", "revoke", { path: { api_key_id: id } }))
      return { data: { api_key_id: id, status: "revoked" }, text: "API key revoked." }
    }
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
