/** Countries of ISO 3166-1, each with its default currency and the UN M49 sub-region of reports. */
import { Schema } from "effect"
import { CurrencyCode } from "./Currency.ts"

/**
 * UN M49 sub-regions, each with its countries and their default currencies. Antarctica, which has neither a currency nor
 * a sub-region, carries the US dollar and its own M49 code.
 */
const subRegions: ReadonlyArray<readonly [subRegion: string, countries: string]> = [
  ["010", "AQ:USD"],
  ["015", "DZ:DZD EG:EGP EH:MAD LY:LYD MA:MAD SD:SDG TN:TND"],
  ["021", "BM:BMD CA:CAD GL:DKK PM:EUR US:USD"],
  ["030", "CN:CNY HK:HKD JP:JPY KP:KPW KR:KRW MN:MNT MO:MOP TW:TWD"],
  ["034", "AF:AFN BD:BDT BT:BTN IN:INR IR:IRR LK:LKR MV:MVR NP:NPR PK:PKR"],
  ["035", "BN:BND ID:IDR KH:KHR LA:LAK MM:MMK MY:MYR PH:PHP SG:SGD TH:THB TL:USD VN:VND"],
  [
    "039",
    `AD:EUR AL:ALL BA:BAM ES:EUR GI:GIP GR:EUR HR:EUR IT:EUR ME:EUR MK:MKD MT:EUR PT:EUR RS:RSD SI:EUR SM:EUR
     VA:EUR`
  ],
  ["053", "AU:AUD CC:AUD CX:AUD HM:AUD NF:AUD NZ:NZD"],
  ["054", "FJ:FJD NC:XPF PG:PGK SB:SBD VU:VUV"],
  ["057", "FM:USD GU:USD KI:AUD MH:USD MP:USD NR:AUD PW:USD UM:USD"],
  ["061", "AS:USD CK:NZD NU:NZD PF:XPF PN:NZD TK:NZD TO:TOP TV:AUD WF:XPF WS:WST"],
  ["143", "KG:KGS KZ:KZT TJ:TJS TM:TMT UZ:UZS"],
  [
    "145",
    `AE:AED AM:AMD AZ:AZN BH:BHD CY:EUR GE:GEL IL:ILS IQ:IQD JO:JOD KW:KWD LB:LBP OM:OMR PS:ILS QA:QAR SA:SAR
     SY:SYP TR:TRY YE:YER`
  ],
  ["151", "BG:EUR BY:BYN CZ:CZK HU:HUF MD:MDL PL:PLN RO:RON RU:RUB SK:EUR UA:UAH"],
  [
    "154",
    `AX:EUR DK:DKK EE:EUR FI:EUR FO:DKK GB:GBP GG:GBP IE:EUR IM:GBP IS:ISK JE:GBP LT:EUR LV:EUR NO:NOK SE:SEK
     SJ:NOK`
  ],
  ["155", "AT:EUR BE:EUR CH:CHF DE:EUR FR:EUR LI:CHF LU:EUR MC:EUR NL:EUR"],
  [
    "202",
    `AO:AOA BF:XOF BI:BIF BJ:XOF BW:BWP CD:CDF CF:XAF CG:XAF CI:XOF CM:XAF CV:CVE DJ:DJF ER:ERN ET:ETB GA:XAF
     GH:GHS GM:GMD GN:GNF GQ:XAF GW:XOF IO:USD KE:KES KM:KMF LR:LRD LS:LSL MG:MGA ML:XOF MR:MRU MU:MUR MW:MWK
     MZ:MZN NA:NAD NE:XOF NG:NGN RE:EUR RW:RWF SC:SCR SH:SHP SL:SLE SN:XOF SO:SOS SS:SSP ST:STN SZ:SZL TD:XAF
     TF:EUR TG:XOF TZ:TZS UG:UGX YT:EUR ZA:ZAR ZM:ZMW ZW:ZWG`
  ],
  [
    "419",
    `AG:XCD AI:XCD AR:ARS AW:AWG BB:BBD BL:EUR BO:BOB BQ:USD BR:BRL BS:BSD BV:NOK BZ:BZD CL:CLP CO:COP CR:CRC
     CU:CUP CW:XCG DM:XCD DO:DOP EC:USD FK:FKP GD:XCD GF:EUR GP:EUR GS:GBP GT:GTQ GY:GYD HN:HNL HT:HTG JM:JMD
     KN:XCD KY:KYD LC:XCD MF:EUR MQ:EUR MS:XCD MX:MXN NI:NIO PA:PAB PE:PEN PR:USD PY:PYG SR:SRD SV:USD SX:XCG
     TC:USD TT:TTD UY:UYU VC:XCD VE:VES VG:USD VI:USD`
  ]
]

const countryTable = subRegions.flatMap(([subRegion, listed]) =>
  listed.split(/\s+/).map((one) => {
    const [code = "", currency = ""] = one.split(":")
    return { code, currency, subRegion }
  })
)

interface Country {
  readonly code: CountryCode
  readonly currency: CurrencyCode
  readonly subRegion: string
}

const pattern = /^[A-Z]{2}$/
const knownCodes = new Set(countryTable.map(({ code }) => code))

const refusal = (input: unknown): string => {
  if (typeof input !== "string") return 'is not a string holding an ISO 3166-1 country code such as "KE"'
  if (!pattern.test(input)) return 'is not a country code of two upper-case letters such as "KE"'
  return `is not an ISO 3166-1 country code: ${input} is unknown, use one such as "KE"`
}

export const CountryCode = Schema.String.annotations({ message: (issue) => refusal(issue.actual) })
  .pipe(
    Schema.filter((code) => knownCodes.has(code) || refusal(code)),
    Schema.brand("CountryCode")
  )
  .annotations({
    identifier: "CountryCode",
    jsonSchema: {
      type: "string",
      pattern: pattern.source,
      description: "ISO 3166-1 alpha-2 country code, in upper case.",
      examples: ["KE"]
    }
  })
export type CountryCode = typeof CountryCode.Type

export const isCountryCode = Schema.is(CountryCode)

export const countries: ReadonlyMap<CountryCode, Country> = new Map(
  countryTable.map((row) => {
    const code = CountryCode.make(row.code)
    return [code, { code, currency: CurrencyCode.make(row.currency), subRegion: row.subRegion }]
  })
)

const rowOf = (code: CountryCode): Country => {
  const found = countries.get(code)
  if (found === undefined) throw new Error(`branded country code ${code} is not in the table`)
  return found
}

export const defaultCurrencyOf = (code: CountryCode): CurrencyCode => rowOf(code).currency

export const subRegionOf = (code: CountryCode): string => rowOf(code).subRegion
