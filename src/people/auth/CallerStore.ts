/** Finds the caller of a credential: one query for each request, so that changes take effect at once. */
import { Context, Option, Schema, Effect, Layer } from "effect"
import { OrgId, KeyId, UserId, nilUuid, uuidOrNil } from "../../domain/Ids.ts"
import { type Caller, lowerRole, permissions, type Permission, type Role, roles } from "../../domain/Access.ts"
import type { ApiKeyMode } from "../../domain/ApiKeyFormat.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { batchedReads } from "../../platform/database/Batcher.ts"
import { anyRow, query } from "../../platform/database/Query.ts"

interface Store {
  readonly byApiKey: (hash: string, mode: ApiKeyMode) => Stored<Option.Option<Caller>>
  /** An unknown subject is a caller without an organisation. */
  readonly byToken: (subject: string, orgId: Option.Option<string>) => Stored<Caller>
  readonly organizationExists: (orgId: OrgId) => Stored<boolean>
}

export class CallerStore extends Context.Tag("corridor/CallerStore")<CallerStore, Store>() {}

const AnyRole = Schema.NullOr(Schema.Literal(...roles))

const CredentialRow = Schema.Struct({
  name: Schema.String,
  api_key_id: Schema.NullOr(KeyId),
  user_id: UserId,
  is_admin: Schema.Boolean,
  org_id: Schema.NullOr(OrgId),
  key_role: AnyRole,
  role: AnyRole,
  features: Schema.NullOr(Schema.Array(Schema.String)),
  permissions: Schema.NullOr(Schema.Array(Schema.Literal(...permissions))),
  terms: Schema.NullOr(Schema.String)
})
type CredentialRow = typeof CredentialRow.Type

const noPermissions: ReadonlySet<Permission> = new Set()

/**
 * Limits a key to its owner's current role. Permissions granted to a person, and the platform admin's flag, do not
 * extend to keys.
 */
export const keyCaller = (row: CredentialRow): Option.Option<Caller> => {
  const ownerRole: Role | null = row.is_admin ? "org-admin" : row.role
  if (row.org_id === null || row.key_role === null || ownerRole === null) return Option.none()
  return Option.some({
    id: row.user_id,
    userId: Option.some(row.user_id),
    apiKeyId: Option.fromNullable(row.api_key_id),
    name: row.name,
    admin: false,
    organization: Option.some({
      orgId: row.org_id,
      role: lowerRole(row.key_role, ownerRole),
      features: new Set(row.features ?? []),
      permissions: noPermissions,
      terms: row.terms
    })
  })
}

export const tokenCaller = (row: CredentialRow): Caller => ({
  id: row.user_id,
  userId: Option.some(row.user_id),
  apiKeyId: Option.none(),
  name: row.name,
  admin: row.is_admin,
  organization:
    row.org_id === null || row.role === null
      ? Option.none()
      : Option.some({
          orgId: row.org_id,
          role: row.role,
          features: new Set(row.features ?? []),
          permissions: new Set(row.permissions ?? []),
          terms: row.terms
        })
})

export const unknownCaller = (subject: string): Caller => ({
  id: subject,
  userId: Option.none(),
  apiKeyId: Option.none(),
  admin: false,
  organization: Option.none()
})

const PresentedKey = Schema.Struct({ hash: Schema.String, mode: Schema.Literal("test", "live") })
type PresentedKey = typeof PresentedKey.Type

const keys = query(Schema.Struct({ ...CredentialRow.fields, ...PresentedKey.fields }))
const person = query(CredentialRow)

const keyOf = ({ hash, mode }: PresentedKey) => `${mode} ${hash}`

const hashesOf = (wanted: ReadonlyArray<PresentedKey>): string => JSON.stringify(wanted.map(({ hash }) => hash))

/** Looks up the keys of concurrent requests in one statement. */
export const callerStoreSql = Layer.scoped(
  CallerStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Includes the server's start time: after a failover, versions may repeat.
    const termsOf = (org: string) =>
      sql`(select concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
          string_agg(t.version::text, ' ' order by t.org_id))
        from terms t where t.org_id in (${sql.literal(org)}, ${nilUuid}::uuid))`

    const findKeys = yield* batchedReads(keyOf, (wanted: ReadonlyArray<PresentedKey>) =>
      sql`
        select encode(k.hash, 'hex') as hash, k.mode, k.name, k.api_key_id, k.user_id, u.is_admin, k.org_id,
          k.role as key_role, m.role, o.features, null as permissions, ${termsOf("k.org_id")} as terms
        from api_keys k
        join organizations o on o.org_id = k.org_id
        join users u on u.user_id = k.user_id
        left join memberships m on m.org_id = k.org_id and m.user_id = k.user_id
        where k.hash = any (array(select decode(h, 'hex') from jsonb_array_elements_text(${hashesOf(wanted)}::jsonb) h))
          and (k.status = 'active' or (k.status = 'expiring' and k.expires_at > now()))`.pipe(
        keys.all,
        Effect.map((rows) => wanted.map(({ hash, mode }) => rows.find((row) => row.hash === hash && row.mode === mode)))
      )
    )

    const store: CallerStore["Type"] = {
      byApiKey: (hash, mode) =>
        Effect.map(findKeys({ hash, mode }), (row) => (row === undefined ? Option.none() : keyCaller(row))),
      byToken: (subject, orgId) =>
        sql`select null as api_key_id, u.email as name, u.user_id, u.is_admin, m.org_id, null as key_role, m.role, o.features,
            (select array_agg(p.permission) from member_permissions p
              where p.org_id = m.org_id and p.user_id = m.user_id) as permissions,
            ${termsOf("m.org_id")} as terms
          from users u
          left join memberships m on m.user_id = u.user_id
            and m.org_id = ${uuidOrNil(Option.getOrElse(orgId, () => ""))}
          left join organizations o on o.org_id = m.org_id
          where u.subject = ${subject}`.pipe(
          person.first,
          Effect.map(Option.match({ onNone: () => unknownCaller(subject), onSome: tokenCaller }))
        ),
      organizationExists: (orgId) => anyRow(sql`select 1 from organizations where org_id = ${orgId}`)
    }
    return store
  })
)
