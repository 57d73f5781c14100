/** Orders for Adyen, one reference for all until a test names another; payouts in every country that it pays in its own way. */
import type { BankAccount } from "../../../src/providers/port/Provider.ts"
import { type About, orderOf, recipientNamed, referenceNo } from "../support/TestOrders.ts"

export const reference = referenceNo(1)

export const newOrder = (about: About = {}) => orderOf({ reference, ...about })

export const iban: BankAccount = {
  accountName: null,
  accountNumber: "NL91 ABNA 0417 1643 00",
  bankCode: null,
  bankName: null,
  country: "NL"
}

export const payout = (about: About = {}) =>
  newOrder({
    flow: "outbound",
    method: "bank_transfer",
    country: "NL",
    payer: null,
    bank: iban,
    recipient: recipientNamed("A. Klaassen"),
    ...about
  })

type Local = readonly [country: string, currency: string, number: string, bank: string | null, named: object]

const locals: ReadonlyArray<Local> = [
  ["GB", "GBP", "12345678", "12-34-56", { type: "ukLocal", accountNumber: "12345678", sortCode: "123456" }],
  ["US", "USD", "123456789", "011000138", { type: "usLocal", accountNumber: "123456789", routingNumber: "011000138" }],
  ["AU", "AUD", "12345678", "062-000", { type: "auLocal", accountNumber: "12345678", bsbCode: "062000" }],
  ["CZ", "CZK", "19-2000145399", "0800", { type: "czLocal", accountNumber: "19-2000145399", bankCode: "0800" }],
  ["DK", "DKK", "0440116243", "0040", { type: "dkLocal", accountNumber: "0440116243", bankCode: "0040" }],
  ["HK", "HKD", "123456789", "012", { type: "hkLocal", accountNumber: "123456789", clearingCode: "012" }],
  ["HU", "HUF", "117730161111101800000000", null, { type: "huLocal", accountNumber: "117730161111101800000000" }],
  ["NO", "NOK", "86011117947", null, { type: "noLocal", accountNumber: "86011117947" }],
  ["NZ", "NZD", "010902006877500", null, { type: "nzLocal", accountNumber: "010902006877500" }],
  ["PL", "PLN", "61109010140000071219812874", null, { type: "plLocal", accountNumber: "61109010140000071219812874" }],
  ["SE", "SEK", "0234567", "6000", { type: "seLocal", accountNumber: "0234567", clearingNumber: "6000" }],
  ["SG", "SGD", "0591234567", "DBSSSGSG", { type: "sgLocal", accountNumber: "0591234567", bic: "DBSSSGSG" }]
]

/** Bank accounts, each in the form that Adyen must get. */
export const accounts = locals.map(([country, currency, accountNumber, bankCode, named]) => ({
  country,
  currency,
  bank: { ...iban, accountNumber, bankCode, country },
  named
}))
