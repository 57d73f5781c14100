import { call } from "../../api/Api.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Copy } from "../../parts/Copy.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Listing } from "../../parts/Listing.tsx"
import { Money } from "../../parts/Money.tsx"
import { NeedsOrg } from "../../parts/NeedsOrg.tsx"
import { Page } from "../../parts/Page.tsx"
import { Table } from "../../parts/Table.tsx"
import { Task } from "../../parts/Task.tsx"
import { Time } from "../../parts/Time.tsx"
import { usePages } from "../../state/Pages.ts"
import { may, orgId } from "../../state/Session.ts"
import { NewLink } from "./NewLink.tsx"
import { ShowQr } from "./ShowQr.tsx"
import { type Link, linkName } from "./Link.ts"
import { takesPayments } from "./Payable.ts"

const Cancel = ({ link, onDone }: { readonly link: Link; readonly onDone: () => void }) => (
  <Task
    name="Cancel"
    label={`Cancel ${link.description ?? link.link_ref}`}
    title="Cancel the link"
    kind="danger"
    says="Nobody can begin a payment by it any more. One that is under way goes on."
    submit="Cancel the link"
    done="Link canceled"
    onDone={onDone}
    act={(_, key) => call("paymentLinks", "cancel", { path: { org_id: link.org_id, link_id: link.link_id } }, { key })}
  />
)

const none = (
  <Empty icon="links" title="No payment links">
    Make one and send it to a customer: they pay on a page of yours, without any code.
  </Empty>
)

const Content = ({ links, onDone }: { readonly links: ReadonlyArray<Link>; readonly onDone: () => void }) => {
  return (
    <Table
      caption="Payment links"
      rows={links}
      keyOf={({ link_id }) => link_id}
      columns={[
        {
          name: "For",
          show: (link) => (
            <span class="roomy">
              <strong class="two-lines">{linkName(link)}</strong>
              {link.description !== null && link.client_reference !== null && (
                <span class="two-lines muted">{link.client_reference}</span>
              )}
            </span>
          )
        },
        { name: "Status", show: ({ status }) => <Badge status={status} /> },
        {
          name: "Amount",
          align: "end",
          show: ({ amount, currency }) =>
            amount === null ? (
              <span class="muted nowrap">Payer chooses</span>
            ) : (
              <Money amount={amount} currency={currency} />
            )
        },
        {
          name: "Address",
          below: true,
          show: ({ url }) => (
            <span class="with-copy">
              <a class="clipped short" href={url} target="_blank" rel="noreferrer">
                {url.replace(/^https?:\/\//, "")}
              </a>
              <Copy text={url} what="the address" />
            </span>
          )
        },
        { name: "Created", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> },
        {
          name: "Actions",
          quiet: true,
          align: "end",
          show: (link) => (
            <div class="actions">
              {takesPayments(link, new Date()) && (
                <>
                  <ShowQr link={link} />
                  <Cancel link={link} onDone={onDone} />
                </>
              )}
            </div>
          )
        }
      ]}
    />
  )
}

const title = "Payment links"
const lead = "A page of yours at which anyone who has the address can pay."

const OfOrg = ({ org }: { readonly org: string }) => {
  const list = usePages(
    (cursor, signal) =>
      call(
        "paymentLinks",
        "list",
        { path: { org_id: org }, urlParams: { limit: 25, last_evaluated_key: cursor } },
        { signal }
      ),
    [org]
  )
  return (
    <Page
      title={title}
      lead={lead}
      actions={may("payment_links") ? <NewLink org={org} onDone={list.reload} /> : undefined}
    >
      <Listing list={list} empty={none}>
        {(links) => <Content links={links} onDone={list.reload} />}
      </Listing>
    </Page>
  )
}

export const Links = () =>
  orgId.value === undefined ? (
    <Page title={title} lead={lead}>
      <NeedsOrg />
    </Page>
  ) : (
    <OfOrg org={orgId.value} />
  )
