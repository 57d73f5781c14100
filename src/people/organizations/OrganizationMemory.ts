/** Organisations in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import { newestFirst, openTables, memoryTable } from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { type Organization, OrganizationStore } from "./OrganizationStore.ts"

export const organizationTables = {
  organizations: memoryTable<Organization>("organizations"),
  spreads: memoryTable<number>("spreads")
}

export const organizationStoreMemory = Layer.effect(
  OrganizationStore,
  Effect.map(openTables(organizationTables), ({ organizations, spreads }): OrganizationStore["Type"] => {
    const visible = (scope: Scope) =>
      Array.from(organizations.values())
        .filter((row) => Option.isNone(scope) || row.org_id === scope.value)
        .map((row) => ({ ...row, spread_bps: spreads.get(row.org_id) ?? 0 }))
    const find = (scope: Scope, orgId: OrgId) =>
      Effect.sync(() => Option.fromNullable(visible(scope).find((row) => row.org_id === orgId)))
    return {
      insert: (organization) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const at = new Date(now)
          const row: Organization = {
            ...organization,
            kyb_status: "not_started",
            kyb_customer_id: null,
            review_threshold: null,
            spread_bps: 0,
            created_at: at,
            updated_at: at
          }
          organizations.set(row.org_id, row)
          return row
        }),
      find,
      findForUpdate: find,
      update: (scope, changed) =>
        Effect.zipWith(find(scope, changed.org_id), Clock.currentTimeMillis, (found, now) =>
          Option.map(found, (before) => {
            const row = { ...before, ...changed, updated_at: new Date(now) }
            organizations.set(row.org_id, row)
            spreads.set(row.org_id, row.spread_bps)
            return row
          })
        ),
      list: (scope, window) => Effect.sync(() => newestFirst(visible(scope), (row) => row.org_id, window))
    }
  })
)
