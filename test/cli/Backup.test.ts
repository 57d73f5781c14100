/** `corridor backup` and `restore`: what comes back is what was there, whole or not at all. */
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { byPhone } from "../payments/support/Requests.ts"
import { until } from "../payments/support/RealServer.ts"
import {
  cliIn,
  dataIn,
  type Ended,
  freePort,
  ownDatabase,
  type OwnDatabase,
  query,
  startServer,
  temporaryFolder
} from "./Cli.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 })

const KEY = "11".repeat(32)
const OTHER_KEY = "22".repeat(32)

const folder = temporaryFolder()
const file = join(folder, "one.backup")
const databases: Array<OwnDatabase> = []

const newDatabase = async (state: "migrated" | "empty") => {
  const database = await ownDatabase(state)
  databases.push(database)
  return database
}

const environment = ({ url }: OwnDatabase, key = KEY) => ({
  DATABASE_URL: url,
  DATA_DIR: folder,
  CORRIDOR_MASTER_KEY: key
})

const tables = async (url: string) =>
  (
    await query<{ name: string }>(
      url,
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`
    )
  ).map(({ name }) => name)

/** Every row of every table, as text that does not depend on where it lies. */
const contents = async (url: string) => {
  const all: Record<string, string> = {}
  for (const name of await tables(url)) {
    // When a migration ran, and what the metrics read last, is not part of it.
    if (name === "corridor_migrations" || name === "figures") continue
    const [row] = await query<{ digest: string; rows: number }>(
      url,
      `select md5(coalesce(string_agg(t::text, E'\\n' order by t::text), '')) as digest, count(*)::int as rows from ${name} t`
    )
    all[name] = `${row?.rows} ${row?.digest}`
  }
  return all
}

let source: OwnDatabase
let before: Readonly<Record<string, string>>
let taken: { readonly format: string; readonly key_id: string; readonly rows: Readonly<Record<string, number>> }

beforeAll(async () => {
  source = await newDatabase("migrated")
  const server = await startServer({ ...environment(source), PORT: await freePort(), SANDBOX_RAIL_PACE: "200 millis" })
  const { orgs } = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as {
    readonly orgs: ReadonlyArray<{ readonly api_key: string }>
  }
  for (const phone of ["+254712345678", "+254712340001", "+254712340003"]) {
    await fetch(`${server.url}/v1/payments-init/initiate`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "NONE", "x-api-key": orgs[0]!.api_key },
      // A name that a careless format would break: quotes, a tab, a backslash, a line's end.
      body: JSON.stringify({ ...byPhone(phone), description: 'Zoë "\\N"\t\\. \n end' })
    })
  }
  await until("a payment is completed", async () => {
    const found = await query(source.url, "select from payments where status = 'completed'")
    return found.length > 0 ? true : undefined
  })
  await server.stop()
  await query(source.url, "update provider_configs set description = '' where description is null")
  before = await contents(source.url)
  taken = await dataIn(environment(source))("backup", file, "--by", "copy")
})

afterAll(async () => {
  for (const { drop } of databases) await drop()
  rmSync(folder, { recursive: true })
})

const restored = (database: OwnDatabase, from = file, key = KEY): Promise<Ended> =>
  cliIn(environment(database, key))("restore", from)

it("writes a file for its owner alone, and says what is in it", () => {
  expect(taken.format).toBe("corridor")
  expect(taken.rows["payments"]).toBe(3)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect([existsSync(`${file}.part`), existsSync(`${file}.key`)]).toEqual([false, false])
  const text = gunzipSync(readFileSync(file)).toString("utf8")
  expect(text).not.toContain(KEY)
  expect(JSON.parse(text.slice(0, text.indexOf("\n")))).toMatchObject({ key_id: taken.key_id })
})

it("does not write over a file, nor changes the database", async () => {
  const again = await cliIn(environment(source))("backup", file)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is there already")])
  expect(await contents(source.url)).toEqual(before)
})

it("brings everything back, checks the books, and can be worked with", async () => {
  const target = await newDatabase("empty")
  const { code, stderr, stdout } = await restored(target)
  expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining("The books are in order")])
  expect(await contents(target.url)).toEqual(before)
  const check = await dataIn(environment(target))<{ problems: ReadonlyArray<unknown> }>("ledger", "check")
  expect(check.problems).toEqual([])
  // The triggers are on again: what the books refuse is still refused.
  await expect(query(target.url, "delete from ledger_postings")).rejects.toThrow("postings are never changed")
  await expect(
    query(target.url, "update payments set status = 'initiated' where status = 'completed'")
  ).rejects.toThrow("cannot go from completed")
})

it("refuses a database that is not empty", async () => {
  const used = await newDatabase("migrated")
  const { code, stderr } = await restored(used)
  expect([code, stderr]).toEqual([1, expect.stringContaining("This database is not empty")])
})

it("refuses another master key, before anything is written", async () => {
  const target = await newDatabase("empty")
  const { code, stderr } = await restored(target, file, OTHER_KEY)
  expect([code, stderr]).toEqual([1, expect.stringContaining(`sealed under master key ${taken.key_id}`)])
  expect(await tables(target.url)).toEqual([])
})

it("restores all of a file or nothing: one that was cut off or changed leaves the database empty", async () => {
  const target = await newDatabase("empty")
  const cut = join(folder, "cut.backup")
  writeFileSync(cut, readFileSync(file))
  truncateSync(cut, statSync(file).size - 20)
  const text = gunzipSync(readFileSync(file)).toString("utf8")
  const changed = join(folder, "changed.backup")
  writeFileSync(changed, gzipSync(text.replace("Wanjiru Kamau", "Wanjiru Mwangi")))
  const strange = join(folder, "strange.backup")
  writeFileSync(strange, "not a backup")
  const later = join(folder, "later.backup")
  writeFileSync(later, gzipSync(text.replace(/"migrations":\[1,/, '"migrations":[9999,1,')))
  for (const [path, words] of [
    [cut, "it is not whole"],
    [changed, "its digest is another"],
    [strange, "is not a backup of Corridor"],
    [later, "A newer version of Corridor"],
    [join(folder, "nowhere.backup"), "cannot be read"]
  ] as const) {
    const { code, stderr } = await restored(target, path)
    expect([path, code, stderr]).toEqual([path, 1, expect.stringContaining(words)])
    expect(await tables(target.url), path).toEqual([])
  }
  expect((await restored(target)).code).toBe(0)
})

it("keeps the key beside the copy where nobody has set one, and takes it for the restore", async () => {
  const dataDir = temporaryFolder()
  const embedded = { DATA_DIR: dataDir, LOG_LEVEL: "error" }
  expect((await cliIn(embedded)("migrate")).code).toBe(0)
  const own = join(dataDir, "own.backup")
  const acme = ["--name", "Acme", "--country", "KE", "--currency", "KES", "--email", "a@acme.example"]
  await dataIn(embedded)("orgs", "create", ...acme)
  const { key_file } = await dataIn(embedded)<{ key_file: string }>("backup", own)
  expect(key_file).toBe(`${own}.key`)
  expect(statSync(key_file).mode & 0o777).toBe(0o600)
  const elsewhere = temporaryFolder()
  const without = await cliIn({ DATA_DIR: elsewhere, LOG_LEVEL: "error" })("restore", own)
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("ends in .key")])
  const key = readFileSync(key_file, "utf8").trim()
  const env = { DATA_DIR: elsewhere, CORRIDOR_MASTER_KEY: key, LOG_LEVEL: "error" }
  const { code, stderr } = await cliIn(env)("restore", own)
  expect([code, stderr]).toEqual([0, ""])
  const orgs = await dataIn(env)<ReadonlyArray<{ name: string }>>("orgs", "list")
  expect(orgs.map(({ name }) => name)).toEqual(["Acme"])
  for (const one of [dataDir, elsewhere]) rmSync(one, { recursive: true })
})
