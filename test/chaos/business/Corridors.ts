/** Corridors of the run: providers by country and method, with payers and beneficiaries. */

const through = (country: string, payment_method: string, direction: string, ...providers: ReadonlyArray<string>) =>
  providers.map((provider, at) => ({ provider, country, payment_method, direction, priority: 10 * (at + 1) }))

/** Each of the nine providers is first somewhere, and most have a fallback. */
export const corridors = [
  ...through("DE", "card", "inbound", "stripe", "adyen"),
  ...through("FR", "card", "inbound", "paypal"),
  ...through("NG", "bank_transfer", "inbound", "flutterwave", "paystack"),
  ...through("KE", "mobile_money", "inbound", "paystack", "pawapay"),
  ...through("UG", "mobile_money", "inbound", "mtn_momo", "pawapay"),
  ...through("DE", "bank_transfer", "outbound", "adyen"),
  ...through("NG", "bank_transfer", "outbound", "paystack", "flutterwave"),
  ...through("KE", "mobile_money", "outbound", "pawapay", "flutterwave"),
  ...through("UG", "mobile_money", "outbound", "mtn_momo", "pawapay"),
  ...through("DE", "wallet", "outbound", "paypal"),
  ...through("KE", "crypto", "inbound", "circle", "coinbase"),
  ...through("KE", "crypto", "outbound", "coinbase", "circle")
]

const KENYAN = "+254712345678"
const UGANDAN = "+256772123456"
const IBAN = "DE89370400440532013000"

const phone = (provider: string, phone_number: string) => ({ mobile_money_details: { provider, phone_number } })

const card = {
  card_details: {
    card_number: "4111111111111111",
    expiry_month: "03",
    expiry_year: "2030",
    cvv: "737",
    card_holder_name: "Ada Obi"
  }
}

const payer = (number: string) => ({
  payer_details: { name: "Ada Obi", email: "ada@example.com", phone: number }
})

const nigerian = { account_name: "Ada Obi", account_number: "0000014579", bank_name: "First Bank", bank_code: "011" }

/** `exponent` is the currency's. */
export const payinCorridors = [
  { country: "DE", currency: "EUR", exponent: 2, payment_method: "card", ...card, ...payer("+4915112345678") },
  { country: "FR", currency: "EUR", exponent: 2, payment_method: "card", ...card, ...payer("+33612345678") },
  {
    country: "KE",
    currency: "KES",
    exponent: 2,
    payment_method: "mobile_money",
    ...phone("mpesa", KENYAN),
    ...payer(KENYAN)
  },
  {
    country: "UG",
    currency: "UGX",
    exponent: 0,
    payment_method: "mobile_money",
    ...phone("mtn", UGANDAN),
    ...payer(UGANDAN)
  },
  {
    country: "NG",
    currency: "NGN",
    exponent: 2,
    payment_method: "bank_transfer",
    ...payer("+2348031234567"),
    bank_details: { ...nigerian, country: "NG" },
    bank_account: { account_number: "9988776655", bank_code: "011", bank_name: "First Bank" }
  }
] as const

const person = { beneficiary_type: "individual", fname: "Ada", lname: "Okafor" }

export const beneficiaries = {
  kenyan: {
    ...person,
    account_type: "mobile_money",
    country: "KE",
    currency: "KES",
    momo_details: { provider: "mpesa", phone_number: KENYAN }
  },
  ugandan: {
    ...person,
    account_type: "mobile_money",
    country: "UG",
    currency: "UGX",
    momo_details: { provider: "mtn", phone_number: UGANDAN }
  },
  nigerian: {
    ...person,
    account_type: "bank",
    country: "NG",
    currency: "NGN",
    bank_details: nigerian
  },
  german: {
    ...person,
    account_type: "bank",
    country: "DE",
    currency: "EUR",
    bank_details: { account_name: "Ada Okafor", account_number: IBAN, bank_name: "Commerzbank" }
  },
  online: {
    ...person,
    account_type: "wallet",
    country: "DE",
    currency: "EUR",
    wallet_details: { email: "ada.okafor@example.com" }
  }
} as const

export type BeneficiaryName = keyof typeof beneficiaries

export const payoutCorridors = [
  {
    whom: "kenyan",
    country: "KE",
    currency: "KES",
    exponent: 2,
    payment_method: "mobile_money",
    ...phone("mpesa", KENYAN)
  },
  {
    whom: "ugandan",
    country: "UG",
    currency: "UGX",
    exponent: 0,
    payment_method: "mobile_money",
    ...phone("mtn", UGANDAN)
  },
  {
    whom: "nigerian",
    country: "NG",
    currency: "NGN",
    exponent: 2,
    payment_method: "bank_transfer",
    bank_details: { ...nigerian, account_number: "9988776655", country: "NG" },
    bank_account: { account_number: nigerian.account_number, bank_code: "011", bank_name: "First Bank" }
  },
  {
    whom: "german",
    country: "DE",
    currency: "EUR",
    exponent: 2,
    payment_method: "bank_transfer",
    bank_details: { account_name: "Acme", account_number: "DE02120300000000202051", bank_name: "DKB", country: "DE" },
    bank_account: { account_number: IBAN, bank_name: "Commerzbank" }
  }
] as const
