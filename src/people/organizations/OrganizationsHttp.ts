import { Effect, Either, Option } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { OrganizationsApi, Organization as ShownOrganization } from "../../contract/api/OrganizationsApi.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Pagination.ts"
import { Organizations } from "./Organizations.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import { isAnyCurrencyCode } from "../../domain/CryptoAsset.ts"
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
  const { sandbox: _sandbox, spread_bps, ...shown } = organization
  return {
    ...shown,
    review_threshold: thresholdOf(organization),
    ...(permit.role === "admin" ? { spread_bps } : {})
  }
}

export const organizationsHandlers = Effect.gen(function* () {
  const organizations = yield* Organizations
  const pages = yield* makeCamelPages
  const handlers: Handlers<typeof OrganizationsApi> = {
    list: (request) => {
      const { permit } = request
      return pages(request, {
        message: "Organisations",
        fetch: (window) => organizations.list(permit, window),
        idOf: (organization) => organization.org_id,
        show: (organization) => organizationView(permit, organization)
      })
    },
    create: ({ payload, permit }) =>
      Effect.map(organizations.create(permit, payload), (made) =>
        success("Organisation created", organizationView(permit, made))
      ),
    get: ({ permit }) =>
      Effect.map(organizations.get(permit), (found) => success("Organisation", organizationView(permit, found))),
    change: ({ payload, permit }) =>
      Effect.map(organizations.change(permit, payload), (changed) =>
        success("Organisation changed", organizationView(permit, changed))
      )
  }
  return handlers
})
