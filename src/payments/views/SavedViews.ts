/** Saved views of an organisation: created, renamed, changed and deleted, each audited in its own transaction. */
import { Context, Effect, Layer, Option } from "effect"
import type * as Api from "../../contract/api/SavedViewsApi.ts"
import { organizationOf, type Permit } from "../../domain/Access.ts"
import { Conflict, type Invalid, type NotFound, notFound } from "../../domain/Failure.ts"
import { Ids, type OrgId, ViewId } from "../../domain/Ids.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { Transactor } from "../../platform/database/Transactor.ts"

export type SavedView = typeof Api.SavedView.Type
export type ViewDraft = Pick<SavedView, "name" | "filters">
export type ViewPatch = Partial<ViewDraft>

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

      const orNotFound = Effect.flatMap(
        Option.match({
          onNone: () => Effect.fail(notFound("view")),
          onSome: (view: SavedView) => Effect.succeed(view)
        })
      )

      const orTaken = (name: string) =>
        Effect.flatMap(
          Option.match({
            onNone: () => Effect.fail(new Conflict({ message: `name: a view is called ${name} already.` })),
            onSome: (view: SavedView) => Effect.succeed(view)
          })
        )

      const record = (permit: Permit<"saved_views">, action: string, { name, org_id, view_id }: SavedView) =>
        audit.record(permit, { action, org: org_id, subject: ["saved_view", view_id], detail: { name } })

      return {
        list: (permit) => Effect.flatMap(organizationOf(permit), store.list),
        create: Effect.fn("SavedViews.create")(function* (permit, { filters, name }) {
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
        change: Effect.fn("SavedViews.change")(function* (permit, id, patch) {
          return yield* atomically(
            Effect.gen(function* () {
              const old = yield* orNotFound(store.find(permit.scope, id))
              const { filters = old.filters, name = old.name } = patch
              // One after the other: two views would get the same name, and the index refuses that as an error.
              if (name !== old.name) yield* store.countForUpdate(old.org_id)
              const changed = yield* orTaken(name)(store.update(permit.scope, id, { filters, name }))
              yield* record(permit, "saved_view.changed", changed)
              return changed
            })
          )
        }),
        remove: Effect.fn("SavedViews.remove")(function* (permit, id) {
          yield* atomically(
            Effect.gen(function* () {
              const view = yield* orNotFound(store.find(permit.scope, id))
              yield* store.remove(permit.scope, id)
              yield* record(permit, "saved_view.deleted", view)
            })
          )
        })
      }
    })
  )
}
