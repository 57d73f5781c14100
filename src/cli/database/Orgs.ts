/** `corridor orgs` beside the database. */
import { Effect, Option } from "effect"
import { OrgId, idOrNil } from "../../domain/Ids.ts"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import type { Organization } from "../../people/organizations/OrganizationStore.ts"
import { type OrganizationPatch, Organizations, OrganizationInput } from "../../people/organizations/Organizations.ts"
import { thresholdOf } from "../../people/organizations/OrganizationsHttp.ts"
import { allPages, permitFor } from "../shared/LocalDatabase.ts"
import { decodeInput, found, refuse } from "../shared/CommandInput.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { type TypedChange, wantedChange } from "../shared/OrgInput.ts"
import { aboutOrg, createdOrg, orgTable } from "../shown/Orgs.ts"

const thresholdText = (org: Organization): string | null => {
  const threshold = thresholdOf(org)
  return threshold === null ? null : toWireText(threshold)
}

const shown = (org: Organization) => {
  const threshold = thresholdText(org)
  return { ...org, review_threshold: threshold === null ? null : new WireNumber(threshold) }
}

const createOne = Effect.fn("Cli.createOrganization")(function* (wanted: typeof OrganizationInput.Type) {
  const organizations = yield* Organizations
  const data = yield* organizations.create(yield* permitFor("platform"), wanted)
  return { data: shown(data), text: createdOrg(data, thresholdText(data)) }
})

export const create = ({
  json,
  ...input
}: { readonly [Field in keyof typeof OrganizationInput.Encoded]: unknown } & { readonly json: boolean }) =>
  Effect.flatMap(decodeInput(OrganizationInput, input, { features: "--feature" }), (wanted) =>
    onRecords(json, createOne(wanted))
  )

const listAll = Effect.gen(function* () {
  const organizations = yield* Organizations
  const permit = yield* permitFor("platform")
  const data = yield* allPages(
    (window) => organizations.list(permit, window),
    (org) => org.org_id
  )
  return { data: data.map(shown), ...orgTable(data) }
})

export const list = (input: { readonly json: boolean }) => onRecords(input.json, listAll)

const setOne = Effect.fn("Cli.setOrganization")(function* (id: string, change: OrganizationPatch) {
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
  return { data: shown(data), text: `Organisation changed.\n${aboutOrg(data, thresholdText(data))}` }
})

export const set = ({ id, json, ...typed }: TypedChange & { readonly id: string; readonly json: boolean }) =>
  Effect.flatMap(wantedChange(typed), (change) => onRecords(json, setOne(id, change)))
