/** A change to an organisation as an operator types it: `corridor orgs set` before it needs the service. */
import { Effect, Option, Schema } from "effect"
import { settable } from "../../contract/api/Organizations.ts"
import type { Invalid } from "../../domain/Failure.ts"
import type { OrganizationPatch } from "../../people/organizations/Organizations.ts"
import { decimalOption, decodeInput, refuse } from "./CommandInput.ts"

const wholeNumber = (text: string): unknown => (/^\d{1,9}$/.test(text) ? Number(text) : text)

export interface TypedChange {
  readonly name: Option.Option<string>
  readonly email: Option.Option<string>
  readonly country: Option.Option<string>
  readonly feature: ReadonlyArray<string>
  readonly noFeatures: boolean
  readonly reviewThreshold: Option.Option<string>
  readonly spreadBps: Option.Option<string>
  readonly kybStatus: Option.Option<string>
}

const given = (fields: Readonly<Record<string, Option.Option<unknown>>>) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (Option.isNone(value) ? [] : [[name, value.value] as const]))
  )

const names = {
  features: "--feature",
  review_threshold: "--review-threshold",
  spread_bps: "--spread-bps",
  kyb_status: "--kyb-status"
}

const Typed = Schema.Struct({ ...settable, review_threshold: decimalOption("50000.00") }).pipe(
  Schema.partialWith({ exact: true })
)

export const wantedChange = (typed: TypedChange): Effect.Effect<OrganizationPatch, Invalid> =>
  Effect.gen(function* () {
    if (typed.noFeatures && typed.feature.length > 0) {
      return yield* refuse("--no-features and --feature contradict each other: leave one out.")
    }
    const input = given({
      name: typed.name,
      email: typed.email,
      country: typed.country,
      features: typed.noFeatures || typed.feature.length > 0 ? Option.some(typed.feature) : Option.none(),
      review_threshold: typed.reviewThreshold,
      spread_bps: Option.map(typed.spreadBps, wholeNumber),
      kyb_status: typed.kybStatus
    })
    if (Object.keys(input).length === 0) {
      return yield* refuse("Say what to change: --help lists what can be set.")
    }
    return yield* decodeInput(Typed, input, names)
  })
