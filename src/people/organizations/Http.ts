import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { OrganizationsApi } from "../../contract/api/Organizations.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makeCamelPages } from "../../platform/pagination/Page.ts"
import { Organizations } from "./Organizations.ts"
import { organizationView } from "./OrganizationView.ts"

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
