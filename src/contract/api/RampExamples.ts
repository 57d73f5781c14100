/** A ramp in either direction and its answer, as the API reference shows them. */
export const onRampRequest = {
  fiat_currency: "KES",
  fiat_amount: 13000,
  client_rate: 0.00773096250483,
  crypto_currency: "USDT",
  crypto_network: "TRON",
  country: "KE",
  customer_type: "retail",
  wallet_address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
  bank_details: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" },
  client_reference: "ramp-2044"
}

export const offRampRequest = {
  fiat_currency: "KES",
  fiat_amount: 12870,
  client_rate: 128.7,
  crypto_currency: "USDT",
  crypto_network: "TRON",
  country: "KE",
  customer_type: "retail",
  beneficiary_id: "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77"
}

const ids = {
  payment_id: "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88",
  transaction_id: "0199c2a5-0c11-7d21-9a41-7c6b5a493827"
}

export const onRampAnswer = {
  statusCode: 200,
  response: {
    success: true,
    ...ids,
    direction: "on_ramp",
    status: "pending",
    fiat_currency: "KES",
    fiat_amount: 13000,
    crypto_currency: "USDT",
    crypto_network: "TRON",
    crypto_amount: 100.502512,
    provider: "fiat",
    expires_at: "2026-03-02T09:45:00.000Z",
    next_action: "make_transfer",
    payment_instructions: {
      type: "bank_transfer",
      account_name: "Corridor Sandbox",
      account_number: "0123456789",
      bank_name: "Corridor Sandbox Bank",
      amount: 13000,
      currency: "KES",
      reference: "CR4F1A2B3C4D",
      address: null,
      network: null
    },
    message: "The ramp waits for the customer's money."
  }
}

export const offRampAnswer = {
  statusCode: 200,
  response: {
    ...onRampAnswer.response,
    direction: "off_ramp",
    fiat_amount: 12870,
    crypto_amount: 100,
    provider: "crypto",
    payment_instructions: {
      type: "crypto_transfer",
      account_name: null,
      account_number: null,
      bank_name: null,
      amount: 100,
      currency: "USDT",
      reference: null,
      address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
      network: "TRON"
    }
  }
}
