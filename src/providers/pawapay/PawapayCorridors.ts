/** The operators that pawaPay reaches, under the names that it has for them, of the networks that we know. */
import { Option } from "effect"
import type { Served } from "../port/ThirdParty.ts"

export interface Correspondent {
  readonly code: string
  /** Digits behind the point that the operator takes, for money that comes in and money that goes out. */
  readonly digitsIn: number
  readonly digitsOut: number
}

interface Market {
  readonly alpha3: string
  readonly currency: string
  readonly correspondents: Readonly<Record<string, Correspondent>>
}

const whole = (code: string): Correspondent => ({ code, digitsIn: 0, digitsOut: 0 })
const cents = (code: string): Correspondent => ({ code, digitsIn: 2, digitsOut: 2 })

/** What we have and pawaPay has not: Airtel in Kenya, Wave in Côte d'Ivoire and Senegal. */
const markets: Readonly<Record<string, Market>> = {
  CI: {
    alpha3: "CIV",
    currency: "XOF",
    correspondents: { mtn: whole("MTN_MOMO_CIV"), orange: whole("ORANGE_CIV") }
  },
  GH: {
    alpha3: "GHA",
    currency: "GHS",
    correspondents: {
      mtn: cents("MTN_MOMO_GHA"),
      airteltigo: cents("AIRTELTIGO_GHA"),
      // Telecel bought Vodafone Ghana; the code kept the old name.
      telecel: cents("VODAFONE_GHA")
    }
  },
  KE: {
    alpha3: "KEN",
    currency: "KES",
    correspondents: { mpesa: { code: "MPESA_KEN", digitsIn: 0, digitsOut: 2 } }
  },
  RW: {
    alpha3: "RWA",
    currency: "RWF",
    correspondents: { airtel: whole("AIRTEL_RWA"), mtn: whole("MTN_MOMO_RWA") }
  },
  SN: { alpha3: "SEN", currency: "XOF", correspondents: { orange: whole("ORANGE_SEN") } },
  TZ: {
    alpha3: "TZA",
    currency: "TZS",
    correspondents: { airtel: cents("AIRTEL_TZA"), mpesa: cents("VODACOM_TZA"), tigo: whole("TIGO_TZA") }
  },
  UG: {
    alpha3: "UGA",
    currency: "UGX",
    correspondents: { airtel: whole("AIRTEL_OAPI_UGA"), mtn: cents("MTN_MOMO_UGA") }
  },
  ZM: {
    alpha3: "ZMB",
    currency: "ZMW",
    correspondents: { airtel: cents("AIRTEL_OAPI_ZMB"), mtn: cents("MTN_MOMO_ZMB"), zamtel: cents("ZAMTEL_ZMB") }
  }
}

const own = <A>(all: Readonly<Record<string, A>>, key: string): Option.Option<A> =>
  Object.hasOwn(all, key) ? Option.fromNullable(all[key]) : Option.none()

export const findCorrespondent = (country: string, network: string): Option.Option<Correspondent> =>
  Option.flatMap(own(markets, country), ({ correspondents }) => own(correspondents, network))

/** pawaPay writes countries with three letters. */
export const alpha3Of = (country: string): Option.Option<string> =>
  Option.map(own(markets, country), ({ alpha3 }) => alpha3)

export interface Listed extends Correspondent {
  readonly country: string
  readonly alpha3: string
  readonly currency: string
  readonly network: string
}

export const listed: ReadonlyArray<Listed> = Object.entries(markets).flatMap(([country, market]) =>
  Object.entries(market.correspondents).map(([network, correspondent]) => ({
    ...correspondent,
    country,
    alpha3: market.alpha3,
    currency: market.currency,
    network
  }))
)

export const pawapayServes: ReadonlyArray<Served> = Object.entries(markets).flatMap(
  ([country, { correspondents, currency }]) =>
    (["inbound", "outbound"] as const).map((flow) => ({
      method: "mobile_money" as const,
      flow,
      countries: [country],
      currencies: [currency],
      networks: Object.keys(correspondents)
    }))
)
