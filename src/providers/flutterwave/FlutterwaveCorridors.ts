/** Where Flutterwave collects and pays, and by which of its own names: a kind of charge for each country, a code for each network. */
import type { Served } from "../port/ThirdParty.ts"

export const TITLE = "Flutterwave"

export interface MobileCorridor {
  readonly currency: string
  /** The kind of charge. */
  readonly charge: string
  /** Its name for each of our networks in a charge; none where the kind of charge says it. */
  readonly networks: ReadonlyMap<string, string | null>
  /** The bank's place in a transfer is taken by the network. */
  readonly payout: ReadonlyMap<string, string>
}

const by = <A>(names: Readonly<Record<string, A>>): ReadonlyMap<string, A> => new Map(Object.entries(names))

/** MPS finds the network by the number. */
const mobile: ReadonlyMap<string, MobileCorridor> = by({
  KE: { currency: "KES", charge: "mpesa", networks: by<string | null>({ mpesa: null }), payout: by({ mpesa: "MPS" }) },
  GH: {
    currency: "GHS",
    charge: "mobile_money_ghana",
    networks: by<string | null>({ mtn: "MTN", telecel: "VODAFONE", airteltigo: "AIRTELTIGO" }),
    payout: by({ mtn: "MTN", telecel: "VODAFONE", airteltigo: "AIRTELTIGO" })
  },
  UG: {
    currency: "UGX",
    charge: "mobile_money_uganda",
    networks: by<string | null>({ mtn: "MTN", airtel: "AIRTEL" }),
    payout: by({ mtn: "MPS", airtel: "MPS" })
  },
  RW: {
    currency: "RWF",
    charge: "mobile_money_rwanda",
    networks: by<string | null>({ mtn: "MTN", airtel: "AIRTEL" }),
    payout: by({ mtn: "MPS", airtel: "MPS" })
  },
  TZ: {
    currency: "TZS",
    charge: "mobile_money_tanzania",
    networks: by<string | null>({ mpesa: "VODACOM", airtel: "AIRTEL", tigo: "TIGO" }),
    payout: by({ mpesa: "VODACOM", airtel: "AIRTEL", tigo: "TIGO" })
  },
  ZM: {
    currency: "ZMW",
    charge: "mobile_money_zambia",
    networks: by<string | null>({ mtn: "MTN", airtel: "AIRTEL", zamtel: "ZAMTEL" }),
    payout: by({ mtn: "MPS", airtel: "MPS", zamtel: "MPS" })
  },
  CI: {
    currency: "XOF",
    charge: "mobile_money_franco",
    networks: by<string | null>({ orange: "ORANGEMONEY", wave: "WAVE", mtn: "MTN" }),
    payout: by({ wave: "WAVE", mtn: "FMM" })
  },
  SN: {
    currency: "XOF",
    charge: "mobile_money_franco",
    networks: by<string | null>({ orange: "ORANGEMONEY", wave: "WAVE" }),
    payout: by({ orange: "ORANGEMONEY", wave: "WAVE" })
  }
})

export const mobileCorridor = (country: string): MobileCorridor | undefined => mobile.get(country)

/** Elsewhere it wants to know the branch, or an address, which no beneficiary here has. */
export const bankPayouts = by({ NG: "NGN", KE: "KES" })

/** It has accounts to pay to in Nigeria alone. */
export const bankPayins = by({ NG: "NGN" })

const cardCurrencies = ["NGN", "GHS", "KES", "UGX", "RWF", "TZS", "ZMW", "ZAR", "XOF", "XAF", "USD", "EUR", "GBP"]

const byBank = (flow: Served["flow"], corridors: ReadonlyMap<string, string>): ReadonlyArray<Served> =>
  Array.from(corridors, ([country, currency]) => ({
    method: "bank_transfer",
    flow,
    countries: [country],
    currencies: [currency]
  }))

export const serves: ReadonlyArray<Served> = [
  { method: "card", flow: "inbound", countries: "everywhere", currencies: cardCurrencies },
  ...byBank("inbound", bankPayins),
  ...byBank("outbound", bankPayouts),
  ...Array.from(mobile).flatMap(([country, { currency, networks, payout }]): ReadonlyArray<Served> => {
    const there = { method: "mobile_money", countries: [country], currencies: [currency] } as const
    return [
      { ...there, flow: "inbound", networks: [...networks.keys()] },
      { ...there, flow: "outbound", networks: [...payout.keys()] }
    ]
  })
]
