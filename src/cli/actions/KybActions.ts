/** `corridor kyb` */
import { Effect, Option } from "effect"
import { type Answer, type ApiClient, call, callAll, orNotFound, type Refused } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import { givenFields, type IdInput, type JsonInput } from "../shared/CommandInput.ts"
import { minute, printable, properties, tableLayout } from "../shared/Table.ts"

type Application = Answer<"kyb", "get">["data"]

const onRecords = onTarget("records")

const approvalsOf = ({ approvals_needed, approved_by }: Pick<Application, "approvals_needed" | "approved_by">) =>
  `${approved_by.length} of ${approvals_needed}`

interface ListInput extends JsonInput {
  readonly status: Option.Option<Application["kyb_status"]>
}

const listAll = Effect.fnUntraced(function* ({ status }: ListInput) {
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

export const list = onRecords(listAll)

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

export const show = onRecords(
  Effect.fnUntraced(function* ({ id }: IdInput) {
    const { data } = yield* noSuchApplication(id)(call("kyb", "get", { path: { kyb_customer_id: id } }))
    return resultOf("", data)
  })
)

const decided = (id: string, decision: Effect.Effect<Answer<"kyb", "approve" | "reject">, Refused, ApiClient>) =>
  Effect.map(noSuchApplication(id)(decision), ({ data, message }) => resultOf(`${message}.`, data))

export const approve = onRecords(({ id, reason }: IdInput & { readonly reason: Option.Option<string> }) =>
  decided(id, call("kyb", "approve", { path: { kyb_customer_id: id }, payload: givenFields({ reason }) }))
)

export const reject = onRecords(({ id, reason }: IdInput & { readonly reason: string }) =>
  decided(id, call("kyb", "reject", { path: { kyb_customer_id: id }, payload: { reason } }))
)
