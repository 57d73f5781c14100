import type { Answer } from "../../api/Api.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Money } from "../../parts/Money.tsx"
import { orgColumn } from "../../parts/OrgColumn.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { linkTo } from "../../state/Router.ts"
import { nameOf, shortId } from "../../state/Words.ts"
import { providerName } from "../providers/Names.ts"
import { askedProvider } from "./AskedProvider.ts"

export type Payment = Answer<"payments", "byId">

const textIn = (value: unknown): string => (typeof value === "string" ? value : "")

/** Whose money it is, or who gets it. */
export const partyOf = ({ payer_details, recipient_info }: Payment): string =>
  textIn(payer_details["name"]) ||
  [textIn(recipient_info["fname"]), textIn(recipient_info["lname"])].join(" ").trim() ||
  textIn(payer_details["email"])

const columns: ReadonlyArray<Column<Payment>> = [
  {
    name: "Payment",
    show: ({ client_reference, payment_id }) => (
      <span class={client_reference === null ? "nowrap" : "reference"} title={payment_id}>
        {client_reference ?? shortId(payment_id)}
      </span>
    )
  },
  { name: "Status", show: ({ status }) => <Badge status={status} /> },
  { name: "Amount", align: "end", show: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
  {
    name: "Kind",
    wide: true,
    show: ({ direction, payment_method }) => (
      <span class="nowrap">
        {nameOf(direction)}, {nameOf(payment_method).toLowerCase()}
      </span>
    )
  },
  { name: "Party", below: true, show: partyOf },
  {
    name: "Provider",
    wide: true,
    show: (payment) => {
      const { known, name } = askedProvider(payment, providerName)
      return <span class={known ? "" : "muted nowrap"}>{name}</span>
    }
  },
  { name: "Created", align: "end", show: ({ created_at }) => <Time at={created_at} /> }
]

const few: ReadonlyArray<Column<Payment>> = [
  ...columns.slice(0, 3),
  { name: "When", align: "end", show: ({ created_at }) => <Time at={created_at} relative /> }
]

export const PaymentTable = ({
  brief = false,
  payments
}: {
  readonly payments: ReadonlyArray<Payment>
  readonly brief?: boolean
}) => (
  <Table
    caption="Payments"
    rows={payments}
    columns={(brief ? few : columns).toSpliced(3, 0, ...orgColumn<Payment>(({ org_id }) => org_id))}
    keyOf={({ payment_id }) => payment_id}
    hrefOf={({ payment_id }) => linkTo(`payments/${payment_id}`)}
  />
)
