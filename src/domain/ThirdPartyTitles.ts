/**
 * The third parties, and their names as they write them themselves. Settings, the API, the command line and the console
 * know a third party by this table. It imports nothing, so that the browser can have it too.
 */
export const thirdPartyTitles = {
  stripe: "Stripe",
  adyen: "Adyen",
  paypal: "PayPal",
  paystack: "Paystack",
  flutterwave: "Flutterwave",
  mtn_momo: "MTN MoMo",
  pawapay: "pawaPay",
  circle: "Circle",
  coinbase: "Coinbase",
  mpesa: "M-Pesa"
} as const
