/** `corridor orgs set` and `corridor users join|role|leave` as a script calls them. */
import { rmSync } from "node:fs"
import { expect, it, vi } from "vitest"
import { cliIn, dataIn, documentOf, type Ended, ownDatabase, query, temporaryFolder } from "../../cli/Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

interface Named {
  readonly org_id: string
  readonly user_id: string
}

const refused = ({ code, stderr, stdout }: Ended, sentence: RegExp): void => {
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr).toMatch(/^corridor: [^\n]+\n$/)
  expect(stderr).toMatch(sentence)
}

it("sets up an organisation and moves its people, each change with an audit row", async () => {
  const dataDir = temporaryFolder()
  const database = await ownDatabase()
  try {
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir }
    const [cli, data] = [cliIn(env), dataIn(env)]
    const organisation = ["--country", "KE", "--currency", "KES", "--email", "ops@kilimo.example"]
    const { org_id } = await data<Named>("orgs", "create", "--name", "Kilimo", ...organisation)
    const boss = ["--email", "ada@kilimo.example", "--org", org_id, "--role", "org-admin"]
    const { user_id: ada } = await data<Named>("users", "create", ...boss)
    const { user_id: ben } = await data<Named>("users", "create", "--email", "ben@kilimo.example")

    const set = (...args: ReadonlyArray<string>) => cli("orgs", "set", org_id, ...args)
    const first = await set("--review-threshold", "50000.5", "--feature", "escrow", "--spread-bps", "25", "--json")
    expect(first).toMatchObject({ code: 0, stderr: "" })
    expect(first.stdout).toContain('"review_threshold":50000.50,')
    expect(documentOf(first)).toMatchObject({ data: { org_id, features: ["escrow"], spread_bps: 25 } })
    const [digits, negative, points, nothing, both, unknown, status, feature, help] = await Promise.all([
      set("--review-threshold", "0.001"),
      set("--review-threshold", "1e3"),
      set("--spread-bps", "10000"),
      set(),
      set("--feature", "escrow", "--no-features"),
      cli("orgs", "set", "none", "--name", "X"),
      set("--kyb-status", "aproved", "--feature", "y"),
      set("--feature", "y"),
      cli("orgs", "set", "--help")
    ])
    refused(digits, /--review-threshold has more than 2 fraction digits/)
    refused(negative, /--review-threshold is not a decimal number/)
    refused(points, /--spread-bps is not a whole number from 0 to 9999/)
    refused(nothing, /Nothing to change/)
    refused(both, /contradict each other/)
    refused(unknown, /There is no organisation with the id none/)
    refused(status, /--kyb-status: expected one of not_started, pending, approved, rejected;.*Did you mean approved\?/)
    refused(feature, /--feature: expected one of .*; y is none of them/)
    for (const option of ["--review-threshold", "--feature", "--no-features", "--spread-bps", "--kyb-status"]) {
      expect(help.stdout).toContain(option)
    }
    const off = await set("--review-threshold", "0", "--no-features", "--name", "Kilimo Two")
    expect(off.stdout).toMatch(/Name +Kilimo Two\n[^]*Features +-\n[^]*Review from +-\n +Spread \(bps\) +25\n/)

    const on = (user: string, ...more: ReadonlyArray<string>) => ["--user", user, "--org", org_id, ...more]
    const joined = await cli("users", "join", ...on("BEN@kilimo.example", "--role", "staff"))
    expect(joined.stdout).toBe("ben@kilimo.example is now staff of Kilimo Two.\n")
    const [twice, last, demoted, missing, role] = await Promise.all([
      cli("users", "join", ...on(ben, "--role", "member")),
      cli("users", "leave", ...on(ada)),
      cli("users", "role", ...on(ada, "--role", "staff")),
      cli("users", "role", ...on("zed", "--role", "staff")),
      cli("users", "join", ...on(ben, "--role", "boss"))
    ])
    refused(twice, /ben@kilimo.example is a member of this organisation already/)
    refused(last, /last org-admin .* cannot be removed/)
    refused(demoted, /last org-admin .* cannot be demoted/)
    refused(missing, /--user: there is no user/)
    refused(role, /--role: expected one of member, /)
    expect(await data("users", "role", ...on(ben, "--role", "org-admin"))).toMatchObject({ role: "org-admin" })
    await data("keys", "create", "--org", org_id, "--name", "Till", "--user", ada)
    expect(await data("users", "leave", ...on(ada))).toEqual({ user_id: ada, org_id, removed: true })
    const keys = await data<ReadonlyArray<{ readonly status: string }>>("keys", "list", "--org", org_id)
    expect(keys.map((key) => key.status)).toEqual(["revoked"])
    refused(await cli("users", "leave", ...on(ada)), /ada@kilimo.example is not a member/)

    const rows = await query<{ action: string; actor_type: string; org_id: string; detail: unknown }>(
      database.url,
      "select action, actor_type, org_id, detail from audit_log where action ~ '^(organization.updated|member)' order by audit_id"
    )
    expect(rows.map(({ actor_type, org_id: org }) => [actor_type, org])).toEqual(rows.map(() => ["operator", org_id]))
    expect(rows.map(({ action }) => action).toSorted()).toEqual(
      ["member.added", "member.added", "member.removed", "member.role_changed"].concat(
        ...["organization.updated", "organization.updated"]
      )
    )
    expect(rows.filter(({ action }) => action === "organization.updated").map(({ detail }) => detail)).toEqual([
      {
        old: { features: [], spread_bps: 0, review_threshold: null },
        new: { features: ["escrow"], spread_bps: 25, review_threshold: "50000.50" }
      },
      {
        old: { name: "Kilimo", features: ["escrow"], review_threshold: "50000.50" },
        new: { name: "Kilimo Two", features: [], review_threshold: null }
      }
    ])
  } finally {
    await database.drop()
    rmSync(dataDir, { recursive: true })
  }
})
