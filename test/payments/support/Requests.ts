/** Initiations as a caller sends them, one of each kind; a test changes what it is about. */
const payer = { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" }

const shillings = { amount: 1500, target_amount: 1500, currency: "KES", target_currency: "KES", country: "KE" }

export const byPhone = (phone_number = "+254712345678") => ({
  ...shillings,
  payment_method: "mobile_money",
  direction: "payin",
  payer_details: payer,
  mobile_money_details: { provider: "mpesa", phone_number }
})

export const byCard = (card_number = "4242424242424242") => ({
  ...shillings,
  payment_method: "card",
  direction: "payin",
  payer_details: payer,
  card_details: { card_number, expiry_month: "12", expiry_year: "2030", cvv: "123", card_holder_name: "W Kamau" }
})

export const byBank = (account_number = "1100223344") => ({
  ...shillings,
  payment_method: "bank_transfer",
  direction: "payin",
  payer_details: payer,
  bank_details: {
    account_name: "Wanjiru Kamau",
    account_number,
    bank_name: "Equity Bank",
    country: "KE",
    bank_code: "68"
  },
  bank_account: { account_number: "9988776655", bank_code: "01", bank_name: "KCB" }
})

export const payoutByPhone = (beneficiary_id: string, phone_number = "+254712345678") => ({
  ...shillings,
  payment_method: "mobile_money",
  direction: "payout",
  beneficiary_id,
  mobile_money_details: { provider: "mpesa", phone_number }
})

export const kenyanPhone = (phone_number = "+254712345678") => ({
  account_type: "mobile_money",
  beneficiary_type: "individual",
  country: "KE",
  currency: "KES",
  fname: "Ada",
  lname: "Okafor",
  momo_details: { provider: "mpesa", phone_number }
})

export const kenyanBank = (account_number = "1100223344") => ({
  account_type: "bank",
  beneficiary_type: "business",
  country: "KE",
  currency: "KES",
  fname: "Ada",
  lname: "Okafor",
  bank_details: { account_name: "Ada Okafor", account_number, bank_name: "KCB", bank_code: "01" }
})

/** 13,000 shillings into tether. */
export const onRampIn = (country: string, client_rate: number) => ({
  fiat_currency: "KES",
  fiat_amount: 13000,
  client_rate,
  crypto_currency: "USDT",
  crypto_network: "POLYGON",
  country,
  wallet_address: "0x52908400098527886E0F7030069857D2E4169EE7",
  bank_details: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" }
})
