/** Options of `corridor orgs create` and `orgs set`, checked by the contract. */
import { Effect, Option, Schema } from "effect"
import { CreateOrganization, settable } from "../../contract/api/OrganizationsApi.ts"
import { decimalOption, decodeInput, givenFields, refuse } from "../shared/CommandInput.ts"

type NewOrganization = { readonly [Field in keyof typeof CreateOrganization.Encoded]-?: unknown }

export const newOrganization = (input: NewOrganization) =>
  decodeInput(CreateOrganization, input, { features: "--feature" })

interface TypedChange {
  readonly name: Option.Option<string>
  readonly email: Option.Option<string>
  readonly country: Option.Option<string>
  readonly feature: ReadonlyArray<string>
  readonly noFeatures: boolean
  readonly reviewThreshold: Option.Option<string>
  readonly spreadBps: Option.Option<string>
  readonly kybStatus: Option.Option<string>
}

const wholeNumber = (text: string): unknown => (/^\d{1,9}$/.test(text) ? Number(text) : text)

const optionNames = {
  features: "--feature",
  review_threshold: "--review-threshold",
  spread_bps: "--spread-bps",
  kyb_status: "--kyb-status"
}

const Change = Schema.Struct({ ...settable, review_threshold: decimalOption("50000.00") }).pipe(
  Schema.partialWith({ exact: true })
)

export const changeFrom = Effect.fnUntraced(function* (typed: TypedChange) {
  if (typed.noFeatures && typed.feature.length > 0) {
    return yield* refuse("--no-features and --feature contradict each other: leave one out.")
  }
  const input = givenFields({
    name: typed.name,
    email: typed.email,
    country: typed.country,
    features: typed.noFeatures || typed.feature.length > 0 ? Option.some(typed.feature) : Option.none(),
    review_threshold: typed.reviewThreshold,
    spread_bps: Option.map(typed.spreadBps, wholeNumber),
    kyb_status: typed.kybStatus
  })
  if (Object.keys(input).length === 0) return yield* refuse("Nothing to change: --help lists what can be set.")
  return yield* decodeInput(Change, input, optionNames)
})
