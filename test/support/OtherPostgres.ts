/** PostgreSQL of other major versions, from Debian's folders and those in POSTGRES_BINS (separated by colons). */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Logger, LogLevel, Option, Redacted, Schedule } from "effect"
import { freePort } from "../bench/FreePort.ts"
import { DatabaseServer } from "../../src/platform/database/DatabaseServer.ts"
import { migrate } from "../../src/platform/database/Migrations.ts"
import { databaseUser } from "../../src/platform/database/embedded/HostSystem.ts"
import { within } from "./OwnDatabase.ts"

const DEBIAN = "/usr/lib/postgresql"

const folders = [
  ...(process.env["POSTGRES_BINS"] ?? "").split(":").filter((folder) => folder !== ""),
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN) : []).map((major) => join(DEBIAN, major, "bin"))
]

const majorOf = (folder: string): number | undefined => {
  const program = join(folder, "postgres")
  if (!existsSync(program)) return undefined
  const found = /\(PostgreSQL\) (\d+)/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Folder of each major version; the first one wins. */
export const foundPostgres: ReadonlyMap<number, string> = new Map(
  folders.toReversed().flatMap((folder): ReadonlyArray<readonly [number, string]> => {
    const major = majorOf(folder)
    return major === undefined ? [] : [[major, folder]]
  })
)

/** Settings without durability and autovacuum. */
const settings = [
  "fsync=off",
  "full_page_writes=off",
  "autovacuum=off",
  "listen_addresses=127.0.0.1",
  "unix_socket_directories="
]

const started = (folder: string) =>
  Effect.gen(function* () {
    const data = mkdtempSync(join(tmpdir(), "postgres-"))
    const user = Option.getOrUndefined(yield* databaseUser(join(data, "none")))
    if (user !== undefined) chownSync(data, user.uid, user.gid)
    chmodSync(data, 0o700)
    execFileSync(join(folder, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"], {
      ...user,
      cwd: "/",
      stdio: "ignore"
    })
    const port = yield* Effect.promise(freePort)
    const options = settings.flatMap((setting) => ["-c", setting])
    const server = spawn(join(folder, "postgres"), ["-D", data, "-p", `${port}`, ...options], {
      ...user,
      cwd: "/",
      stdio: "ignore"
    })
    const ended = once(server, "exit")
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => {
        server.kill("SIGINT")
        return ended
      })
    )
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
    yield* Effect.tryPromise(() => within(url, (client) => client.query("select 1"))).pipe(
      Effect.retry(Schedule.spaced("50 millis")),
      Effect.timeout("30 seconds")
    )
    return Redacted.make(url)
  })

/** A migrated server of a major version. */
export const otherServer = (major: number) =>
  Layer.scoped(
    DatabaseServer,
    Effect.gen(function* () {
      const url = yield* started(foundPostgres.get(major)!)
      yield* Logger.withMinimumLogLevel(migrate, LogLevel.None).pipe(
        Effect.provide(PgClient.layer({ url, maxConnections: 2 }))
      )
      return { url, embedded: false, gone: Effect.never }
    }).pipe(Effect.orDie)
  )
