/** The wallet platforms of MTN's countries, by the names that its API has for them, and what each of them takes. */
import { Either } from "effect"
import type { Provider } from "../port/Provider.ts"
import { type Served, servedBy } from "../port/ThirdParty.ts"

export const TITLE = "MTN MoMo"

export const MTN = "mtn"

/** MTN's own place for tests, which belongs to no country and counts in one currency, whatever the number that is asked. */
export const SANDBOX = { name: "sandbox", currency: "EUR" } as const

interface Platform {
  readonly country: string
  readonly currency: string
}

const platforms: ReadonlyMap<string, Platform> = new Map([
  ["mtnuganda", { country: "UG", currency: "UGX" }],
  ["mtnghana", { country: "GH", currency: "GHS" }],
  ["mtnrwanda", { country: "RW", currency: "RWF" }],
  ["mtnzambia", { country: "ZM", currency: "ZMW" }],
  ["mtnivorycoast", { country: "CI", currency: "XOF" }],
  ["mtncameroon", { country: "CM", currency: "XAF" }],
  ["mtnbenin", { country: "BJ", currency: "XOF" }],
  ["mtncongo", { country: "CG", currency: "XAF" }],
  ["mtnguineaconakry", { country: "GN", currency: "GNF" }],
  ["mtnliberia", { country: "LR", currency: "LRD" }],
  ["mtnswaziland", { country: "SZ", currency: "SZL" }],
  ["mtnsouthafrica", { country: "ZA", currency: "ZAR" }]
])

const bothWays = (countries: Served["countries"], currency: string): ReadonlyArray<Served> =>
  (["inbound", "outbound"] as const).map((flow) => ({
    method: "mobile_money",
    flow,
    countries,
    currencies: [currency],
    networks: [MTN]
  }))

export const serves: ReadonlyArray<Served> = Array.from(platforms.values()).flatMap(({ country, currency }) =>
  bothWays([country], currency)
)

/** Currency of an environment; undefined for an unknown one. */
export const currencyOf = (environment: string): string | undefined =>
  environment === SANDBOX.name ? SANDBOX.currency : platforms.get(environment)?.currency

/** One account stands in one environment, so that it serves one country of all those that MTN does. */
export const supportsIn = (environment: string): Provider["supports"] => {
  if (environment === SANDBOX.name) return servedBy(`${TITLE}'s sandbox`, bothWays("everywhere", SANDBOX.currency))
  const platform = platforms.get(environment)
  return platform === undefined
    ? () =>
        Either.left(
          `MTN_MOMO_TARGET_ENVIRONMENT is ${environment}, which is none of ${[SANDBOX.name, ...platforms.keys()].join(", ")}.`
        )
    : servedBy(`${TITLE} (${environment})`, bothWays([platform.country], platform.currency))
}
