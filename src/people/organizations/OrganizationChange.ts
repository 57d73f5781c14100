/** What a change makes of an organisation, who may make it, and what the audit log tells of it. */
import { Either, Option } from "effect"
import type { ChangeOrganization } from "../../contract/api/Organizations.ts"
import type { Permit } from "../../domain/Access.ts"
import { isAnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { Forbidden, Invalid } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import type { Organization } from "./Organization.ts"
import type { ChangedOrganization } from "./OrganizationStore.ts"

export type Change = typeof ChangeOrganization.Type

/** An organisation's own admins set the rest. */
const platformFields = ["features", "review_threshold", "kyb_status", "spread_bps", "currency"] as const

export const checkMaySet = (permit: Permit<"organization">, change: Change): Either.Either<void, Forbidden> => {
  const refused = permit.role === "admin" ? [] : platformFields.filter((field) => change[field] !== undefined)
  return refused.length === 0
    ? Either.void
    : Either.left(new Forbidden({ message: `${refused.join(", ")}: only a platform admin may set this.` }))
}

/** 0 and null both say that nothing is held: one of them is kept. */
const thresholdText = (
  { currency }: Organization,
  wanted: NonNullable<Change["review_threshold"]>
): Either.Either<string | null, string> =>
  isAnyCurrencyCode(currency)
    ? Either.map(Money.fromDecimal(wanted, currency), (money) => (money.isZero ? null : money.toNumericText()))
    : Either.left(`cannot be in ${currency}, the organisation's currency`)

export const applyChange = (
  before: Organization,
  { currency, features, review_threshold, ...fields }: Change
): Either.Either<ChangedOrganization, Invalid> => {
  if (currency !== undefined && currency !== before.currency) {
    return Either.left(new Invalid({ message: "currency: cannot change; create another organisation." }))
  }
  const threshold =
    review_threshold === undefined
      ? Either.right(before.review_threshold)
      : review_threshold === null
        ? Either.right(null)
        : thresholdText(before, review_threshold)
  const { country, email, kyb_status, name, org_id, spread_bps } = before
  return Either.mapBoth(threshold, {
    onLeft: (why) => new Invalid({ message: `review_threshold: ${why}.` }),
    onRight: (text) => ({
      ...{ org_id, country, email, kyb_status, name, spread_bps },
      ...fields,
      features: features === undefined ? before.features : Array.from(new Set(features)),
      review_threshold: text
    })
  })
}

type Told = Partial<Record<keyof ChangedOrganization, unknown>>

const comparable = (value: unknown): unknown => (Array.isArray(value) ? JSON.stringify(value) : value)

/** The fields that differ, before and after; none when nothing does. */
export const difference = (
  before: Organization,
  after: ChangedOrganization
): Option.Option<{ readonly old: Told; readonly new: Told }> => {
  const fields = (Object.keys(after) as ReadonlyArray<keyof ChangedOrganization>).filter(
    (field) => comparable(before[field]) !== comparable(after[field])
  )
  const only = (from: ChangedOrganization): Told => Object.fromEntries(fields.map((field) => [field, from[field]]))
  return fields.length === 0 ? Option.none() : Option.some({ old: only(before), new: only(after) })
}
