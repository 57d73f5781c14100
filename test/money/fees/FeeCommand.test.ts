/** `corridor fees` as a script calls it. */
import { rmSync } from "node:fs"
import { expect, it, vi } from "vitest"
import { cliIn, dataIn, documentOf, ownDatabase, query, temporaryFolder } from "../../cli/Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

it("sets, lists and removes fees, in exact JSON, with an audit row for each change", async () => {
  const dataDir = temporaryFolder()
  const database = await ownDatabase()
  try {
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir }
    const [cli, data] = [cliIn(env), dataIn(env)]
    const { org_id } = await data<{ org_id: string }>(
      ...["orgs", "create", "--name", "Kilimo", "--country", "KE", "--currency", "KES", "--email", "ops@kilimo.example"]
    )
    const set = (...args: ReadonlyArray<string>) =>
      cli("fees", "set", "--org", org_id, "--method", "card", "--direction", "inbound", ...args)

    const first = await set("--bps", "150", "--fixed", "10.5", "--currency", "KES", "--json")
    expect(first).toMatchObject({ code: 0, stderr: "" })
    expect(first.stdout).toContain('"basis_points":150,')
    expect(first.stdout).toContain('"fixed_amount":10.50,"fixed_currency":"KES"')
    const [listed, table, wrong, bare] = await Promise.all([
      data("fees", "list", "--org", org_id),
      cli("fees", "list"),
      set("--bps", "150", "--currency", "KES"),
      cli("fees", "list", "--org", "none", "--json")
    ])
    expect(listed).toEqual([documentOf<{ data: { rule: unknown } }>(first).data.rule])
    expect(table.stdout).toMatch(new RegExp(`^ORGANISATION .*\n${org_id} +card +inbound +150 +10\\.50 KES `))
    expect(wrong).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: expect.stringMatching(/^corridor: --currency .*--fixed\b/)
    })
    expect(bare.code).toBe(1)
    expect(documentOf(bare)).toMatchObject({ status: "error", message: expect.stringContaining("--org: there is no") })

    expect((await set("--bps", "0")).stdout).toBe(
      "inbound card payments: no fee (before: 150 basis points plus 10.50 KES).\n"
    )
    expect(await data("fees", "list")).toEqual([])
    const rows = await query<object>(
      database.url,
      "select action, actor_type, org_id, detail -> 'new' ->> 'fixed_amount' as now from audit_log where action like 'fee%' order by created_at"
    )
    const row = { action: "fee_rule.set", actor_type: "operator", org_id }
    expect(rows).toEqual([
      { ...row, now: "10.50" },
      { ...row, now: null }
    ])
  } finally {
    await database.drop()
    rmSync(dataDir, { recursive: true })
  }
})
