import { Effect, Either, Option } from "effect"
import type { OrganizationsApi, Organization as ShownOrganization } from "../../contract/api/OrganizationsApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Pagination.ts"
import { Organizations } from "./Organizations.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import { isAnyCurrencyCode } from "../../domain/Currency.ts"
import { fromPlainText } from "../../domain/Decimal.ts"
import { Money } from "../../domain/Money.ts"
import type { Organization } from "./OrganizationStore.ts"

/** With the currency's decimals, or its own if it has more. */
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

/** Shows `spread_bps` to platform admins only. */
export const organizationView = (permit: Permit<Access>, organization: Organization): typeof ShownOrganization.Type => {
  const { spread_bps, ...shown } = organization
  return {
    ...shown,
    review_threshold: thresholdOf(organization),
    ...(permit.role === "admin" ? { spread_bps } : {})
  }
}

export const organizationsHandlers = Effect.map(
  Effect.all([Organizations, makeCamelPages]),
  ([organizations, pages]): Handlers<typeof OrganizationsApi> => {
    const shownTo = (permit: Permit<Access>) => (organization: Organization) => organizationView(permit, organization)
    return {
      list: (request) =>
        pages(request, {
          message: "Organisations",
          fetch: (window) => organizations.list(request.permit, window),
          idOf: (organization) => organization.org_id,
          show: shownTo(request.permit)
        }),
      create: ({ payload, permit }) =>
        answer("Organisation created", organizations.create(permit, payload), shownTo(permit)),
      get: ({ permit }) => answer("Organisation", organizations.get(permit), shownTo(permit)),
      change: ({ payload, permit }) =>
        answer("Organisation changed", organizations.change(permit, payload), shownTo(permit))
    }
  }
)
