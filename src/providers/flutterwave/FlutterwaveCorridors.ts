/** Where Flutterwave collects and pays, and by which of its own names: a kind of charge for each country, a code for each network. */
import { type Served, serving } from "../port/ThirdParty.ts"

interface MobileCorridor {
  readonly currency: string
  /** The kind of charge. */
  readonly charge: string
  /** Its name for each of our networks in a charge; null where the kind of charge says it. */
  readonly networks: ReadonlyMap<string, string | null>
  /** The bank's place in a transfer is taken by the network. */
  readonly payout: ReadonlyMap<string, string>
}

type Names = Readonly<Record<string, string>>

const by = <A>(names: Readonly<Record<string, A>>): ReadonlyMap<string, A> => new Map(Object.entries(names))

/** `payout`: where its names differ from those in charges. */
const corridor = (currency: string, charge: string, networks: Names, payout: Names = networks): MobileCorridor => ({
  currency,
  charge: `mobile_money_${charge}`,
  networks: by(networks),
  payout: by(payout)
})

const MTN_AIRTEL = { mtn: "MTN", airtel: "AIRTEL" }

/** MPS finds the network by the number. */
const mobile: ReadonlyMap<string, MobileCorridor> = by({
  KE: { currency: "KES", charge: "mpesa", networks: by({ mpesa: null }), payout: by({ mpesa: "MPS" }) },
  GH: corridor("GHS", "ghana", { mtn: "MTN", telecel: "VODAFONE", airteltigo: "AIRTELTIGO" }),
  UG: corridor("UGX", "uganda", MTN_AIRTEL, { mtn: "MPS", airtel: "MPS" }),
  RW: corridor("RWF", "rwanda", MTN_AIRTEL, { mtn: "MPS", airtel: "MPS" }),
  TZ: corridor("TZS", "tanzania", { mpesa: "VODACOM", airtel: "AIRTEL", tigo: "TIGO" }),
  ZM: corridor("ZMW", "zambia", { ...MTN_AIRTEL, zamtel: "ZAMTEL" }, { mtn: "MPS", airtel: "MPS", zamtel: "MPS" }),
  CI: corridor("XOF", "franco", { orange: "ORANGEMONEY", wave: "WAVE", mtn: "MTN" }, { wave: "WAVE", mtn: "FMM" }),
  SN: corridor("XOF", "franco", { orange: "ORANGEMONEY", wave: "WAVE" })
})

export const mobileCorridor = (country: string): MobileCorridor | undefined => mobile.get(country)

/** Elsewhere it wants to know the branch, or an address, which no beneficiary here has. */
export const bankPayouts = by({ NG: "NGN", KE: "KES" })

/** Bank accounts to pay to exist in Nigeria alone. */
export const bankPayins = by({ NG: "NGN" })

const byBank = (flow: Served["flow"], corridors: ReadonlyMap<string, string>): ReadonlyArray<Served> =>
  Array.from(corridors).flatMap(([country, currency]) => serving(flow, "bank_transfer", country, currency))

export const serves: ReadonlyArray<Served> = [
  ...serving("inbound", "card", "everywhere", "NGN GHS KES UGX RWF TZS ZMW ZAR XOF XAF USD EUR GBP"),
  ...byBank("inbound", bankPayins),
  ...byBank("outbound", bankPayouts),
  ...Array.from(mobile).flatMap(([country, { currency, networks, payout }]) => [
    ...serving("inbound", "mobile_money", country, currency, [...networks.keys()]),
    ...serving("outbound", "mobile_money", country, currency, [...payout.keys()])
  ])
]
