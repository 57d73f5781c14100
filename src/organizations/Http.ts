import { Effect } from "effect"
import { success } from "../api/Envelope.ts"
import type { OrganizationsApi } from "../api/Organizations.ts"
import type { Handlers } from "../http/Handlers.ts"
import { paginateCamel } from "../pagination/CamelPage.ts"
import { Vault } from "../secrets/Vault.ts"
import { Organizations } from "./Organizations.ts"
import { organizationView } from "./OrganizationView.ts"

export const organizationsHandlers = Effect.gen(function* () {
  const organizations = yield* Organizations
  const vault = yield* Vault
  const handlers: Handlers<typeof OrganizationsApi> = {
    list: ({ permit, route, urlParams }) =>
      paginateCamel({
        vault,
        permit,
        route,
        asked: urlParams,
        fetch: (window) => organizations.list(permit, window),
        idOf: (organization) => organization.org_id
      }).pipe(
        Effect.map(({ data, ...page }) => ({
          status: "success",
          message: "Organisations",
          data: data.map((organization) => organizationView(permit, organization)),
          ...page
        }))
      ),
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
