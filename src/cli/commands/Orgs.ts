/** `corridor orgs` */
import { Args, Command, Options } from "@effect/cli"
import { features, kybStatuses } from "../../domain/Organization.ts"
import { choice, option, optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { onEither } from "../shared/CommandTarget.ts"

const work = onEither(() => import("../actions/OrgActions.ts"))

const create = Command.make(
  "create",
  {
    name: option("name", "NAME", "What the organisation is called."),
    country: option("country", "CC", "Its home country, as an ISO 3166-1 code such as KE."),
    currency: option("currency", "CUR", "Its home currency, as an ISO 4217 code such as KES."),
    email: option("email", "ADDRESS", "Where messages to the organisation go."),
    features: choice("feature", features, "A feature to switch on.").pipe(Options.repeated),
    json
  },
  (input) => work((orgs) => orgs.create(input))
).pipe(Command.withDescription("Create an organisation (in sandbox mode a sandbox organisation)."))

const list = Command.make("list", { json }, (input) => work((orgs) => orgs.list(input))).pipe(
  Command.withDescription("List all organisations, newest first.")
)

const set = Command.make(
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
  (input) => work((orgs) => orgs.set(input))
).pipe(Command.withDescription("Change an organisation; only what is given changes, at once and on every instance."))

export const orgs = Command.make("orgs").pipe(
  Command.withDescription("Organisations."),
  Command.withSubcommands([create, list, set])
)
