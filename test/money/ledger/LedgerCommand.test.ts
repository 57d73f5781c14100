/** `corridor ledger` as a script calls it. */
import { rmSync } from "node:fs"
import { expect, it, vi } from "vitest"
import { cliIn, dataIn, documentOf, ownDatabase, query, temporaryFolder } from "../../cli/Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

interface Report {
  readonly status: string
  readonly message: string
  readonly data: { readonly postings: number; readonly problems: ReadonlyArray<{ readonly subject: string }> }
}

it("checks the books, shows balances and sets limits, and ends with 1 when a balance was tampered with", async () => {
  const dataDir = temporaryFolder()
  const database = await ownDatabase()
  try {
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir }
    const [cli, data] = [cliIn(env), dataIn(env)]
    const { org_id } = await data<{ org_id: string }>(
      ...["orgs", "create", "--name", "Kilimo", "--country", "KE", "--currency", "KES", "--email", "ops@kilimo.example"]
    )
    const settlement = `settlement/${org_id}/KES`
    await query(
      database.url,
      `insert into ledger_postings (entry_id, org_id, account, currency, amount, kind) values
        ('${org_id}', '${org_id}', '${settlement}', 'KES', 12.50, 'payin'),
        ('${org_id}', '${org_id}', 'provider/fiat/KES', 'KES', -12.50, 'payin')`
    )
    const [platform, fine, balances, limit, wrong] = await Promise.all([
      cli("ledger", "balances"),
      cli("ledger", "check"),
      cli("ledger", "balances", "--org", org_id, "--json"),
      cli("ledger", "limit", "--org", org_id, "--currency", "KES", "--amount", "1000"),
      cli("ledger", "limit", "--org", org_id, "--currency", "KES", "--amount", "1.001")
    ])
    expect(platform).toMatchObject({ code: 0, stderr: "" })
    expect(platform.stdout).toMatch(/^ACCOUNT +BALANCE +WHAT\nprovider\/fiat\/KES +12\.50 KES +held by the provider\n$/)
    expect(fine).toEqual({
      ...{ code: 0, stderr: "" },
      stdout: "The books are in order: 2 postings of 1 entries on 2 accounts, 1 balances compared.\n"
    })
    expect(balances).toMatchObject({ code: 0, stderr: "" })
    expect(balances.stdout).toContain(
      `"account":"${settlement}","org_id":"${org_id}","currency":"KES","balance":12.50,`
    )
    expect(limit.stdout).toBe("Credit limit in KES: 1000.00 KES (before: none of its own).\n")
    expect(wrong).toMatchObject({ code: 1, stdout: "" })
    expect(wrong.stderr).toContain("--amount has more than 2 fraction digits")

    await query(database.url, `update ledger_balances set balance = 99 where account = '${settlement}'`)
    const [told, document] = await Promise.all([cli("ledger", "check"), cli("ledger", "check", "--json")])
    expect([told.code, document.code]).toEqual([1, 1])
    expect(told.stdout).toContain(`\n${settlement} has a balance of 99, but its postings add up to 12.50.\n`)
    expect(told.stderr).toMatch(/^corridor: .*\b1 found\b/)
    const report = documentOf<Report>(document)
    expect(report).toMatchObject({ status: "error", message: expect.stringContaining("1 found") })
    expect(report.data).toMatchObject({ postings: 2, problems: [{ kind: "wrong_balance", subject: settlement }] })
  } finally {
    await database.drop()
    rmSync(dataDir, { recursive: true })
  }
})
