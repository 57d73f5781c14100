/** `corridor orgs` */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import type { Organization } from "../../organizations/Organization.ts"
import { features, Organizations, WantedOrganization } from "../../organizations/Organizations.ts"
import { allPages } from "../AllPages.ts"
import { decodeInput, option } from "../Input.ts"
import { permitFor } from "../Operator.ts"
import { onApp } from "../OnApp.ts"
import { json } from "../Report.ts"
import { minute, properties, table } from "../Table.ts"

const about = (org: Organization): string =>
  properties([
    ["Id", org.org_id],
    ["Name", org.name],
    ["Country", org.country],
    ["Currency", org.currency],
    ["E-mail", org.email],
    ["Features", org.features.join(", ") || null]
  ])

const createOne = Effect.fn("Cli.createOrganization")(function* (wanted: typeof WantedOrganization.Type) {
  const organizations = yield* Organizations
  const data = yield* organizations.create(yield* permitFor("platform"), wanted)
  const next = `Next: corridor users create --email ADDRESS --org ${data.org_id} --role org-admin`
  return { data, text: `Organisation created.\n${about(data)}\n${next}` }
})

const create = Command.make(
  "create",
  {
    name: option("name", "NAME", "What the organisation is called."),
    country: option("country", "CC", "Its home country, as an ISO 3166-1 code such as KE."),
    currency: option("currency", "CUR", "Its home currency, as an ISO 4217 code such as KES."),
    email: option("email", "ADDRESS", "Where messages to the organisation go."),
    features: option("feature", "FEATURE", `A feature to switch on: ${features.join(", ")}.`).pipe(Options.repeated),
    json
  },
  ({ json: asJson, ...input }) =>
    Effect.flatMap(decodeInput(WantedOrganization, input, { features: "--feature" }), (wanted) =>
      onApp(asJson, createOne(wanted))
    )
).pipe(Command.withDescription("Create an organisation (in sandbox mode a sandbox organisation)."))

const listAll = Effect.gen(function* () {
  const organizations = yield* Organizations
  const permit = yield* permitFor("platform")
  const data = yield* allPages(
    (window) => organizations.list(permit, window),
    (org) => org.org_id
  )
  const rows = data.map((org) => [
    org.org_id,
    org.name,
    org.country,
    org.currency,
    org.features.join(", ") || null,
    minute(org.created_at)
  ])
  const titles = ["ID", "NAME", "COUNTRY", "CURRENCY", "FEATURES", "CREATED"]
  return { data, text: table(titles, rows, 'No organisations yet: "corridor orgs create" makes one.') }
})

const list = Command.make("list", { json }, (input) => onApp(input.json, listAll)).pipe(
  Command.withDescription("List all organisations, newest first.")
)

export const orgs = Command.make("orgs").pipe(
  Command.withDescription("Organisations."),
  Command.withSubcommands([create, list])
)
