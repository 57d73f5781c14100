/** Finds the caller of a credential: one query for each request, so that changes take effect at once. */
import { Context, Option, Schema } from "effect"
import { OrgId, KeyId, UserId } from "../../domain/Ids.ts"
import { type Caller, lowerRole, permissions, type Permission, type Role, roles } from "../../domain/Access.ts"
import type { ApiKeyMode } from "../../domain/ApiKeyFormat.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

interface Store {
  readonly byApiKey: (hash: string, mode: ApiKeyMode) => Stored<Option.Option<Caller>>
  /** An unknown subject is a caller without an organisation. */
  readonly byToken: (subject: string, orgId: Option.Option<string>) => Stored<Caller>
  readonly organizationExists: (orgId: OrgId) => Stored<boolean>
}

export class CallerStore extends Context.Tag("corridor/CallerStore")<CallerStore, Store>() {}

const AnyRole = Schema.NullOr(Schema.Literal(...roles))

export const CredentialRow = Schema.Struct({
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
