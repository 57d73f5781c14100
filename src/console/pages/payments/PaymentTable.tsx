import type { Answer } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { Money, Time } from "../../components/Values.tsx"
import { orgColumn, type Column, Table } from "../../components/DataTable.tsx"
import { linkTo } from "../../state/HashRouter.ts"
import { labelOf, shortId, askedProvider } from "../../state/Display.ts"
import { providerName } from "../providers/ProviderNames.ts"

export type Payment = Answer<"payments", "byId">

export const textField = (value: Readonly<Record<string, unknown>>, name: string): string => {
  const found = value[name]
  return typeof found === "string" ? found : ""
}

/** Payer or beneficiary. */
export const partyOf = ({ payer_details, recipient_info }: Payment): string =>
  textField(payer_details, "name") ||
  [textField(recipient_info, "fname"), textField(recipient_info, "lname")].join(" ").trim() ||
  textField(payer_details, "email")

/** Phone, card or bank account, which a caller tells to find one of several equal amounts. */
const accountOf = (payment: Payment): string => {
  const { bank_account, card_details, direction, mobile_money_details, payer_details } = payment
  const last4 = textField(card_details, "last4")
  if (last4 !== "") return `•••• ${last4}`
  return (
    textField(mobile_money_details, "phone_number") ||
    (direction === "outbound" ? textField(bank_account, "account_number") : "") ||
    textField(payer_details, "phone")
  )
}

const Party = ({ payment }: { readonly payment: Payment }) => {
  const account = accountOf(payment)
  return (
    <>
      {partyOf(payment)}
      {account !== "" && <span class="muted small on-own-line">{account}</span>}
    </>
  )
}

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
        {labelOf(direction)}, {labelOf(payment_method).toLowerCase()}
      </span>
    )
  },
  { name: "Party", below: true, show: (payment) => <Party payment={payment} /> },
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

const briefColumns: ReadonlyArray<Column<Payment>> = [
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
    columns={(brief ? briefColumns : columns).toSpliced(3, 0, ...orgColumn<Payment>(({ org_id }) => org_id))}
    keyOf={({ payment_id }) => payment_id}
    hrefOf={({ payment_id }) => linkTo(`payments/${payment_id}`)}
  />
)

export const noPaymentsYet = ["payments", "No payments yet", "Payments appear here as they are made."] as const
export const noPayments = ["payments", "No payments", "No payments match these filters."] as const
