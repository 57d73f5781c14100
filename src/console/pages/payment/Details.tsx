import { Card } from "../../parts/Card.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Id } from "../../parts/Id.tsx"
import { Json } from "../../parts/Json.tsx"
import { Money } from "../../parts/Money.tsx"
import { askedProvider } from "../payments/AskedProvider.ts"
import type { Payment } from "../payments/PaymentTable.tsx"
import { providerName } from "../providers/Names.ts"

const isFilled = (value: Readonly<Record<string, unknown>>): boolean => Object.keys(value).length > 0

const textIn = (value: Readonly<Record<string, unknown>>, name: string): string => {
  const found = value[name]
  return typeof found === "string" ? found : ""
}

const given = (id: string | null, what: string) => (id === null ? null : <Id id={id} what={what} />)

export const Details = ({ payment }: { readonly payment: Payment }) => {
  const { currency, metadata, payer_details, recipient_info, target_amount, target_currency, total_fees } = payment
  const crosses = target_amount !== null && target_currency !== currency
  return (
    <Card title="Details">
      <Facts
        facts={[
          ["Transaction", given(payment.transaction_id, "the transaction's id")],
          ["Reference", payment.client_reference],
          ["Description", payment.description],
          ["Converted to", crosses && <Money amount={target_amount} currency={target_currency} />],
          [
            "Fees",
            total_fees !== null && (
              <Money amount={total_fees} currency={payment.direction === "inbound" ? target_currency : currency} />
            )
          ],
          ["Country", payment.country],
          ["Provider", askedProvider(payment, providerName).name],
          ["Provider's id", given(payment.provider_payment_id, "the provider's id")],
          ["Provider's status", payment.provider_status],
          ["Payer", textIn(payer_details, "name")],
          ["E-mail", textIn(payer_details, "email")],
          ["Phone", textIn(payer_details, "phone") || textIn(payment.mobile_money_details, "phone_number")],
          ["Network", textIn(payment.mobile_money_details, "provider")],
          ["Card", textIn(payment.card_details, "last4") !== "" && `•••• ${textIn(payment.card_details, "last4")}`],
          ["Account", textIn(payment.bank_account, "account_number")],
          ["Beneficiary", [textIn(recipient_info, "fname"), textIn(recipient_info, "lname")].join(" ").trim()],
          ["Instructions", payment.instructions],
          ["Organisation", given(payment.org_id, "the organisation's id")]
        ]}
      />
      {isFilled(metadata) && (
        <>
          <h3>Metadata</h3>
          <Json name="Metadata" value={metadata} />
        </>
      )}
    </Card>
  )
}
