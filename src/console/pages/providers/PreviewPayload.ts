/** A preview asks for a whole payment, and most of it has no say in the route. */
import type { Answer, Request } from "../../api/Api.ts"
import { amountIn } from "../../api/TypedAmount.ts"
import type { Values } from "../../parts/Form.tsx"
import { ofOrg } from "../../state/Session.ts"

type Payload = Request<"paymentsInit", "preview">["payload"]
export type Beneficiary = Answer<"beneficiaries", "list">["data"][number]

const payer = { name: "Route preview", email: "preview@example.com", phone: "+254700000000" }

const bankIn = (country: string): Partial<Payload> => {
  const account = { account_number: "1100223344", bank_name: "Any bank" }
  return { bank_details: { ...account, account_name: payer.name, country }, bank_account: account }
}

const detailsOf = (method: string, { network = "", phone = "" }: Values, country: string): Partial<Payload> => {
  if (method === "mobile_money") return { mobile_money_details: { provider: network, phone_number: phone } }
  if (method === "card") {
    const card = { card_number: "4242424242424242", expiry_month: "12", expiry_year: "2035" }
    return { card_details: card }
  }
  return bankIn(country)
}

const amountsIn = (amount: string, currency: string) => {
  const number = amountIn(amount)
  return { amount: number, target_amount: number, currency, target_currency: currency }
}

export const payinOf = (values: Values): Payload => {
  const { amount = "", country = "", currency = "", payment_method = "" } = values
  return {
    ...ofOrg(),
    ...amountsIn(amount, currency.toUpperCase()),
    payment_method: payment_method as Payload["payment_method"],
    direction: "payin",
    country: country.toUpperCase(),
    payer_details: payer,
    ...detailsOf(payment_method, values, country.toUpperCase())
  }
}

/** Whom it is paid to settles everything but the amount. */
export const payoutOf = (to: Beneficiary, { amount = "" }: Values): Payload => ({
  ...ofOrg(),
  ...amountsIn(amount, to.currency),
  direction: "payout",
  country: to.country,
  beneficiary_id: to.beneficiary_id,
  ...(to.account_type === "mobile_money"
    ? { payment_method: "mobile_money", mobile_money_details: to.momo_details as Payload["mobile_money_details"] }
    : { payment_method: "bank_transfer", ...bankIn(to.country) })
})
