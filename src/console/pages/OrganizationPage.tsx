import type { Answer, Request } from "../api/ConsoleApi.ts"
import { amountText, inputText, optionalAmount } from "../api/Amount.ts"
import { Badge } from "../components/Badge.tsx"
import { ActionButton } from "../components/Dialog.tsx"
import { Field, type Values } from "../components/Form.tsx"
import { Loading, OneOrgPage } from "../components/Loading.tsx"
import { Card, Page } from "../components/PageFrame.tsx"
import { CopyableId, DetailList, Time } from "../components/Values.tsx"
import { hasAccess, isAdmin } from "../state/ConsoleSession.ts"
import { labelOf } from "../state/Display.ts"
import { useLoad } from "../state/LoadHooks.ts"
import { eventTypesIn } from "../state/TypedInput.ts"
import { isolatedName } from "../../domain/IsolatedName.ts"

type Organization = Answer<"organizations", "get">["data"]
type Change = NonNullable<Request<"organizations", "change">["payload"]>

const changeIn = ({ country = "", email = "", features = "", name = "", review_threshold = "" }: Values): Change => ({
  ...{ name, email, country: country.toUpperCase() },
  ...(isAdmin.value
    ? {
        features: eventTypesIn(features) as ReadonlyArray<"escrow">,
        review_threshold: optionalAmount(review_threshold) ?? null
      }
    : {})
})

const ChangeOrganization = ({ of }: { readonly of: Organization }) => (
  <ActionButton
    name="Change"
    title={`Change ${isolatedName(of.name)}`}
    explanation="Takes effect at once. Earlier approvals of a pending KYB application become void."
    submit="Save"
    done="Organisation changed"
    act={(values, send) => send("organizations", "change", { path: { org_id: of.org_id }, payload: changeIn(values) })}
  >
    <Field name="name" label="Name" value={of.name} required />
    <Field name="email" label="E-mail" kind="email" value={of.email} required />
    <Field name="country" label="Country" value={of.country} required />
    {isAdmin.value && (
      <>
        <Field name="features" label="Features" value={of.features.join(" ")} hint="Such as escrow." required={false} />
        <Field
          name="review_threshold"
          label={`Review from, in ${of.currency}`}
          inputMode="decimal"
          value={of.review_threshold === null ? "" : inputText(of.review_threshold)}
          hint="Empty: no reviews by amount."
          required={false}
        />
      </>
    )}
  </ActionButton>
)

const documentsIn = ({ document_name = "", document_url = "" }: Values) =>
  document_url === "" ? {} : { documents: [{ type: "registration" as const, name: document_name, url: document_url }] }

const StartKyb = ({ of }: { readonly of: Organization }) => (
  <ActionButton
    name="Start KYB"
    kind="primary"
    explanation="Sends name, country and e-mail of the organisation for review. A webhook event reports the decision."
    done="KYB started"
    act={(values, send) => send("kyb", "initiate", { path: { org_id: of.org_id }, payload: documentsIn(values) })}
  >
    <Field name="document_name" label="Document" value="Certificate of incorporation" required={false} />
    <Field name="document_url" label="Address of the document" kind="url" hint="An https address." required={false} />
  </ActionButton>
)

const canStart = ({ kyb_status }: Organization): boolean => kyb_status === "not_started" || kyb_status === "rejected"

const title = "Organisation"
const lead = "Settings, features and verification."

const OrganizationOf = ({ org }: { readonly org: string }) => {
  const loaded = useLoad(async (get) => (await get("organizations", "get", { path: { org_id: org } })).data, [org])
  const { data: of } = loaded
  const mayChange = hasAccess("organization")
  return (
    <Page
      title={title}
      lead={lead}
      reload={loaded.reload}
      actions={of !== undefined && mayChange ? <ChangeOrganization of={of} /> : undefined}
    >
      <Loading loaded={loaded}>
        {(one) => (
          <div class="columns">
            <Card title="Settings">
              <DetailList
                facts={[
                  ["Name", one.name],
                  ["E-mail", one.email],
                  ["Country", one.country],
                  ["Currency", one.currency],
                  ["Features", one.features.map(labelOf).join(", ") || "None"],
                  [
                    "Review from",
                    one.review_threshold === null ? "No amount" : `${amountText(one.review_threshold)} ${one.currency}`
                  ],
                  ["Created", <Time at={one.created_at} />],
                  ["Id", <CopyableId id={one.org_id} what="the organisation's id" />]
                ]}
              />
            </Card>
            <Card title="Verification (KYB)" actions={mayChange && canStart(one) ? <StartKyb of={one} /> : undefined}>
              <p>
                <Badge
                  status={one.kyb_status}
                  {...(one.kyb_status === "not_started" ? { tone: "calm" as const } : {})}
                />
              </p>
              <p class="muted">
                {one.kyb_status === "pending"
                  ? "An application waits for a decision."
                  : "The status blocks nothing by itself."}
              </p>
            </Card>
          </div>
        )}
      </Loading>
    </Page>
  )
}

export const OrganizationPage = () => (
  <OneOrgPage title={title} lead={lead}>
    {(org) => <OrganizationOf key={org} org={org} />}
  </OneOrgPage>
)
