/** A command in the wrong folder must not make a database there and find all well in it. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, it, vi } from "vitest"
import { cliIn, dataIn, documentOf, ownDatabase, query, temporaryFolder } from "./Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const folder = temporaryFolder()
const dataDir = join(folder, "data")

afterAll(() => {
  rmSync(folder, { recursive: true })
})

it.each([["ledger", "check"], ["orgs", "list"], ["queue"], ["secrets", "rotate", "--new-key", "0".repeat(64)]])(
  "%s %s refuses, names the folder and the way to another, and makes nothing",
  async (...command) => {
    const [text, json] = await Promise.all([
      cliIn({ DATA_DIR: dataDir })(...command),
      cliIn({ DATA_DIR: dataDir })(...command, "--json")
    ])
    expect(text).toMatchObject({ code: 1, stdout: "" })
    expect(text.stderr).toMatch(/^corridor: [^\n]+\n$/)
    for (const word of [dataDir, "DATA_DIR", "DATABASE_URL"]) expect(text.stderr).toContain(word)
    expect(json.code).toBe(1)
    expect(documentOf(json)).toEqual({ status: "error", message: text.stderr.slice("corridor: ".length, -1) })
    expect(readdirSync(folder)).toEqual([])
  }
)

it("refuses a database without tables of ours, makes none, and keeps its password to itself", async () => {
  const database = await ownDatabase("empty")
  const { code, stderr } = await cliIn({ DATABASE_URL: database.url, DATA_DIR: dataDir })("ledger", "check")
  expect(code).toBe(1)
  const { host, password, pathname } = new URL(database.url)
  expect(stderr).toContain(`${host}${pathname}`)
  expect(stderr).not.toContain(password)
  const tables = await query(database.url, "select tablename from pg_tables where schemaname = 'public'")
  await database.drop()
  expect(tables).toEqual([])
})

it("works once migrate has made one", async () => {
  await dataIn({ DATA_DIR: dataDir })("migrate")
  expect(await dataIn({ DATA_DIR: dataDir })("orgs", "list")).toEqual([])
})
