/** Authenticates by the key's hash with one query. */
import { createHash } from "node:crypto"
import type { FastifyRequest } from "fastify"
import type { Pool } from "pg"

/** An error answer, written by Fastify's error handler. */
export class Refusal extends Error {
  readonly statusCode: number
  readonly code: string

  constructor(statusCode: number, code: string, message: string) {
    super(message)
    this.statusCode = statusCode
    this.code = code
  }
}

type Role = "org-admin" | "staff" | "member"

export interface Caller {
  readonly orgId: string
  readonly userId: string
  readonly role: Role
  readonly reviewThreshold: string | null
  readonly spreadBasisPoints: number
}

interface Row {
  readonly user_id: string
  readonly is_admin: boolean
  readonly org_id: string
  readonly key_role: Role
  readonly role: Role | null
  readonly review_threshold: string | null
  readonly spread_bps: number
}

const byHash = `
  select k.user_id, u.is_admin, k.org_id, k.role as key_role, m.role, o.features, o.review_threshold, o.spread_bps
  from api_keys k
  join organizations o on o.org_id = k.org_id
  join users u on u.user_id = k.user_id
  left join memberships m on m.org_id = k.org_id and m.user_id = k.user_id
  where k.hash = $1 and k.mode = 'test' and (k.status = 'active' or (k.status = 'expiring' and k.expires_at > now()))`

const ranks: Readonly<Record<Role, number>> = { member: 0, staff: 1, "org-admin": 2 }

const refused = () => new Refusal(401, "UNAUTHORIZED", "Missing or invalid credentials.")

export const callerOf = async (pool: Pool, { headers }: FastifyRequest): Promise<Caller> => {
  const key = headers["x-api-key"]
  if (headers.authorization !== "NONE" || typeof key !== "string") throw refused()
  const hash = createHash("sha256").update(key).digest()
  const { rows } = await pool.query<Row>({ name: "caller", text: byHash, values: [hash] })
  const [row] = rows
  const makerRole = row?.is_admin === true ? "org-admin" : row?.role
  if (row === undefined || makerRole === undefined || makerRole === null) throw refused()
  return {
    orgId: row.org_id,
    userId: row.user_id,
    role: ranks[row.key_role] < ranks[makerRole] ? row.key_role : makerRole,
    reviewThreshold: row.review_threshold,
    spreadBasisPoints: row.spread_bps
  }
}
