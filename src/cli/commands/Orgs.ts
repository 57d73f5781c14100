/** `corridor orgs` */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { OrgId } from "../../domain/Identifiers.ts"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import type { Organization } from "../../people/organizations/Organization.ts"
import { features } from "../../domain/Feature.ts"
import { idOrNil } from "../../domain/Ids.ts"
import type { Change } from "../../people/organizations/OrganizationChange.ts"
import { Organizations, WantedOrganization } from "../../people/organizations/Organizations.ts"
import { thresholdOf } from "../../people/organizations/OrganizationView.ts"
import { allPages } from "../shared/AllPages.ts"
import { decodeInput, found, option, optional, refuse } from "../shared/Input.ts"
import { permitFor } from "../shared/Operator.ts"
import { onApp } from "../shared/OnApp.ts"
import { type TypedChange, wantedChange } from "../shared/OrgInput.ts"
import { json } from "../shared/Report.ts"
import { minute, properties, table } from "../shared/Table.ts"

const thresholdText = (org: Organization): string | null => {
  const threshold = thresholdOf(org)
  return threshold === null ? null : toWireText(threshold)
}

const shown = (org: Organization) => {
  const threshold = thresholdText(org)
  return { ...org, review_threshold: threshold === null ? null : new WireNumber(threshold) }
}

const about = (org: Organization): string =>
  properties([
    ["Id", org.org_id],
    ["Name", org.name],
    ["Country", org.country],
    ["Currency", org.currency],
    ["E-mail", org.email],
    ["Features", org.features.join(", ") || null],
    ["KYB", org.kyb_status],
    ["Review from", thresholdText(org)],
    ["Spread (bps)", String(org.spread_bps)]
  ])

const createOne = Effect.fn("Cli.createOrganization")(function* (wanted: typeof WantedOrganization.Type) {
  const organizations = yield* Organizations
  const data = yield* organizations.create(yield* permitFor("platform"), wanted)
  const next = `Next: corridor users create --email ADDRESS --org ${data.org_id} --role org-admin`
  return { data: shown(data), text: `Organisation created.\n${about(data)}\n${next}` }
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
  return { data: data.map(shown), text: table(titles, rows, 'No organisations yet: "corridor orgs create" makes one.') }
})

const list = Command.make("list", { json }, (input) => onApp(input.json, listAll)).pipe(
  Command.withDescription("List all organisations, newest first.")
)

const setOne = Effect.fn("Cli.setOrganization")(function* (id: string, change: Change) {
  const organizations = yield* Organizations
  const { org_id } = yield* found(
    yield* organizations.find(idOrNil(OrgId)(id)),
    `There is no organisation with the id ${id} ("corridor orgs list" shows them).`
  )
  const data = yield* organizations
    .change(yield* permitFor("organization", Option.some(org_id)), change)
    .pipe(
      Effect.catchTag("Invalid", ({ message }) => refuse(message.replace("review_threshold:", "--review-threshold")))
    )
  return { data: shown(data), text: `Organisation changed.\n${about(data)}` }
})

const id = Args.text({ name: "ORG" }).pipe(Args.withDescription("Id of the organisation."))

const set = Command.make(
  "set",
  {
    id,
    name: optional("name", "NAME", "What the organisation is called."),
    email: optional("email", "ADDRESS", "Where messages to the organisation go."),
    country: optional("country", "CC", "Its home country, as an ISO 3166-1 code such as KE."),
    feature: option("feature", "FEATURE", `All features to be on, one by one: ${features.join(", ")}.`).pipe(
      Options.repeated
    ),
    noFeatures: Options.boolean("no-features").pipe(Options.withDescription("Switch all features off.")),
    reviewThreshold: optional(
      "review-threshold",
      "AMOUNT",
      "Payments of this much and more, in its currency, wait for a review; 0 switches it off."
    ),
    spreadBps: optional("spread-bps", "N", "Basis points that its rates lie below the base rate: 0 to 9999."),
    kybStatus: optional("kyb-status", "STATUS", "not_started, pending, approved or rejected."),
    json
  },
  ({ id: org, json: asJson, ...typed }) =>
    Effect.flatMap(wantedChange(typed satisfies TypedChange), (change) => onApp(asJson, setOne(org, change)))
).pipe(Command.withDescription("Change an organisation; only what is given changes, at once and on every instance."))

export const orgs = Command.make("orgs").pipe(
  Command.withDescription("Organisations."),
  Command.withSubcommands([create, list, set])
)
