/** The operators that pawaPay reaches, under the names that it has for them, of the networks that we know. */
import { Option } from "effect"
import { type Served, serving } from "../port/ThirdParty.ts"

export interface Correspondent {
  readonly code: string
  /** Digits behind the point that the operator takes, for money that comes in and money that goes out. */
  readonly digitsIn: number
  readonly digitsOut: number
}

interface Market {
  /** pawaPay writes countries with three letters. */
  readonly alpha3: string
  readonly currency: string
  readonly correspondents: Readonly<Record<string, Correspondent>>
}

const whole = (code: string): Correspondent => ({ code, digitsIn: 0, digitsOut: 0 })
const cents = (code: string): Correspondent => ({ code, digitsIn: 2, digitsOut: 2 })

const market = (alpha3: string, currency: string, correspondents: Market["correspondents"]): Market => ({
  alpha3,
  currency,
  correspondents
})

/** Networks of ours that pawaPay lacks: Airtel in Kenya, Wave in Côte d'Ivoire and Senegal. */
const markets: ReadonlyMap<string, Market> = new Map([
  ["CI", market("CIV", "XOF", { mtn: whole("MTN_MOMO_CIV"), orange: whole("ORANGE_CIV") })],
  [
    "GH",
    market("GHA", "GHS", {
      mtn: cents("MTN_MOMO_GHA"),
      airteltigo: cents("AIRTELTIGO_GHA"),
      // Telecel bought Vodafone Ghana; the code kept the old name.
      telecel: cents("VODAFONE_GHA")
    })
  ],
  ["KE", market("KEN", "KES", { mpesa: { code: "MPESA_KEN", digitsIn: 0, digitsOut: 2 } })],
  ["RW", market("RWA", "RWF", { airtel: whole("AIRTEL_RWA"), mtn: whole("MTN_MOMO_RWA") })],
  ["SN", market("SEN", "XOF", { orange: whole("ORANGE_SEN") })],
  ["TZ", market("TZA", "TZS", { airtel: cents("AIRTEL_TZA"), mpesa: cents("VODACOM_TZA"), tigo: whole("TIGO_TZA") })],
  ["UG", market("UGA", "UGX", { airtel: whole("AIRTEL_OAPI_UGA"), mtn: cents("MTN_MOMO_UGA") })],
  [
    "ZM",
    market("ZMB", "ZMW", {
      airtel: cents("AIRTEL_OAPI_ZMB"),
      mtn: cents("MTN_MOMO_ZMB"),
      zamtel: cents("ZAMTEL_ZMB")
    })
  ]
])

export interface Listed extends Correspondent, Omit<Market, "correspondents"> {
  readonly country: string
  readonly network: string
}

export const listed: ReadonlyArray<Listed> = Array.from(markets).flatMap(([country, { correspondents, ...about }]) =>
  Object.entries(correspondents).map(([network, correspondent]) => ({ ...correspondent, ...about, country, network }))
)

export const findCorrespondent = (country: string, network: string): Option.Option<Listed> =>
  Option.fromNullable(listed.find((one) => one.country === country && one.network === network))

export const serves: ReadonlyArray<Served> = Array.from(markets).flatMap(([country, { correspondents, currency }]) =>
  serving("both", "mobile_money", country, currency, Object.keys(correspondents))
)
