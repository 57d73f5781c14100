/** Callers in PostgreSQL. Keys of concurrent requests are looked up in one statement. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { batchedReads } from "../../platform/database/Batcher.ts"
import { nilUuid, uuidOrNil } from "../../domain/Ids.ts"
import { anyRow, query } from "../../platform/database/Query.ts"
import { keyCaller, CredentialRow, unknownCaller, tokenCaller, CallerStore } from "./CallerStore.ts"

const PresentedKey = Schema.Struct({ hash: Schema.String, mode: Schema.Literal("test", "live") })
type PresentedKey = typeof PresentedKey.Type

const keys = query(Schema.Struct({ ...CredentialRow.fields, ...PresentedKey.fields }))
const person = query(CredentialRow)

const keyOf = ({ hash, mode }: PresentedKey) => `${mode} ${hash}`

const hashesOf = (wanted: ReadonlyArray<PresentedKey>): string => JSON.stringify(wanted.map(({ hash }) => hash))

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
