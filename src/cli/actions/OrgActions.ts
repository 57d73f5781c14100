/** `corridor orgs` */
import { type BigDecimal, Effect, Option, Schema } from "effect"
import { CreateOrganization, settable } from "../../contract/api/OrganizationsApi.ts"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import { OrgId, idOrNil } from "../../domain/Ids.ts"
import { OrganizationStore } from "../../people/organizations/OrganizationStore.ts"
import { type Answer, ApiClient, Refused } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import { decimalOption, decodeInput, refuse } from "../shared/CommandInput.ts"
import { minute, properties, tableLayout, type TextLayout } from "../shared/Table.ts"

type Organization = Answer<"organizations", "get">["data"]

const run = onTarget("records")

type Listed = Pick<Organization, "org_id" | "name" | "country" | "currency" | "features" | "created_at">

export const orgTable = (orgs: ReadonlyArray<Listed>): TextLayout =>
  tableLayout(
    ["ID", "NAME", "COUNTRY", "CURRENCY", "FEATURES", "CREATED"],
    orgs.map((org) => [
      org.org_id,
      org.name,
      org.country,
      org.currency,
      org.features.join(", ") || null,
      minute(org.created_at)
    ]),
    'No organisations yet: "corridor orgs create" makes one.',
    ["COUNTRY", "CURRENCY", "CREATED", "FEATURES"]
  )

/** Adds whether organisations are sandbox ones, which only the operator of the database sees. */
const withSandbox = Effect.fnUntraced(function* (orgs: ReadonlyArray<Organization>) {
  const store = yield* Effect.serviceOption(OrganizationStore)
  if (Option.isNone(store)) return orgs
  const { find, list: stored } = store.value
  const [first] = orgs
  const found =
    first !== undefined && orgs.length === 1
      ? Option.toArray(yield* Effect.orDie(find(Option.none(), idOrNil(OrgId)(first.org_id))))
      : // Newest first, as in the list; with room for those created since.
        yield* Effect.orDie(stored(Option.none(), { after: Option.none(), take: orgs.length + 100 }))
  const sandboxes = new Set<string>(found.flatMap(({ org_id, sandbox }) => (sandbox ? [org_id] : [])))
  return orgs.map((org) => ({ ...org, sandbox: sandboxes.has(org.org_id) }))
})

const describe = (org: Organization): string =>
  properties([
    ["Id", org.org_id],
    ["Name", org.name],
    ["Country", org.country],
    ["Currency", org.currency],
    ["E-mail", org.email],
    ["Features", org.features.join(", ") || null],
    ["KYB", org.kyb_status],
    ["Review from", org.review_threshold === null ? null : org.review_threshold.text],
    ["Spread (bps)", org.spread_bps === undefined ? null : String(org.spread_bps)]
  ])

export const create = ({
  json,
  ...input
}: { readonly [Field in keyof typeof CreateOrganization.Encoded]-?: unknown } & { readonly json: boolean }) =>
  Effect.flatMap(decodeInput(CreateOrganization, input, { features: "--feature" }), (payload) =>
    run(
      json,
      Effect.gen(function* () {
        const { call } = yield* ApiClient
        const { data } = yield* call("organizations", "create", { payload })
        const next = `Next: corridor users create --email ADDRESS --org ${data.org_id} --role org-admin`
        return { data: (yield* withSandbox([data]))[0], text: `Organisation created.\n${describe(data)}\n${next}` }
      })
    )
  )

const listAll = Effect.gen(function* () {
  const { all } = yield* ApiClient
  const data = yield* all("organizations", "list", { urlParams: {} })
  return { data: yield* withSandbox(data), ...orgTable(data) }
})

export const list = (input: { readonly json: boolean }) => run(input.json, listAll)

/** The options of `corridor orgs set`. */
interface TypedChange {
  readonly name: Option.Option<string>
  readonly email: Option.Option<string>
  readonly country: Option.Option<string>
  readonly feature: ReadonlyArray<string>
  readonly noFeatures: boolean
  readonly reviewThreshold: Option.Option<string>
  readonly spreadBps: Option.Option<string>
  readonly kybStatus: Option.Option<string>
}

const wholeNumber = (text: string): unknown => (/^\d{1,9}$/.test(text) ? Number(text) : text)

const withoutNone = (fields: Readonly<Record<string, Option.Option<unknown>>>) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (Option.isNone(value) ? [] : [[name, value.value] as const]))
  )

const optionNames = {
  features: "--feature",
  review_threshold: "--review-threshold",
  spread_bps: "--spread-bps",
  kyb_status: "--kyb-status"
}

const Change = Schema.Struct({ ...settable, review_threshold: decimalOption("50000.00") }).pipe(
  Schema.partialWith({ exact: true })
)

export const changeFrom = Effect.fnUntraced(function* (typed: TypedChange) {
  if (typed.noFeatures && typed.feature.length > 0) {
    return yield* refuse("--no-features and --feature contradict each other: leave one out.")
  }
  const input = withoutNone({
    name: typed.name,
    email: typed.email,
    country: typed.country,
    features: typed.noFeatures || typed.feature.length > 0 ? Option.some(typed.feature) : Option.none(),
    review_threshold: typed.reviewThreshold,
    spread_bps: Option.map(typed.spreadBps, wholeNumber),
    kyb_status: typed.kybStatus
  })
  if (Object.keys(input).length === 0) return yield* refuse("Nothing to change: --help lists what can be set.")
  return yield* decodeInput(Change, input, optionNames)
})

const thresholdField = (amount: BigDecimal.BigDecimal | undefined) =>
  amount === undefined ? {} : { review_threshold: new WireNumber(toWireText(amount)) }

const changeOne = Effect.fnUntraced(function* (org_id: string, { review_threshold, ...change }: typeof Change.Type) {
  const { call } = yield* ApiClient
  const payload = { ...change, ...thresholdField(review_threshold) }
  const { data } = yield* call("organizations", "change", { path: { org_id }, payload }).pipe(
    Effect.mapError(
      ({ message, status }) =>
        new Refused({ message: message.replace("review_threshold:", "--review-threshold"), status })
    )
  )
  return { data: (yield* withSandbox([data]))[0], text: `Organisation changed.\n${describe(data)}` }
})

export const set = ({ id, json, ...typed }: TypedChange & { readonly id: string; readonly json: boolean }) =>
  Effect.flatMap(changeFrom(typed), (change) => run(json, changeOne(id, change)))
