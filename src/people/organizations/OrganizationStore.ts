/** Organisations at rest. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { batchedReads } from "../../platform/database/Batcher.ts"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { organizationTables } from "./MemoryTables.ts"
import { firstRow, inOrder, inScope, newest, type Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Organization } from "./Organization.ts"

export type NewOrganization = Pick<
  Organization,
  "org_id" | "name" | "country" | "currency" | "email" | "features" | "sandbox"
>

/** What can change of an organisation. */
export type ChangedOrganization = Pick<
  Organization,
  "org_id" | "name" | "country" | "email" | "kyb_status" | "features" | "review_threshold" | "spread_bps"
>

interface Store {
  readonly insert: (organization: NewOrganization) => Effect.Effect<Organization>
  readonly find: (scope: Scope, orgId: string) => Effect.Effect<Option.Option<Organization>>
  /** Inside a transaction nobody else changes it until its end; payments go on meanwhile. */
  readonly findForUpdate: (scope: Scope, orgId: string) => Effect.Effect<Option.Option<Organization>>
  readonly update: (scope: Scope, changed: ChangedOrganization) => Effect.Effect<Option.Option<Organization>>
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Organization>>
}

interface Question {
  readonly org: string | null
  readonly id: string
}

const keyOf = ({ id, org }: Question) => `${org} ${id}`

export class OrganizationStore extends Context.Tag("corridor/OrganizationStore")<OrganizationStore, Store>() {
  static readonly layer = Layer.scoped(
    OrganizationStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "org_id, name, country, currency, email, kyb_status, kyb_customer_id, features, sandbox, review_threshold, spread_bps, created_at, updated_at"
      )
      const find = yield* batchedReads(keyOf, (asked: ReadonlyArray<Question>) =>
        sql<Organization & { readonly seq: number }>`select a.seq, ${columns}
          from jsonb_to_recordset(${inOrder(asked)}::jsonb) as a (seq integer, org uuid, id uuid)
          join organizations o on o.org_id = a.id and (o.org_id = a.org or a.org is null)`.pipe(
          Effect.map((rows) => {
            const found = new Map(rows.map(({ seq, ...organization }) => [seq, organization]))
            return asked.map((_, seq) => Option.fromNullable(found.get(seq)))
          }),
          Effect.orDie
        )
      )

      const store: Store = {
        insert: (organization) =>
          sql<Organization>`insert into organizations ${sql.insert({ ...organization, features: [...organization.features] })}
            returning ${columns}`.pipe(
            Effect.map((rows) => rows[0]!),
            Effect.orDie
          ),
        find: (scope, orgId) => find({ org: Option.getOrNull(scope), id: orgId }),
        findForUpdate: (scope, orgId) =>
          sql<Organization>`select ${columns} from organizations where org_id = ${orgId} and ${inScope(sql, scope)}
            for no key update`.pipe(Effect.map(firstRow), Effect.orDie),
        update: (scope, { country, email, features, kyb_status, name, org_id, review_threshold, spread_bps }) =>
          sql<Organization>`update organizations
            set ${sql.update({ name, country, email, kyb_status, features: [...features], review_threshold, spread_bps })},
              updated_at = now()
            where org_id = ${org_id} and ${inScope(sql, scope)} returning ${columns}`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          ),
        list: (scope, window) =>
          sql<Organization>`select ${columns} from organizations where ${inScope(sql, scope)}
            ${newest(sql, "org_id", window)}`.pipe(Effect.orDie)
      }
      return store
    })
  )

  static readonly layerMemory = Layer.effect(
    OrganizationStore,
    Effect.map(openTables(organizationTables), ({ organizations, spreads }): Store => {
      const visible = (scope: Scope) =>
        Array.from(organizations.values())
          .filter((row) => Option.isNone(scope) || row.org_id === scope.value)
          .map((row) => ({ ...row, spread_bps: spreads.get(row.org_id) ?? 0 }))
      const find = (scope: Scope, orgId: string) =>
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
}
