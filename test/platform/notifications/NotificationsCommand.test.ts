/** `corridor notifications` as an operator calls it. */
import { rmSync } from "node:fs"
import { expect, it, vi } from "vitest"
import { cliIn, dataIn, documentOf, ownDatabase, query, temporaryFolder } from "../../cli/Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const ID = "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77"

it("lists the outbox without the texts, and shows one with it", async () => {
  const dataDir = temporaryFolder()
  const database = await ownDatabase()
  try {
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir }
    const [cli, data] = [cliIn(env), dataIn(env)]
    expect((await cli("notifications", "list")).stdout).toBe("The outbox is empty.\n")
    const { org_id } = await data<{ org_id: string }>(
      ...["orgs", "create", "--name", "Kilimo", "--country", "KE", "--currency", "KES", "--email", "ops@kilimo.example"]
    )
    await query(
      database.url,
      `insert into notifications (notification_id, org_id, kind, priority, recipient, subject, text)
        values ('${ID}', '${org_id}', 'invitation', 'medium', 'ada@example.com', 'Join Kilimo', E'Hello,\\nsesame')`
    )
    const shape = { notification_id: ID, org_id, kind: "invitation", priority: "medium", to: "ada@example.com" }
    const [listed, table, shown, text, missing] = await Promise.all([
      data<ReadonlyArray<object>>("notifications", "list", "--org", org_id),
      cli("notifications", "list"),
      data<object>("notifications", "show", ID),
      cli("notifications", "show", ID),
      cli("notifications", "show", "none", "--json")
    ])
    expect(listed).toEqual([{ ...shape, subject: "Join Kilimo", created_at: expect.any(String) }])
    expect(table.stdout).toMatch(new RegExp(`^ID .*\n${ID} +invitation +medium +ada@example.com +Join Kilimo +2`))
    expect(table.stdout).not.toContain("sesame")
    expect(shown).toEqual({
      ...{ ...shape, subject: "Join Kilimo", text: "Hello,\nsesame" },
      created_at: expect.any(String)
    })
    expect(text.stdout).toMatch(/To +ada@example\.com\n[\s\S]*\n\nHello,\nsesame\n$/)
    expect(missing.code).toBe(1)
    expect(documentOf(missing)).toEqual({
      status: "error",
      message: expect.stringContaining("There is no notification")
    })
  } finally {
    await database.drop()
    rmSync(dataDir, { recursive: true })
  }
})
