/** Organisations in memory. */
import { Effect, Layer, Option } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import { newestFirst, openTables, memoryTable, currentDate, seenIn } from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { type Organization, OrganizationStore } from "./OrganizationStore.ts"

export const organizationTables = { organizations: memoryTable<Organization>("organizations") }

export const organizationStoreMemory = Layer.effect(
  OrganizationStore,
  Effect.map(openTables(organizationTables), ({ organizations }): OrganizationStore["Type"] => {
    const visible = (scope: Scope) => organizations.all(seenIn(scope))
    const find = (scope: Scope, orgId: OrgId) => Effect.sync(() => organizations.one(orgId, seenIn(scope)))
    return {
      insert: (organization) =>
        Effect.map(currentDate, (at) => {
          const row: Organization = {
            ...organization,
            kyb_status: "not_started",
            kyb_customer_id: null,
            review_threshold: null,
            spread_bps: 0,
            reserves: [],
            created_at: at,
            updated_at: at
          }
          organizations.set(row.org_id, row)
          return row
        }),
      find,
      findForUpdate: find,
      update: (scope, changed) =>
        Effect.zipWith(find(scope, changed.org_id), currentDate, (found, updated_at) =>
          Option.map(found, (before) => {
            const row = { ...before, ...changed, updated_at }
            organizations.set(row.org_id, row)
            return row
          })
        ),
      setReserves: (orgId, reserves) =>
        Effect.map(currentDate, (updated_at) => {
          const before = organizations.get(orgId)
          if (before !== undefined) organizations.set(orgId, { ...before, reserves, updated_at })
        }),
      withReserves: (most) =>
        Effect.sync(() =>
          visible(Option.none())
            .filter(({ reserves }) => reserves.length > 0)
            .toSorted((a, b) => (a.org_id < b.org_id ? -1 : 1))
            .slice(0, most)
        ),
      list: (scope, window) => Effect.sync(() => newestFirst(visible(scope), (row) => row.org_id, window))
    }
  })
)
