/** Organisations in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { batchOf, inScope, newest, query } from "../../platform/database/Query.ts"
import { cachedByConfigVersion } from "../../platform/database/Batcher.ts"
import { Organization, OrganizationStore } from "./OrganizationStore.ts"

interface Lookup {
  readonly org: string | null
  readonly id: string
}

const keyOf = ({ id, org }: Lookup) => `${org} ${id}`

const organizations = query(Organization)
const numbered = query(Schema.Struct({ ...Organization.fields, seq: Schema.Number }))

export const organizationStoreSql = Layer.scoped(
  OrganizationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(
      "org_id, name, country, currency, email, kyb_status, kyb_customer_id, features, sandbox, review_threshold, spread_bps, created_at, updated_at"
    )
    const find = yield* cachedByConfigVersion(keyOf, (asked: ReadonlyArray<Lookup>) =>
      sql`select a.seq, ${columns}
        from ${batchOf(sql, asked, "org uuid, id uuid")} a
        join organizations o on o.org_id = a.id and (o.org_id = a.org or a.org is null)`.pipe(
        numbered.all,
        Effect.map((rows) => {
          const found = new Map(rows.map(({ seq, ...row }) => [seq, row]))
          return asked.map((_, seq) => Option.fromNullable(found.get(seq)))
        })
      )
    )

    const store: OrganizationStore["Type"] = {
      insert: (fresh) =>
        organizations.one(sql`insert into organizations ${sql.insert({ ...fresh, features: [...fresh.features] })}
          returning ${columns}`),
      find: (scope, orgId) => find({ org: Option.getOrNull(scope), id: orgId }),
      findForUpdate: (scope, orgId) =>
        organizations.first(sql`select ${columns} from organizations where org_id = ${orgId} and ${inScope(sql, scope)}
          for no key update`),
      update: (scope, { country, email, features, kyb_status, name, org_id, review_threshold, spread_bps }) =>
        organizations.first(sql`update organizations
          set ${sql.update({ name, country, email, kyb_status, features: [...features], review_threshold, spread_bps })},
            updated_at = now()
          where org_id = ${org_id} and ${inScope(sql, scope)} returning ${columns}`),
      list: (scope, window) =>
        organizations.all(sql`select ${columns} from organizations where ${inScope(sql, scope)}
          ${newest(sql, "org_id", window)}`)
    }
    return store
  })
)
