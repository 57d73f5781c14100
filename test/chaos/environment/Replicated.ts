/** A PostgreSQL with a streaming replica, from the embedded binaries. */
import { cp, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schedule } from "effect"
import { freePort } from "../../bench/FreePort.ts"
import { binariesFor } from "../../../src/platform/database/embedded/PostgresBinaries.ts"
import { connected } from "./OneConnection.ts"
import { makeFolder, makeProgram, programUser, runProgram } from "./Program.ts"

export const untilAnswers = (url: string) =>
  Effect.tryPromise(() => connected(url, (client) => client.query("select 1"))).pipe(
    Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.upTo("1 minute"))),
    Effect.orDie
  )

const settings = [
  "fsync=off",
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=60",
  "timezone=UTC"
]

const urlAt = (port: number): string => `postgres://postgres@127.0.0.1:${port}/postgres`

/** Copies the data folder online, as `pg_basebackup` does. */
const copied = (primary: string, from: string, to: string) =>
  Effect.promise(() =>
    connected(primary, async (client) => {
      await client.query("select pg_backup_start('replica', true)")
      await cp(from, to, {
        recursive: true,
        preserveTimestamps: true,
        filter: (path) => !path.endsWith("postmaster.pid") && !path.endsWith("postmaster.opts")
      })
      const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)")
      await writeFile(join(to, "backup_label"), rows[0]!.labelfile)
      await writeFile(join(to, "standby.signal"), "")
    })
  )

export const startReplicated = (folder: string) =>
  Effect.gen(function* () {
    const user = yield* programUser
    const { initdb, postgres } = yield* Effect.orDie(binariesFor(user))
    const corridor = yield* makeFolder(join(folder, "replicated"), user)
    const [first, second] = [join(corridor, "primary"), join(corridor, "replica")]
    yield* runProgram(initdb, [`--pgdata=${first}`, "--username=postgres", "--auth=trust", "--no-sync"], user)
    const started = (name: string, data: string, port: number, more: ReadonlyArray<string> = []) =>
      makeProgram({
        program: postgres,
        args: ["-D", data, "-p", `${port}`, ...[...settings, ...more].flatMap((one) => ["-c", one])],
        user,
        folder: corridor,
        name,
        endsBy: "SIGINT"
      })
    const [primaryPort, replicaPort] = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)]
    const primary = yield* started("primary", first, primaryPort)
    yield* untilAnswers(urlAt(primaryPort))
    yield* copied(urlAt(primaryPort), first, second)
    if (Option.isSome(user)) {
      yield* runProgram("chown", ["-R", `${user.value.uid}:${user.value.gid}`, second], Option.none())
    }
    yield* runProgram("chmod", ["-R", "go-rwx", second], Option.none())
    const conninfo = `primary_conninfo=host=127.0.0.1 port=${primaryPort} user=postgres`
    const replica = yield* started("replica", second, replicaPort, [conninfo])
    yield* untilAnswers(urlAt(replicaPort))
    return {
      primary: { ...primary, url: urlAt(primaryPort), port: primaryPort },
      replica: { ...replica, url: urlAt(replicaPort), port: replicaPort }
    }
  })
