/** An organisation as callers see it: its threshold an amount of its currency, its spread for platform admins alone. */
import { Either, Option } from "effect"
import type { Organization as ShownOrganization } from "../../contract/api/Organizations.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import { isAnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { fromPlainText } from "../../domain/Decimal.ts"
import { Money } from "../../domain/Money.ts"
import type { Organization } from "./Organization.ts"

/** With the digits of the currency, or with its own where the currency has fewer. */
export const thresholdOf = ({ currency, review_threshold }: Organization) => {
  if (review_threshold === null) return null
  const money = isAnyCurrencyCode(currency)
    ? Either.getRight(Money.fromNumericText(review_threshold, currency))
    : Option.none()
  return Option.match(money, {
    onNone: () => Option.getOrNull(fromPlainText(review_threshold)),
    onSome: (one) => (one.isZero ? null : one.toDecimal())
  })
}

export const organizationView = (
  permit: Permit<Access>,
  organization: Organization
): typeof ShownOrganization.Type => {
  const { sandbox: _sandbox, spread_bps, ...shown } = organization
  return {
    ...shown,
    review_threshold: thresholdOf(organization),
    ...(permit.role === "admin" ? { spread_bps } : {})
  }
}
