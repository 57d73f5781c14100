/** Saved views in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { SavedView } from "../../contract/api/SavedViewsApi.ts"
import type { ViewId } from "../../domain/Ids.ts"
import { execute, ownedIn, query, queryCount, type Scope } from "../../platform/database/Query.ts"
import { SavedViewStore, type Store } from "./SavedViews.ts"

const views = query(Schema.typeSchema(SavedView))

export const savedViewStoreSql = Layer.effect(
  SavedViewStore,
  Effect.map(SqlClient.SqlClient, (sql): Store => {
    const columns = sql.literal("view_id, org_id, name, filters, created_by, created_at, updated_at")
    const one = (scope: Scope, id: ViewId) => sql`view_id = ${id} and ${ownedIn(sql, scope)}`
    /** Whether another view of the organisation has the name. */
    const taken = (org: string, name: string, id: ViewId) =>
      sql`select 1 from saved_views o where o.org_id = ${sql.literal(org)} and o.name = ${name} and o.view_id <> ${id}`
    return {
      list: (orgId) => views.all(sql`select ${columns} from saved_views where org_id = ${orgId} order by name`),
      countForUpdate: (orgId) =>
        Effect.zipRight(
          execute(sql`select 1 from organizations where org_id = ${orgId} for no key update`),
          queryCount(sql`select count(*)::int from saved_views where org_id = ${orgId}`)
        ),
      insert: ({ filters, ...view }) =>
        views.first(sql`insert into saved_views ${sql.insert({ ...view, filters: JSON.stringify(filters) })}
            on conflict on constraint saved_views_name do nothing returning ${columns}`),
      find: (scope, id) => views.first(sql`select ${columns} from saved_views where ${one(scope, id)} for update`),
      update: (scope, id, { filters, name }) =>
        views.first(sql`update saved_views v set name = ${name}, filters = ${JSON.stringify(filters)}::jsonb,
            updated_at = now() where ${one(scope, id)} and not exists (${taken("v.org_id", name, id)})
            returning ${columns}`),
      remove: (scope, id) => execute(sql`delete from saved_views where ${one(scope, id)}`)
    }
  })
)
