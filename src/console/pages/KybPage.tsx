import { useState } from "preact/hooks"
import type { Answer, Item } from "../api/ConsoleApi.ts"
import { Badge, BadgeFilter } from "../components/Badge.tsx"
import { ActionButton } from "../components/Dialog.tsx"
import { Field, filled } from "../components/Form.tsx"
import { LoadedPage, PagedTable } from "../components/Loading.tsx"
import { Card, Page } from "../components/PageFrame.tsx"
import { CopyableId, DetailList, Time } from "../components/Values.tsx"
import { linkTo } from "../state/HashRouter.ts"
import { useList, useLoad } from "../state/LoadHooks.ts"
import { labelOf } from "../state/Display.ts"
import { isolatedName } from "../../domain/IsolatedName.ts"

type Listed = Item<"kyb", "list">
type Application = Answer<"kyb", "get">["data"]

const statuses = ["pending", "approved", "rejected", undefined] as const

const approvalsOf = ({ approvals_needed, approved_by }: Pick<Listed, "approvals_needed" | "approved_by">): string =>
  `${approved_by.length} of ${approvals_needed}`

export const KybPage = () => {
  const [status, setStatus] = useState<(typeof statuses)[number]>("pending")
  const list = useList("kyb", "list", { urlParams: { status } })
  return (
    <Page title="KYB" lead="Organisations that ask to be verified. People of the platform decide.">
      <BadgeFilter label="Status" options={statuses} chosen={status} choose={setStatus} />
      <PagedTable
        list={list}
        empty={["certificate", "No applications"]}
        caption="KYB applications"
        keyOf={({ kyb_customer_id }) => kyb_customer_id}
        hrefOf={({ kyb_customer_id }) => linkTo(`kyb/${kyb_customer_id}`)}
        columns={[
          { name: "Organisation", show: ({ name }) => <strong>{name}</strong> },
          { name: "Status", show: ({ kyb_status }) => <Badge status={kyb_status} /> },
          { name: "Country", wide: true, show: ({ country }) => country },
          { name: "Approvals", show: approvalsOf },
          { name: "Applied", align: "end", show: ({ created_at }) => <Time at={created_at} /> }
        ]}
      />
    </Page>
  )
}

const hint = "Sent to the organisation and saved in the audit log"

const Decide = ({ application }: { readonly application: Application }) => {
  const path = { kyb_customer_id: application.kyb_customer_id }
  const { approvals_needed, approved_by, name } = application
  return (
    <>
      <ActionButton
        name="Approve"
        title="Approve the application"
        kind="primary"
        explanation={
          approvals_needed - approved_by.length > 1
            ? `A second person has to approve ${isolatedName(name)} after you.`
            : `${isolatedName(name)} is verified from now on, and gets an event.`
        }
        done="Approval saved"
        act={({ reason = "" }, send) => send("kyb", "approve", { path, payload: filled({ reason }) })}
      >
        <Field name="reason" label="Reason" hint={hint} />
      </ActionButton>
      <ActionButton
        name="Reject"
        title="Reject the application"
        kind="danger"
        explanation={`${isolatedName(name)} gets an event with the reason, and may apply again.`}
        done="Application rejected"
        act={({ reason = "" }, send) => send("kyb", "reject", { path, payload: { reason } })}
      >
        <Field name="reason" label="Reason" hint={hint} required />
      </ActionButton>
    </>
  )
}

const Documents = ({ documents }: Pick<Application, "documents">) =>
  documents.length === 0 ? (
    <p class="muted">None were sent.</p>
  ) : (
    <ul>
      {documents.map(({ name, type, url }) => (
        <li key={url}>
          <a href={url} target="_blank" rel="noopener noreferrer">
            {labelOf(type)}: {name}
          </a>
        </li>
      ))}
    </ul>
  )

export const KybApplicationPage = ({ id }: { readonly id: string }) => {
  const loaded = useLoad(async (get) => (await get("kyb", "get", { path: { kyb_customer_id: id } })).data, [id])
  return (
    <LoadedPage title="KYB" above={["#/kyb", "KYB"]} loaded={loaded}>
      {(application) => (
        <Page
          title={application.name}
          above={["#/kyb", "KYB"]}
          lead={<Badge status={application.kyb_status} />}
          actions={application.kyb_status === "pending" ? <Decide application={application} /> : undefined}
        >
          <Card title="Application">
            <DetailList
              facts={[
                ["Organisation", <CopyableId id={application.org_id} what="the organisation's id" />],
                ["Country", application.country],
                ["E-mail", application.email],
                ["Approvals", approvalsOf(application)],
                ["Approved by", application.approved_by.join(", ")],
                ["Decided by", application.decided_by],
                ["Reason", application.reason],
                ["Applied", <Time at={application.created_at} />]
              ]}
            />
          </Card>
          <Card title="Documents" note="Links of the organisation. Open only what you expect.">
            <Documents documents={application.documents} />
          </Card>
        </Page>
      )}
    </LoadedPage>
  )
}
