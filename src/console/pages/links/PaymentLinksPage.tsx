import type { Item } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { CopyButton, Button } from "../../components/Button.tsx"
import { PagedTable, OneOrgPage } from "../../components/Loading.tsx"
import { Money, Time } from "../../components/Values.tsx"
import { Page } from "../../components/PageFrame.tsx"
import { ActionButton, Dialog } from "../../components/Dialog.tsx"
import { usePages } from "../../state/LoadHooks.ts"
import { hasAccess } from "../../state/ConsoleSession.ts"
import { NewLink } from "./NewPaymentLink.tsx"
import { takesPayments } from "../../state/Display.ts"
import { useState } from "preact/hooks"
import { encode } from "uqr"

/** QR code as one SVG path; each dark module is a square. */
const Qr = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const { data, size } = encode(text, { border: 2 })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR code of ${what}`}>
      <path d={squares.join("")} />
    </svg>
  )
}

type Link = Item<"paymentLinks", "list">

const linkName = ({ client_reference, description, link_ref }: Link): string =>
  description ?? client_reference ?? link_ref

const ShowQr = ({ link }: { readonly link: Link }) => {
  const [open, setOpen] = useState(false)
  const name = linkName(link)
  return (
    <>
      <Button icon="qr" label={`QR code of ${name}`} onClick={() => setOpen(true)}>
        QR code
      </Button>
      {open && (
        <Dialog title={name} onClose={() => setOpen(false)}>
          <Qr text={link.url} what="the payment link" />
          <p class="with-copy centered">
            <code class="address">{link.url}</code>
            <CopyButton text={link.url} what="the address" />
          </p>
        </Dialog>
      )}
    </>
  )
}

const Cancel = ({ link }: { readonly link: Link }) => (
  <ActionButton
    name="Cancel"
    label={`Cancel ${link.description ?? link.link_ref}`}
    title="Cancel the link"
    kind="danger"
    explanation="The link accepts no new payments. Payments in progress continue."
    submit="Cancel the link"
    done="Link canceled"
    act={(_, send) => send("paymentLinks", "cancel", { path: { org_id: link.org_id, link_id: link.link_id } })}
  />
)

const title = "Payment links"
const lead = "Hosted pages where anyone with the address can pay."

const LinksOfOrg = ({ org }: { readonly org: string }) => {
  const list = usePages(
    (get, cursor) =>
      get("paymentLinks", "list", { path: { org_id: org }, urlParams: { limit: 25, last_evaluated_key: cursor } }),
    [org]
  )
  return (
    <Page
      title={title}
      lead={lead}
      reload={list.reload}
      actions={hasAccess("payment_links") ? <NewLink org={org} /> : undefined}
    >
      <PagedTable
        list={list}
        empty={["links", "No payment links", "Create one and send it to a customer, who pays on a hosted page."]}
        caption="Payment links"
        keyOf={({ link_id }) => link_id}
        columns={[
          {
            name: "Description",
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
                <CopyButton text={url} what="the address" />
              </span>
            )
          },
          { name: "Created", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> }
        ]}
        actions={(link) =>
          takesPayments(link, new Date()) && (
            <>
              <ShowQr link={link} />
              <Cancel link={link} />
            </>
          )
        }
      />
    </Page>
  )
}

export const PaymentLinksPage = () => (
  <OneOrgPage title={title} lead={lead}>
    {(org) => <LinksOfOrg org={org} />}
  </OneOrgPage>
)
