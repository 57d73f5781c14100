/** Beneficiaries of every account type, as a caller sends them. */
const person = { beneficiary_type: "individual", fname: "Ada", lname: "Okafor" } as const

export const nigerianBank = {
  ...person,
  account_type: "bank",
  country: "NG",
  currency: "NGN",
  bank_details: { account_number: "0000014579", bank_code: "011", bank_name: "First Bank" }
} as const

export const britishBank = {
  ...person,
  account_type: "bank",
  country: "GB",
  currency: "GBP",
  bank_details: { account_number: "12345678", bank_code: "12-34-56", bank_name: "Lloyds" }
} as const

export const mpesa = {
  ...person,
  account_type: "mobile_money",
  country: "KE",
  currency: "KES",
  momo_details: { provider: "mpesa", phone_number: "0712 345 678" }
} as const

export const cryptoWallet = {
  ...person,
  account_type: "wallet",
  country: "KE",
  currency: "USDT",
  wallet_details: { address: "TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE", network: "TRON" }
} as const

export const payPal = {
  ...person,
  account_type: "wallet",
  country: "US",
  currency: "USD",
  wallet_details: { email: "ada@example.com" }
} as const
