/** `corridor rules` and `lists` as a script calls them. */
import { rmSync } from "node:fs"
import { expect, it, vi } from "vitest"
import { cliIn, dataIn, ownDatabase, query, temporaryFolder } from "../../cli/Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

it("sets, tries, lists and removes rules and list entries, each change with an audit row", async () => {
  const dataDir = temporaryFolder()
  const database = await ownDatabase()
  try {
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir }
    const [cli, data] = [cliIn(env), dataIn(env)]
    const { org_id } = await data<{ org_id: string }>(
      ...["orgs", "create", "--name", "Kilimo", "--country", "KE", "--currency", "KES", "--email", "ops@kilimo.example"]
    )
    const terms = [
      "--org",
      org_id,
      "--subject",
      "phone",
      "--amount",
      "50000.5",
      "--window",
      "1 day",
      "--action",
      "hold"
    ]
    const tried = await cli("rules", "try", ...terms)
    expect(tried).toMatchObject({ code: 0, stdout: expect.stringContaining("Tried on 0 payments: 0 hits.") })
    expect((await cli("rules", "set", "big-days", ...terms, "--on")).stdout).toMatch(
      /^Rule big-days is set and on\. It counts payments from now on/
    )
    const [rules, wrong, added] = await Promise.all([
      cli("rules", "list", "--org", org_id),
      cli("rules", "set", "big-days", ...terms.slice(0, 6), "--window", "often", "--action", "hold"),
      data<{ entry_id: string }>(
        ...["lists", "add", "--org", org_id, "--list", "block", "--subject", "phone", "--value", "0712345678"]
      )
    ])
    expect(rules.stdout).toMatch(/^NAME .*\nbig-days +phone +all +50000\.50 KES +1 day +hold +yes/)
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("--window is not a time") })
    expect(added).toMatchObject({ value: "+254712345678", list: "block" })
    const removed = await cli("lists", "remove", added.entry_id, "--org", org_id)
    expect(removed.stdout).toBe("The entry is removed.\n")
    expect((await cli("rules", "remove", "big-days", "--org", org_id)).code).toBe(0)
    expect(await data("rules", "list")).toEqual([])
    const rows = await query<{ action: string }>(
      database.url,
      "select action from audit_log where subject_type in ('rule', 'list_entry') order by created_at"
    )
    expect(rows.map(({ action }) => action)).toEqual([
      "rule.set",
      "list_entry.added",
      "list_entry.removed",
      "rule.removed"
    ])
  } finally {
    await database.drop()
    rmSync(dataDir, { recursive: true })
  }
})
