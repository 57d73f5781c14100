/** Callers: each role of one organisation by token and key, another organisation, the platform admin, no credential. */
export interface SandboxUser {
  readonly user_id: string
  readonly role: string
  readonly jwt: string | null
}

export interface SandboxOrg {
  readonly org_id: string
  readonly api_key: string
  readonly users: ReadonlyArray<SandboxUser>
}

/** Content of `sandbox.json`. */
export interface Credentials {
  readonly orgs: ReadonlyArray<SandboxOrg>
  readonly admin: { readonly jwt: string | null }
}

type Headers = ReadonlyArray<readonly [string, string]>

export interface Caller {
  readonly name: string
  /** Organisation whose objects the caller may see. */
  readonly org: "ours" | "theirs" | "all" | "none"
  readonly headers: Headers
}

export const byKey = (key: string): Headers => [
  ["authorization", "NONE"],
  ["x-api-key", key]
]

export const byToken = (jwt: string | null): Headers => [
  ["authorization", `Bearer ${jwt}`],
  ["x-api-key", "NONE"]
]

export const userOf = ({ users }: SandboxOrg, role: string): SandboxUser => {
  const user = users.find((one) => one.role === role)
  if (user === undefined) throw new Error(`The sandbox has no ${role}`)
  return user
}

export const orgsOf = ({ orgs: [ours, theirs] }: Credentials): { ours: SandboxOrg; theirs: SandboxOrg } => {
  if (ours === undefined || theirs === undefined) throw new Error("The sandbox has no two organisations")
  return { ours, theirs }
}

/** `keys`: further API keys by role. */
export const callersOf = (
  credentials: Credentials,
  keys: Readonly<Record<string, string>>
): Readonly<Record<string, Caller>> => {
  const { ours, theirs } = orgsOf(credentials)
  const all: ReadonlyArray<Caller> = [
    { name: "key", org: "ours", headers: byKey(ours.api_key) },
    ...Object.entries(keys).map(([role, key]): Caller => ({ name: `${role} key`, org: "ours", headers: byKey(key) })),
    ...ours.users.map(({ jwt, role }): Caller => ({ name: role, org: "ours", headers: byToken(jwt) })),
    {
      name: "token and key",
      org: "ours",
      headers: [
        ["authorization", `Bearer ${userOf(ours, "org-admin").jwt}`],
        ["x-api-key", ours.api_key]
      ]
    },
    { name: "neighbour's key", org: "theirs", headers: byKey(theirs.api_key) },
    { name: "neighbour", org: "theirs", headers: byToken(userOf(theirs, "org-admin").jwt) },
    { name: "admin", org: "all", headers: byToken(credentials.admin.jwt) },
    { name: "nobody", org: "none", headers: [] },
    { name: "NONE", org: "none", headers: byKey("NONE") },
    { name: "half", org: "none", headers: [["x-api-key", ours.api_key]] },
    { name: "key twice", org: "none", headers: [...byKey(ours.api_key), ["x-api-key", ours.api_key]] },
    { name: "bad token", org: "none", headers: byToken(`${userOf(ours, "org-admin").jwt}x`) },
    { name: "bad key", org: "none", headers: byKey(`${ours.api_key.slice(0, -1)}_`) },
    {
      name: "token and neighbour's key",
      org: "none",
      headers: [
        ["authorization", `Bearer ${userOf(ours, "org-admin").jwt}`],
        ["x-api-key", theirs.api_key]
      ]
    }
  ]
  return Object.fromEntries(all.map((caller) => [caller.name, caller]))
}
