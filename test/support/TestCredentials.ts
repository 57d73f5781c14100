/** Credential headers of the sandbox's users and keys. */
import { Effect } from "effect"
import type { Role } from "../../src/domain/Access.ts"
import type { SandboxCredentials } from "../../src/app/Sandbox.ts"
import { TestServer } from "./TestServer.ts"

export interface Credential {
  readonly authorization: string
  readonly "x-api-key": string
}

export const byKey = (apiKey: string): Credential => ({ authorization: "NONE", "x-api-key": apiKey })

export const byToken = (jwt: string | null): Credential => ({ authorization: `Bearer ${jwt}`, "x-api-key": "NONE" })

type Org = SandboxCredentials["orgs"][number]

const userOf = (org: Org, role: Role) => {
  const user = org.users.find((one) => one.role === role)
  if (user === undefined) throw new Error(`The sandbox organisation ${org.name} has no ${role}`)
  return user
}

const cast = (org: Org) => ({
  org_id: org.org_id,
  api_key: org.api_key,
  key: byKey(org.api_key),
  userId: (role: Role) => userOf(org, role).user_id,
  token: (role: Role) => byToken(userOf(org, role).jwt),
  jwt: (role: Role) => userOf(org, role).jwt ?? ""
})

export type Cast = ReturnType<typeof cast>

/** Two organisations and the platform admin. */
export const people = Effect.map(TestServer, ({ credentials }) => {
  const [acme, globex] = credentials.orgs
  if (acme === undefined || globex === undefined) throw new Error("The sandbox has no organisations")
  return {
    acme: cast(acme),
    globex: cast(globex),
    admin: byToken(credentials.admin.jwt),
    adminId: credentials.admin.user_id
  }
})
