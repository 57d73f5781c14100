import type { Item, Request } from "../api/ConsoleApi.ts"
import { Badge } from "../components/Badge.tsx"
import { CopyButton, Button } from "../components/Button.tsx"
import { PagedTable, OneOrgPage } from "../components/Loading.tsx"
import { Money, Time } from "../components/Values.tsx"
import { Page } from "../components/PageFrame.tsx"
import { ActionButton, Dialog } from "../components/Dialog.tsx"
import { useList } from "../state/LoadHooks.ts"
import { hasAccess, session } from "../state/ConsoleSession.ts"
import { takesPayments } from "../state/Display.ts"
import { useState, useId } from "preact/hooks"
import { encode } from "uqr"
import { optionalAmount } from "../api/Amount.ts"
import { Field, FieldFrame, filled, type Values } from "../components/Form.tsx"

/** Limit of the API, in bytes. */
const largest = 65_536

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error("The picture could not be read."))
    reader.readAsDataURL(file)
  })

/** Sends the picture as a data URL in a hidden field. */
const LogoField = () => {
  const id = useId()
  const [logo, setLogo] = useState("")
  const [problem, setProblem] = useState<string>()
  const choose = async (input: HTMLInputElement) => {
    const [file] = input.files ?? []
    const tooLarge = file !== undefined && file.size > largest
    setProblem(tooLarge ? `The picture has ${Math.ceil(file.size / 1024)} KB; the limit is 64 KB.` : undefined)
    if (tooLarge) input.value = ""
    setLogo(file === undefined || tooLarge ? "" : await dataUrlOf(file))
  }
  return (
    <FieldFrame id={id} name="brand_logo" label="Logo" hint="PNG, JPEG or WebP, at most 64 KB." required={false}>
      <div class="logo-choice">
        {logo !== "" && <img src={logo} alt="The logo that was chosen" />}
        <input
          id={id}
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-describedby={`${id}-hint`}
          onChange={(event) => void choose(event.currentTarget)}
        />
      </div>
      <input type="hidden" name="brand_logo" value={logo} />
      {problem !== undefined && (
        <p class="problem-line" role="alert">
          {problem}
        </p>
      )}
    </FieldFrame>
  )
}

/** Typed or picked colour; empty: the default, which a colour picker cannot express. */
const ColorField = () => {
  const id = useId()
  const [color, setColor] = useState("")
  const isColor = /^#[0-9a-f]{6}$/i.test(color)
  return (
    <FieldFrame id={id} name="brand_color" label="Button colour" required={false}>
      <div class="color-choice">
        <input
          id={id}
          name="brand_color"
          placeholder="#0b6e4f"
          pattern="#[0-9a-fA-F]{6}"
          title="Six digits after #, such as #0b6e4f"
          autocomplete="off"
          spellcheck={false}
          value={color}
          onInput={(event) => setColor(event.currentTarget.value)}
        />
        <input
          type="color"
          aria-label="Pick a colour"
          value={isColor ? color : "#1d4ed8"}
          onInput={(event) => setColor(event.currentTarget.value)}
        />
      </div>
    </FieldFrame>
  )
}

/** Opens on invalid input, so that the browser can show the problem. */
const BrandFields = () => (
  <details class="fold" onInvalidCapture={(event) => (event.currentTarget.open = true)}>
    <summary>Branding</summary>
    <div class="form">
      <Field
        name="brand_name"
        label="Name"
        placeholder="Acme Shop"
        hint="Shown above your organisation's name."
        required={false}
      />
      <ColorField />
      <LogoField />
    </div>
  </details>
)

const brandIn = ({ brand_color = "", brand_logo = "", brand_name = "" }: Values) => {
  const brand = filled({ name: brand_name, color: brand_color, logo: brand_logo })
  return Object.keys(brand).length === 0 ? {} : { brand }
}

type Payload = Request<"paymentLinks", "create">["payload"]

const payloadOf = (values: Values): Payload => {
  const { amount = "", amount_type, client_reference = "", currency = "", description = "" } = values
  const { email = "", expires_at = "", return_url = "" } = values
  const number = optionalAmount(amount)
  return {
    amount_type: amount_type as Payload["amount_type"],
    currency: currency.toUpperCase(),
    ...(number === undefined ? {} : { amount: number }),
    ...filled({ description, email, client_reference, return_url }),
    ...(expires_at === "" ? {} : { expires_at: new Date(expires_at).toISOString() }),
    ...brandIn(values)
  }
}

export const NewLink = ({ org }: { readonly org: string }) => {
  const [kind, setKind] = useState("fixed")
  return (
    <ActionButton
      name="Create link"
      icon="plus"
      kind="primary"
      title="Create a payment link"
      explanation="Anyone with the address can pay. You can cancel the link at any time."
      done="Link created"
      act={(values, send) => send("paymentLinks", "create", { path: { org_id: org }, payload: payloadOf(values) })}
    >
      <Field name="description" label="Description" placeholder="Invoice 1042" required />
      <Field
        name="amount_type"
        label="Amount"
        options={[
          ["fixed", "Fixed, paid once"],
          ["open", "The payer chooses, any number of times"]
        ]}
        value={kind}
        onInput={setKind}
      />
      <div class="pair">
        <Field
          name="amount"
          label={kind === "fixed" ? "How much" : "Suggested"}
          inputMode="decimal"
          required={kind === "fixed"}
        />
        <Field name="currency" label="Currency" value={session.value?.organization?.currency ?? "KES"} required />
      </div>
      <Field name="expires_at" label="Expires" kind="datetime-local" required={false} />
      <Field name="client_reference" label="Your reference" placeholder="order-1042" required={false} />
      <Field name="email" label="Payer's e-mail" kind="email" required={false} />
      <Field
        name="return_url"
        label="Return URL"
        kind="url"
        placeholder="https://shop.example/thanks"
        hint="Gets the outcome and your reference as query parameters."
        required={false}
      />
      <BrandFields />
    </ActionButton>
  )
}

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
  const list = useList("paymentLinks", "list", { path: { org_id: org } })
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
