/** `corridor backup` and `restore`: what comes back is what was there, whole or not at all. */
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { byPhone } from "../payments/support/Requests.ts"
import { newDataDir, until } from "../payments/support/RealServer.ts"
import { within } from "../support/OwnDatabase.ts"
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
  const names = await tables(url)
  return within(url, async (client) => {
    const all: Record<string, string> = {}
    for (const name of names) {
      // Leaves out when a migration ran, and what the metrics read last.
      if (name === "corridor_migrations" || name === "figures") continue
      const { rows } = await client.query<{ digest: string; rows: number }>(
        `select md5(coalesce(string_agg(t::text, E'\\n' order by t::text), '')) as digest, count(*)::int as rows from ${name} t`
      )
      all[name] = `${rows[0]?.rows} ${rows[0]?.digest}`
    }
    return all
  })
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
  taken = await dataIn(environment(source))("backup", file)
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
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("exists already")])
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

it("analyses every table", async () => {
  const target = await newDatabase("empty")
  expect((await restored(target)).code).toBe(0)
  const left = await query(
    target.url,
    "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples < 0"
  )
  expect(left).toEqual([])
})

it("refuses a database that is not empty", async () => {
  const used = await newDatabase("migrated")
  const { code, stderr } = await restored(used)
  expect([code, stderr]).toEqual([1, expect.stringContaining("This database is not empty")])
})

it("refuses another master key, before anything is written", async () => {
  const target = await newDatabase("empty")
  const { code, stderr } = await restored(target, file, OTHER_KEY)
  expect([code, stderr]).toEqual([1, expect.stringContaining(`encrypted under master key ${taken.key_id}`)])
  expect(await tables(target.url)).toEqual([])
})

it("leaves the database empty where no key is there to open the backup", async () => {
  const target = await newDatabase("empty")
  // Without a password in the address no key follows from it.
  const at = new URL(target.url)
  at.searchParams.set("password", decodeURIComponent(at.password))
  at.password = ""
  const env = { DATABASE_URL: at.href, DATA_DIR: folder }
  const { code, stderr } = await cliIn(env)("restore", file)
  expect([code, stderr]).toEqual([1, expect.stringContaining(`encrypted under master key ${taken.key_id}`)])
  expect(await tables(target.url)).toEqual([])
  expect((await restored(target)).code).toBe(0)
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
  writeFileSync(
    later,
    gzipSync(text.replace('"migrations":[', '"migrations":[{"id":9999,"name":"later","checksum":"later"},'))
  )
  const other = join(folder, "other.backup")
  writeFileSync(other, gzipSync(text.replace('"name":"platform"', '"name":"foundation"')))
  for (const [path, words] of [
    [cut, "it is not whole"],
    [changed, "its digest is another"],
    [strange, "is not a backup of Corridor"],
    [later, "A newer version of Corridor"],
    [other, "An earlier version of Corridor has made this backup, and there is no upgrade from it"],
    [join(folder, "nowhere.backup"), "cannot be read"]
  ] as const) {
    const { code, stderr } = await restored(target, path)
    expect([path, code, stderr]).toEqual([path, 1, expect.stringContaining(words)])
    expect(await tables(target.url), path).toEqual([])
  }
  expect((await restored(target)).code).toBe(0)
})

it("keeps the key beside the copy where no key is set, and takes it for the restore", async () => {
  const dataDir = newDataDir()
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

it("brings a month back that had left its table and was in no file yet", async () => {
  const odd = await newDatabase("migrated")
  await query(odd.url, "create table leaving_audit_log_2018_03 (like audit_log including defaults)")
  await query(
    odd.url,
    `insert into leaving_audit_log_2018_03 (audit_id, actor_type, actor_id, action, subject_type, subject_id, created_at)
      values ('01890000-0000-7000-8000-000000000001', 'operator', 'cli', 'a.test', 'test', 'x', '2018-03-05T00:00:00Z')`
  )
  const path = join(folder, "leaving.backup")
  expect((await cliIn(environment(odd))("backup", path)).code).toBe(0)
  const target = await newDatabase("empty")
  const { code, stderr } = await restored(target, path)
  expect([code, stderr]).toEqual([0, ""])
  const [there, back] = [await contents(odd.url), await contents(target.url)]
  expect(there["leaving_audit_log_2018_03"]).toMatch(/^1 /)
  expect(back["leaving_audit_log_2018_03"]).toBe(there["leaving_audit_log_2018_03"])
})

it("reaches the primary among several hosts, as the service does", async () => {
  const several = { ...source, url: source.url.replace(/@([^/]+)\//, "@127.0.0.1:1,$1/") }
  const path = join(folder, "several.backup")
  const taking = await cliIn(environment(several))("backup", path)
  expect([taking.code, taking.stderr]).toEqual([0, ""])
})

it("refuses a file of pg_dump, and names the program that restores it", async () => {
  const path = join(folder, "dumped.backup")
  writeFileSync(path, "PGDMP and more")
  const target = await newDatabase("empty")
  const { code, stderr } = await cliIn(environment(target))("restore", path)
  expect(code).toBe(1)
  expect(stderr).toContain("pg_restore")
})

it("takes as long as it takes, also where the role is held to a time, as it is behind a pooler", async () => {
  const limited = await newDatabase("migrated")
  const name = decodeURIComponent(new URL(limited.url).pathname.slice(1))
  await query(limited.url, `alter role current_user in database "${name}" set statement_timeout = '500ms'`)
  await query(limited.url, `alter role current_user in database "${name}" set lock_timeout = '300ms'`)
  const path = join(folder, "slow.backup")
  // A table that somebody holds for longer than that.
  const holding = query(
    limited.url,
    "set statement_timeout = 0; begin; lock table webhooks; select pg_sleep(6); commit"
  )
  const { code, stderr } = await cliIn(environment(limited))("backup", path)
  await holding
  await query(limited.url, `alter role current_user in database "${name}" reset all`)
  expect([code, stderr]).toEqual([0, ""])
})
