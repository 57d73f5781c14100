/** `corridor orgs`, and `corridor kyb` about their applications */
import { Effect, Option, Schema } from "effect"
import { CreateOrganization, settable } from "../../contract/api/OrganizationsApi.ts"
import { type Answer, type ApiClient, call, callAll, orNotFound, Refused } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import {
  decimalOption,
  decodeInput,
  givenFields,
  type IdInput,
  type JsonInput,
  refuse,
  wireNumber
} from "../shared/CommandInput.ts"
import { minute, printable, properties, tableLayout, type TextLayout } from "../shared/Table.ts"

type Organization = Answer<"organizations", "get">["data"]

const onRecords = onTarget("records")

type Listed = Pick<Organization, "org_id" | "name" | "country" | "currency" | "features" | "kyb_status" | "created_at">

export const orgTable = (orgs: ReadonlyArray<Listed>): TextLayout =>
  tableLayout(
    ["ID", "NAME", "COUNTRY", "CURRENCY", "FEATURES", "KYB", "CREATED"],
    orgs.map((org) => [
      org.org_id,
      org.name,
      org.country,
      org.currency,
      org.features.join(", ") || null,
      org.kyb_status,
      minute(org.created_at)
    ]),
    'No organisations yet: "corridor orgs create" makes one.',
    ["COUNTRY", "CURRENCY", "CREATED", "FEATURES"]
  )

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

interface NewOrganization extends JsonInput {
  readonly payload: typeof CreateOrganization.Type
}

const createOne = onRecords(
  Effect.fnUntraced(function* ({ payload }: NewOrganization) {
    const { data } = yield* call("organizations", "create", { payload })
    const next = `Next: corridor users create --email ADDRESS --subject SUBJECT --org ${data.org_id} --role org-admin`
    return { data, text: `Organisation created.\n${describe(data)}\n${next}` }
  })
)

export const create = ({
  json,
  ...input
}: { readonly [Field in keyof typeof CreateOrganization.Encoded]-?: unknown } & JsonInput) =>
  Effect.flatMap(decodeInput(CreateOrganization, input, { features: "--feature" }), (payload) =>
    createOne({ json, payload })
  )

export const list = onRecords((_: JsonInput) =>
  Effect.map(callAll("organizations", "list", { urlParams: {} }), (data) => ({ data, ...orgTable(data) }))
)

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
  const input = givenFields({
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

interface ChangeInput extends JsonInput {
  readonly id: string
  readonly change: typeof Change.Type
}

const changeOne = onRecords(
  Effect.fnUntraced(function* ({ change: { review_threshold, ...change }, id }: ChangeInput) {
    const threshold = review_threshold === undefined ? {} : { review_threshold: wireNumber(review_threshold) }
    const { data } = yield* call("organizations", "change", {
      path: { org_id: id },
      payload: { ...change, ...threshold }
    }).pipe(
      Effect.mapError(
        ({ message, status }) =>
          new Refused({ message: message.replace("review_threshold:", "--review-threshold"), status })
      )
    )
    return { data, text: `Organisation changed.\n${describe(data)}` }
  })
)

export const set = ({ id, json, ...typed }: TypedChange & IdInput) =>
  Effect.flatMap(changeFrom(typed), (change) => changeOne({ id, json, change }))

type Application = Answer<"kyb", "get">["data"]

const approvalsOf = ({ approvals_needed, approved_by }: Pick<Application, "approvals_needed" | "approved_by">) =>
  `${approved_by.length} of ${approvals_needed}`

interface KybFilter extends JsonInput {
  readonly status: Option.Option<Application["kyb_status"]>
}

const listApplications = Effect.fnUntraced(function* ({ status }: KybFilter) {
  const data = yield* callAll("kyb", "list", { urlParams: { status: Option.getOrUndefined(status) } })
  const rows = data.map((one) => [
    one.kyb_customer_id,
    one.name,
    one.country,
    one.kyb_status,
    approvalsOf(one),
    minute(one.created_at)
  ])
  return {
    data,
    ...tableLayout(["ID", "ORGANISATION", "COUNTRY", "STATUS", "APPROVALS", "APPLIED"], rows, "No KYB applications.", [
      "APPLIED",
      "COUNTRY"
    ])
  }
})

export const kybList = onRecords(listApplications)

const resultOf = (said: string, application: Application) => {
  const facts = properties([
    ["Application", application.kyb_customer_id],
    ["Organisation", `${application.name} (${application.org_id})`],
    ["Country", application.country],
    ["E-mail", application.email],
    ["Status", application.kyb_status],
    ["Approvals", approvalsOf(application)],
    ["Approved by", application.approved_by.join(", ") || null],
    ["Decided by", application.decided_by],
    ["Reason", application.reason],
    ["Applied", minute(application.created_at)]
  ])
  const documents = application.documents.map(({ name, type, url }) => `  ${printable(`${type}: ${name}, ${url}`)}`)
  return {
    data: application,
    text: [said, facts, documents.length === 0 ? "No documents." : "Documents:", ...documents]
      .filter((line) => line !== "")
      .join("\n")
  }
}

const noSuchApplication = (given: string) =>
  orNotFound(`There is no KYB application with the id ${given} ("corridor kyb list" shows them).`)

export const kybShow = onRecords(
  Effect.fnUntraced(function* ({ id }: IdInput) {
    const { data } = yield* noSuchApplication(id)(call("kyb", "get", { path: { kyb_customer_id: id } }))
    return resultOf("", data)
  })
)

const decided = (id: string, decision: Effect.Effect<Answer<"kyb", "approve" | "reject">, Refused, ApiClient>) =>
  Effect.map(noSuchApplication(id)(decision), ({ data, message }) => resultOf(`${message}.`, data))

export const kybApprove = onRecords(({ id, reason }: IdInput & { readonly reason: Option.Option<string> }) =>
  decided(id, call("kyb", "approve", { path: { kyb_customer_id: id }, payload: givenFields({ reason }) }))
)

export const kybReject = onRecords(({ id, reason }: IdInput & { readonly reason: string }) =>
  decided(id, call("kyb", "reject", { path: { kyb_customer_id: id }, payload: { reason } }))
)
