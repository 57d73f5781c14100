/** Organisations at rest. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { batched } from "../database/Batcher.ts"
import { MemoryTables, newestFirst } from "../database/MemoryTables.ts"
import { inOrder, inScope, newest, type Scope } from "../database/Query.ts"
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
  static readonly layer = Layer.scoped(
    OrganizationStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "org_id, name, country, currency, email, kyb_status, kyb_customer_id, features, sandbox, review_threshold, created_at, updated_at"
      )
      const find = yield* batched((asked: ReadonlyArray<{ readonly org: string | null; readonly id: string }>) =>
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
        list: (scope, window) =>
          sql<Organization>`select ${columns} from organizations where ${inScope(sql, scope)}
            ${newest(sql, "org_id", window)}`.pipe(Effect.orDie)
      }
      return store
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
