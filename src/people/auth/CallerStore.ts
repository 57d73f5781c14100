/** Who stands behind a credential at this moment: one look-up per request, so that every change works at once. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { batchedReads } from "../../platform/database/Batcher.ts"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { apiKeyTables } from "../apiKeys/MemoryTables.ts"
import { organizationTables } from "../organizations/MemoryTables.ts"
import { userTables } from "../users/MemoryTables.ts"
import { type Caller, lowerRole, type Permission, type Role } from "../../domain/Access.ts"
import type { ApiKeyMode } from "../../domain/ApiKeyFormat.ts"
import { uuidOrNil } from "../../domain/Ids.ts"
import { memberKey } from "../users/UserStore.ts"

interface Store {
  readonly byApiKey: (hash: string, mode: ApiKeyMode) => Effect.Effect<Option.Option<Caller>>
  /** Someone whom the database does not know is a caller without an organisation. */
  readonly byToken: (subject: string, orgId: Option.Option<string>) => Effect.Effect<Caller>
  readonly organizationExists: (orgId: string) => Effect.Effect<boolean>
}

interface Row {
  readonly api_key_id: string | null
  readonly user_id: string
  readonly is_admin: boolean
  readonly org_id: string | null
  readonly key_role: Role | null
  readonly role: Role | null
  readonly features: ReadonlyArray<string> | null
  readonly permissions: ReadonlyArray<Permission> | null
}

const noPermissions: ReadonlySet<Permission> = new Set()

/**
 * A key never does more than its maker may do now, and never acts as the platform: permissions granted to a person
 * and the platform admin's flag stay with the person.
 */
const keyCaller = (row: Row): Option.Option<Caller> => {
  const makerRole: Role | null = row.is_admin ? "org-admin" : row.role
  if (row.org_id === null || row.key_role === null || makerRole === null) return Option.none()
  return Option.some({
    userId: row.user_id,
    apiKeyId: Option.fromNullable(row.api_key_id),
    admin: false,
    organization: Option.some({
      orgId: row.org_id,
      role: lowerRole(row.key_role, makerRole),
      features: new Set(row.features ?? []),
      permissions: noPermissions
    })
  })
}

const tokenCaller = (row: Row): Caller => ({
  userId: row.user_id,
  apiKeyId: Option.none(),
  admin: row.is_admin,
  organization:
    row.org_id === null || row.role === null
      ? Option.none()
      : Option.some({
          orgId: row.org_id,
          role: row.role,
          features: new Set(row.features ?? []),
          permissions: new Set(row.permissions ?? [])
        })
})

const stranger = (subject: string): Caller => ({
  userId: subject,
  apiKeyId: Option.none(),
  admin: false,
  organization: Option.none()
})

interface PresentedKey {
  readonly hash: string
  readonly mode: ApiKeyMode
}

const keyOf = ({ hash, mode }: PresentedKey) => `${mode} ${hash}`

const hashesOf = (wanted: ReadonlyArray<PresentedKey>): string => JSON.stringify(wanted.map(({ hash }) => hash))

export class CallerStore extends Context.Tag("corridor/CallerStore")<CallerStore, Store>() {
  static readonly layer = Layer.scoped(
    CallerStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const findKeys = yield* batchedReads(keyOf, (wanted: ReadonlyArray<PresentedKey>) =>
        sql<Row & PresentedKey>`
          select encode(k.hash, 'hex') as hash, k.mode, k.api_key_id, k.user_id, u.is_admin, k.org_id,
            k.role as key_role, m.role, o.features, null as permissions
          from api_keys k
          join organizations o on o.org_id = k.org_id
          join users u on u.user_id = k.user_id
          left join memberships m on m.org_id = k.org_id and m.user_id = k.user_id
          where k.hash in (select decode(h, 'hex') from jsonb_array_elements_text(${hashesOf(wanted)}::jsonb) h)
            and (k.status = 'active' or (k.status = 'expiring' and k.expires_at > now()))`.pipe(
          Effect.map((rows) =>
            wanted.map(({ hash, mode }) => rows.find((row) => row.hash === hash && row.mode === mode))
          ),
          Effect.orDie
        )
      )

      const store: Store = {
        byApiKey: (hash, mode) =>
          Effect.map(findKeys({ hash, mode }), (row) => (row === undefined ? Option.none() : keyCaller(row))),
        byToken: (subject, orgId) =>
          sql<Row>`select null as api_key_id, u.user_id, u.is_admin, m.org_id, null as key_role, m.role, o.features,
              (select array_agg(p.permission) from member_permissions p
                where p.org_id = m.org_id and p.user_id = m.user_id) as permissions
            from users u
            left join memberships m on m.user_id = u.user_id
              and m.org_id = ${uuidOrNil(Option.getOrElse(orgId, () => ""))}
            left join organizations o on o.org_id = m.org_id
            where u.subject = ${subject}`.pipe(
            Effect.map((rows) => (rows[0] === undefined ? stranger(subject) : tokenCaller(rows[0]))),
            Effect.orDie
          ),
        organizationExists: (orgId) =>
          sql`select 1 from organizations where org_id = ${orgId}`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          )
      }
      return store
    })
  )

  static readonly layerMemory = Layer.effect(
    CallerStore,
    Effect.map(
      openTables({ ...apiKeyTables, ...userTables, ...organizationTables }),
      ({ apiKeys, memberships, organizations, users }): Store => ({
        byApiKey: (hash, mode) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const key = Array.from(apiKeys.values()).find((row) => row.hash === hash && row.mode === mode)
            const alive = key?.status === "active" || (key?.status === "expiring" && key.expires_at!.getTime() > now)
            if (key === undefined || !alive) return Option.none()
            return keyCaller({
              api_key_id: key.api_key_id,
              user_id: key.user_id,
              is_admin: users.get(key.user_id)?.is_admin ?? false,
              org_id: key.org_id,
              key_role: key.role,
              role: memberships.get(memberKey(key.org_id, key.user_id))?.role ?? null,
              features: organizations.get(key.org_id)?.features ?? null,
              permissions: null
            })
          }),
        byToken: (subject, orgId) =>
          Effect.sync(() => {
            const user = Array.from(users.values()).find((row) => row.subject === subject)
            if (user === undefined) return stranger(subject)
            const member = memberships.get(
              memberKey(
                Option.getOrElse(orgId, () => ""),
                user.user_id
              )
            )
            return tokenCaller({
              api_key_id: null,
              user_id: user.user_id,
              is_admin: user.is_admin,
              org_id: member?.org_id ?? null,
              key_role: null,
              role: member?.role ?? null,
              features: member === undefined ? null : (organizations.get(member.org_id)?.features ?? null),
              permissions: member?.permissions ?? null
            })
          }),
        organizationExists: (orgId) => Effect.sync(() => organizations.has(orgId))
      })
    )
  )
}
