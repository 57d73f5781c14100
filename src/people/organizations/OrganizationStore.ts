/** Stores organisations. */
import { Context, Option, Schema, Effect, Layer } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import { ReserveRule } from "../../domain/Reserve.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { type Scope, type Window, batchOf, execute, inScope, newest, query } from "../../platform/database/Query.ts"
import { SqlClient } from "@effect/sql"
import { cachedByConfigVersion } from "../../platform/database/Batcher.ts"

export const Organization = Schema.Struct({
  org_id: OrgId,
  name: Schema.String,
  country: Schema.String,
  currency: Schema.String,
  email: Schema.String,
  kyb_status: Schema.Literal("not_started", "pending", "approved", "rejected"),
  kyb_customer_id: Schema.NullOr(Schema.String),
  features: Schema.Array(Schema.String),
  sandbox: Schema.Boolean,
  /** Payments from this amount on, in the organisation's currency, are held for review. Decimal text; null: none. */
  review_threshold: Schema.NullOr(Schema.String),
  /** Margin on the base rate, in basis points. */
  spread_bps: Schema.Number,
  /** Reserve and payout delay of payins, by payment method. */
  reserves: Schema.Array(ReserveRule),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type Organization = typeof Organization.Type

export type NewOrganization = Pick<
  Organization,
  "org_id" | "name" | "country" | "currency" | "email" | "features" | "sandbox"
>

export type ChangedOrganization = Pick<
  Organization,
  "org_id" | "name" | "country" | "email" | "kyb_status" | "features" | "review_threshold" | "spread_bps"
>

interface Store {
  readonly insert: (organization: NewOrganization) => Stored<Organization>
  readonly find: (scope: Scope, orgId: OrgId) => Stored<Option.Option<Organization>>
  /** Locks the row against changes until the end of the transaction; payments continue. */
  readonly findForUpdate: (scope: Scope, orgId: OrgId) => Stored<Option.Option<Organization>>
  readonly update: (scope: Scope, changed: ChangedOrganization) => Stored<Option.Option<Organization>>
  readonly setReserves: (orgId: OrgId, reserves: ReadonlyArray<ReserveRule>) => Stored<void>
  readonly withReserves: (most: number) => Stored<ReadonlyArray<Organization>>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Organization>>
}

export class OrganizationStore extends Context.Tag("corridor/OrganizationStore")<OrganizationStore, Store>() {}

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
    const columns = sql.literal(Object.keys(Organization.fields).join(", "))
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
      setReserves: (orgId, reserves) =>
        execute(sql`update organizations set reserves = ${JSON.stringify(reserves)}::jsonb, updated_at = now()
          where org_id = ${orgId}`),
      withReserves: (most) =>
        organizations.all(
          sql`select ${columns} from organizations where reserves <> '[]' order by org_id limit ${most}`
        ),
      list: (scope, window) =>
        organizations.all(sql`select ${columns} from organizations where ${inScope(sql, scope)}
          ${newest(sql, "org_id", window)}`)
    }
    return store
  })
)
