/** Organisations at rest. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { MemoryTables, newestFirst } from "../database/MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../database/Query.ts"
import type { Window } from "../pagination/Page.ts"
import type { Organization } from "./Organization.ts"

export type NewOrganization = Pick<
  Organization,
  "org_id" | "name" | "country" | "currency" | "email" | "features" | "sandbox"
>

interface Store {
  readonly insert: (organization: NewOrganization) => Effect.Effect<Organization>
  readonly find: (scope: Scope, orgId: string) => Effect.Effect<Option.Option<Organization>>
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Organization>>
}

export class OrganizationStore extends Context.Tag("corridor/OrganizationStore")<OrganizationStore, Store>() {
  static readonly layer = Layer.effect(
    OrganizationStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal(
        "org_id, name, country, currency, email, kyb_status, kyb_customer_id, features, sandbox, review_threshold, created_at, updated_at"
      )
      return {
        insert: (organization) =>
          sql<Organization>`insert into organizations ${sql.insert({ ...organization, features: [...organization.features] })}
            returning ${columns}`.pipe(
            Effect.map((rows) => rows[0]!),
            Effect.orDie
          ),
        find: (scope, orgId) =>
          sql<Organization>`select ${columns} from organizations where org_id = ${orgId} and ${inScope(sql, scope)}`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          ),
        list: (scope, window) =>
          sql<Organization>`select ${columns} from organizations where ${inScope(sql, scope)}
            ${newest(sql, "org_id", window)}`.pipe(Effect.orDie)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    OrganizationStore,
    Effect.map(MemoryTables, ({ organizations }): Store => {
      const visible = (scope: Scope) =>
        Array.from(organizations.values()).filter((row) => Option.isNone(scope) || row.org_id === scope.value)
      return {
        insert: (organization) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const at = new Date(now)
            const row: Organization = {
              ...organization,
              kyb_status: "not_started",
              kyb_customer_id: null,
              review_threshold: null,
              created_at: at,
              updated_at: at
            }
            organizations.set(row.org_id, row)
            return row
          }),
        find: (scope, orgId) =>
          Effect.sync(() => Option.fromNullable(visible(scope).find((row) => row.org_id === orgId))),
        list: (scope, window) => Effect.sync(() => newestFirst(visible(scope), (row) => row.org_id, window))
      }
    })
  )
}
