/** The measured requests: a mobile money payin, its record, a list and a rate. */
export const INITIATE_PATH = "/v1/payments-init/initiate"

export const recordPath = (transactionId: string): string => `/v1/payments/transaction/${transactionId}`

export const LIST_PATH = "/v1/transactions?limit=20"

/** Each look-up locks the rate: it writes a row. */
export const RATE_PATH = "/v1/organizations/admin/exchange-rate?fromCurrency=USD&toCurrency=KES&amount=1500.5"

export const initiation = (clientReference: string) => ({
  amount: 1500,
  target_amount: 1500,
  currency: "KES",
  target_currency: "KES",
  country: "KE",
  payment_method: "mobile_money",
  direction: "payin",
  client_reference: clientReference,
  description: "Two bags of maize flour",
  payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
  mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" },
  metadata: { cart: "A-1042", channel: "web" }
})

export const credentialsOf = (apiKey: string) => ({ authorization: "NONE", "x-api-key": apiKey })
