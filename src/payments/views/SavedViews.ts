/** Saved views of an organisation: created, renamed, changed and deleted, each audited in its own transaction. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { organizationOf, type Permit } from "../../domain/Access.ts"
import { Conflict, type Invalid, type NotFound } from "../../domain/Failure.ts"
import { Ids, type OrgId, ViewId } from "../../domain/Ids.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orNotFound, orRefuse, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { type Scope, execute, ownedIn, query, queryCount } from "../../platform/database/Query.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { SqlClient } from "@effect/sql"
import * as Api from "../../contract/api/SavedViewsApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { traced } from "../../platform/observability/Spans.ts"

export type SavedView = typeof Api.SavedView.Type
export type ViewDraft = Pick<SavedView, "name" | "filters">
type ViewPatch = Partial<ViewDraft>

export interface Store {
  /** All of an organisation, by name. */
  readonly list: (orgId: OrgId) => Stored<ReadonlyArray<SavedView>>
  /** Number of the organisation's views. Others that are counted in transactions wait for the end of this one. */
  readonly countForUpdate: (orgId: OrgId) => Stored<number>
  /** None: the name is taken. */
  readonly insert: (view: Omit<SavedView, "created_at" | "updated_at">) => Stored<Option.Option<SavedView>>
  readonly find: (scope: Scope, id: ViewId) => Stored<Option.Option<SavedView>>
  /** None: the name is taken. */
  readonly update: (scope: Scope, id: ViewId, fields: ViewDraft) => Stored<Option.Option<SavedView>>
  readonly remove: (scope: Scope, id: ViewId) => Stored<void>
}

export class SavedViewStore extends Context.Tag("corridor/SavedViewStore")<SavedViewStore, Store>() {}

/** Views of one organisation. */
export const MOST_VIEWS = 100

export class SavedViews extends Context.Tag("corridor/SavedViews")<
  SavedViews,
  {
    readonly list: (permit: Permit<"transactions">) => Stored<ReadonlyArray<SavedView>, Invalid>
    readonly create: (permit: Permit<"saved_views">, draft: ViewDraft) => Stored<SavedView, Invalid | Conflict>
    readonly change: (
      permit: Permit<"saved_views">,
      id: ViewId,
      patch: ViewPatch
    ) => Stored<SavedView, NotFound | Conflict>
    readonly remove: (permit: Permit<"saved_views">, id: ViewId) => Stored<void, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    SavedViews,
    Effect.gen(function* () {
      const store = yield* SavedViewStore
      const audit = yield* AuditLog
      const ids = yield* Ids
      const { atomically } = yield* Transactor

      const found = orNotFound("view")

      const orTaken = (name: string) =>
        orRefuse(() => new Conflict({ message: `name: a view is called ${name} already.` }))

      const record = (permit: Permit<"saved_views">, action: string, { name, org_id, view_id }: SavedView) =>
        audit.record(permit, { action, org: org_id, subject: ["saved_view", view_id], detail: { name } })

      return {
        list: (permit) => Effect.flatMap(organizationOf(permit), store.list),
        create: traced("SavedViews.create")(function* (permit, { filters, name }) {
          const org_id = yield* organizationOf(permit)
          return yield* atomically(
            Effect.gen(function* () {
              if ((yield* store.countForUpdate(org_id)) >= MOST_VIEWS) {
                return yield* new Conflict({ message: `An organisation has at most ${MOST_VIEWS} views: delete one.` })
              }
              const view_id = yield* ids.make(ViewId)
              const created_by = Option.getOrNull(permit.actor.userId)
              const made = yield* orTaken(name)(store.insert({ view_id, org_id, name, filters, created_by }))
              yield* record(permit, "saved_view.created", made)
              return made
            })
          )
        }),
        change: traced("SavedViews.change")(function* (permit, id, patch) {
          return yield* atomically(
            Effect.gen(function* () {
              const old = yield* found(store.find(permit.scope, id))
              const { filters = old.filters, name = old.name } = patch
              // One after the other: two views would get the same name, and the index refuses that as an error.
              if (name !== old.name) yield* store.countForUpdate(old.org_id)
              const changed = yield* orTaken(name)(store.update(permit.scope, id, { filters, name }))
              yield* record(permit, "saved_view.changed", changed)
              return changed
            })
          )
        }),
        remove: traced("SavedViews.remove")(function* (permit, id) {
          yield* atomically(
            Effect.gen(function* () {
              const view = yield* found(store.find(permit.scope, id))
              yield* store.remove(permit.scope, id)
              yield* record(permit, "saved_view.deleted", view)
            })
          )
        })
      }
    })
  )
}

const views = query(Schema.typeSchema(Api.SavedView))

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

export const savedViewsHandlers = Effect.map(SavedViews, (views): Handlers<typeof Api.SavedViewsApi> => ({
  list: ({ permit }) => answer("Saved views", views.list(permit)),
  create: ({ payload: { filters, name }, permit }) =>
    answer("View saved", views.create(permit, { filters, name: name.trim() })),
  change: ({ path, payload: { name, ...filters }, permit }) =>
    answer(
      "View changed",
      views.change(permit, path.view_id, { ...filters, ...(name === undefined ? {} : { name: name.trim() }) })
    ),
  remove: ({ path, permit }) => views.remove(permit, path.view_id)
}))
