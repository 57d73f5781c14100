/** `corridor providers` */
import { Args, Command, Options } from "@effect/cli"
import { flows, paymentMethods, providerNames } from "../../domain/Corridor.ts"
import { choice, chosen, option, optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { byDatabase, onEither } from "../shared/CommandTarget.ts"

const work = onEither(() => import("../actions/ProviderActions.ts"))

const list = Command.make("list", { json }, (input) => work((providers) => providers.list(input))).pipe(
  Command.withDescription(
    "List which provider serves which corridor, through whose account, and how each has answered in the last hour."
  )
)

const add = Command.make(
  "add",
  {
    provider: chosen("PROVIDER", providerNames, "Who serves it."),
    country: option("country", "CC", "Of the corridor, as an ISO 3166-1 code such as KE."),
    method: choice("method", paymentMethods, "Payment method."),
    direction: choice("direction", flows, "Payins, payouts or ramps."),
    priority: optional("priority", "N", "The lower number is asked first; 100 by default."),
    min: optional("min", "AMOUNT", "The smallest payment that it gets."),
    max: optional("max", "AMOUNT", "The largest payment that it gets."),
    org: optional("org", "ORG", "The organisation it is for; everybody by default."),
    description: optional("description", "TEXT", "For whoever reads the list."),
    off: Options.boolean("off").pipe(Options.withDescription("Add it switched off.")),
    json
  },
  (input) => work((providers) => providers.add(input))
).pipe(Command.withDescription("Add a provider to a corridor; payments are routed by it from then on."))

const which = Args.text({ name: "PROVIDER" }).pipe(
  Args.withDescription("A provider's name, for all its configurations, or the id of one.")
)

const enable = Command.make("enable", { which, json }, (input) => work((providers) => providers.enable(input))).pipe(
  Command.withDescription("Let a provider be asked again.")
)

const disable = Command.make("disable", { which, json }, (input) => work((providers) => providers.disable(input))).pipe(
  Command.withDescription("Stop asking a provider for new payments; those under way go on.")
)

const set = Command.make(
  "set",
  {
    which: Args.text({ name: "CONFIG_ID" }).pipe(
      Args.withDescription("The configuration whose own account they open.")
    ),
    field: Options.text("field").pipe(
      Options.withPseudoName("NAME=VALUE"),
      Options.withDescription(
        "A field of the provider, such as secret_key. NAME=@VARIABLE reads it from the environment, which other users of this machine cannot see."
      ),
      Options.repeated
    ),
    stdin: Options.boolean("stdin").pipe(
      Options.withDescription("Read all fields from standard input, as one JSON object.")
    ),
    forgetReplaced: Options.boolean("forget-replaced").pipe(
      Options.withDescription(
        "Refuse at once what is signed with secrets that were replaced, which is otherwise believed for 24 hours."
      )
    ),
    json
  },
  (input) => byDatabase(() => import("../database/ProviderCredentials.ts"))((credentials) => credentials.set(input))
).pipe(Command.withDescription("Give a configuration credentials of its own, and test them at once."))

export const credentials = Command.make("credentials").pipe(
  Command.withDescription("The credentials that open a configuration's own account at its provider."),
  Command.withSubcommands([set])
)

const test = Command.make(
  "test",
  {
    which: Args.text({ name: "PROVIDER" }).pipe(
      Args.withDescription("A provider's name, or the id of a configuration with credentials; all by default."),
      Args.optional
    ),
    json
  },
  (input) => byDatabase(() => import("../database/ProviderCredentials.ts"))((credentials) => credentials.test(input))
).pipe(
  Command.withDescription(
    "Ask providers, by a harmless call, whether they take our credentials; those of a configuration that pass are in use from then on."
  )
)

export const providers = Command.make("providers").pipe(
  Command.withDescription("Which provider serves which corridor, and through whose account."),
  Command.withSubcommands([list, add, enable, disable, credentials, test])
)
