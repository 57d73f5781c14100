/** Where Flutterwave collects and pays, and by which of its own names: a kind of charge for each country, a code for each network. */
import type { Served } from "../port/ThirdParty.ts"

export const TITLE = "Flutterwave"

export interface MobileCorridor {
  readonly currency: string
  /** The kind of charge. */
  readonly charge: string
  /** Its name for each of our networks in a charge; none where the kind of charge says it. */
  readonly networks: Readonly<Record<string, string | null>>
  /** The bank's place in a transfer is taken by the network. */
  readonly payout: Readonly<Record<string, string>>
}

/** MPS finds the network by the number. */
const mobile: Readonly<Record<string, MobileCorridor>> = {
  KE: { currency: "KES", charge: "mpesa", networks: { mpesa: null }, payout: { mpesa: "MPS" } },
  GH: {
    currency: "GHS",
    charge: "mobile_money_ghana",
    networks: { mtn: "MTN", telecel: "VODAFONE", airteltigo: "AIRTELTIGO" },
    payout: { mtn: "MTN", telecel: "VODAFONE", airteltigo: "AIRTELTIGO" }
  },
  UG: {
    currency: "UGX",
    charge: "mobile_money_uganda",
    networks: { mtn: "MTN", airtel: "AIRTEL" },
    payout: { mtn: "MPS", airtel: "MPS" }
  },
  RW: {
    currency: "RWF",
    charge: "mobile_money_rwanda",
    networks: { mtn: "MTN", airtel: "AIRTEL" },
    payout: { mtn: "MPS", airtel: "MPS" }
  },
  TZ: {
    currency: "TZS",
    charge: "mobile_money_tanzania",
    networks: { mpesa: "VODACOM", airtel: "AIRTEL", tigo: "TIGO" },
    payout: { mpesa: "VODACOM", airtel: "AIRTEL", tigo: "TIGO" }
  },
  ZM: {
    currency: "ZMW",
    charge: "mobile_money_zambia",
    networks: { mtn: "MTN", airtel: "AIRTEL", zamtel: "ZAMTEL" },
    payout: { mtn: "MPS", airtel: "MPS", zamtel: "MPS" }
  },
  CI: {
    currency: "XOF",
    charge: "mobile_money_franco",
    networks: { orange: "ORANGEMONEY", wave: "WAVE", mtn: "MTN" },
    payout: { wave: "WAVE", mtn: "FMM" }
  },
  SN: {
    currency: "XOF",
    charge: "mobile_money_franco",
    networks: { orange: "ORANGEMONEY", wave: "WAVE" },
    payout: { orange: "ORANGEMONEY", wave: "WAVE" }
  }
}

export const mobileCorridor = (country: string): MobileCorridor | undefined =>
  Object.hasOwn(mobile, country) ? mobile[country] : undefined

/** Elsewhere it wants to know the branch, or an address, which no beneficiary here has. */
export const bankPayouts: Readonly<Record<string, string>> = { NG: "NGN", KE: "KES" }

/** It has accounts to pay to in Nigeria alone. */
export const bankPayins: Readonly<Record<string, string>> = { NG: "NGN" }

const cardCurrencies = ["NGN", "GHS", "KES", "UGX", "RWF", "TZS", "ZMW", "ZAR", "XOF", "XAF", "USD", "EUR", "GBP"]

const byBank = (flow: Served["flow"], corridors: Readonly<Record<string, string>>): ReadonlyArray<Served> =>
  Object.entries(corridors).map(([country, currency]) => ({
    method: "bank_transfer",
    flow,
    countries: [country],
    currencies: [currency]
  }))

export const serves: ReadonlyArray<Served> = [
  { method: "card", flow: "inbound", countries: "everywhere", currencies: cardCurrencies },
  ...byBank("inbound", bankPayins),
  ...byBank("outbound", bankPayouts),
  ...Object.entries(mobile).flatMap(([country, { currency, networks, payout }]): ReadonlyArray<Served> => {
    const there = { method: "mobile_money", countries: [country], currencies: [currency] } as const
    return [
      { ...there, flow: "inbound", networks: Object.keys(networks) },
      { ...there, flow: "outbound", networks: Object.keys(payout) }
    ]
  })
]
