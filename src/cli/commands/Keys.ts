/** `corridor keys` */
import { Args, Command, Options } from "@effect/cli"
import { roles } from "../../domain/Roles.ts"
import { choice, optional, option } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { onEither } from "../shared/CommandTarget.ts"

const work = onEither(() => import("../actions/KeyActions.ts"))

const org = option("org", "ORG", "Id of the organisation.")
const id = Args.text({ name: "ID" }).pipe(Args.withDescription('Id of the key, as "corridor keys list" shows it.'))

const create = Command.make(
  "create",
  {
    org,
    name: option("name", "NAME", "What the key is for, such as the server that will hold it."),
    role: choice("role", roles, "What it may do; org-admin by default.").pipe(
      Options.withDefault("org-admin" as const)
    ),
    user: optional("user", "USER", "Id or e-mail of the member it acts for; the oldest org-admin by default."),
    json
  },
  (input) => work((keys) => keys.create(input))
).pipe(Command.withDescription("Create an API key; the whole key is shown this once."))

const list = Command.make("list", { org, json }, (input) => work((keys) => keys.list(input))).pipe(
  Command.withDescription("List an organisation's API keys, newest first.")
)

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
  (input) => work((keys) => keys.rotate(input))
).pipe(Command.withDescription("Replace an API key by a new one of the same name, role and user."))

const revoke = Command.make("revoke", { id, json }, (input) => work((keys) => keys.revoke(input))).pipe(
  Command.withDescription("Revoke an API key at once, on every instance.")
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys."),
  Command.withSubcommands([create, list, rotate, revoke])
)
