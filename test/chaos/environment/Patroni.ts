/** Three PostgreSQL under Patroni and etcd with synchronous replication, from the system's packages. */
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect, Option, Schedule } from "effect"
import { freePort } from "../../bench/FreePort.ts"
import { ChaosFailed } from "../ChaosFailed.ts"
import { chaosDatabase, type Postgres, instanceRole } from "./Postgres.ts"
import { findProgram, makeFolder, makeProgram, type Program, programUser } from "./Program.ts"
import { connected } from "./OneConnection.ts"

export interface Node {
  readonly name: string
  readonly port: number
  /** Port of its Patroni. */
  readonly restPort: number
  /** Kills PostgreSQL and its children; Patroni stays. */
  readonly killPostgres: Effect.Effect<void>
  /** Kills Patroni alone: PostgreSQL goes on as a primary. */
  readonly killPatroni: Effect.Effect<void>
  readonly takesWrites: Effect.Effect<boolean>
  /** Kills Patroni, then PostgreSQL. */
  readonly kill: Effect.Effect<void>
  readonly start: Effect.Effect<void>
}

export interface Primary {
  readonly node: Node
  /** Start of the process: differs after a restart in place. */
  readonly started: string
  /** A synchronous standby is attached, without which no commit is answered. */
  readonly commits: boolean
}

export interface Promotion {
  readonly fault: string
  /** From the death of a primary until PostgreSQL took writes again. */
  readonly millis: number
  /** From then until a synchronous standby was attached. */
  readonly standbyMillis: number
  /** Patroni restarted the same node because it knew of no synchronous standby. */
  readonly inPlace: boolean
}

export interface Cluster {
  readonly promotions: Array<Promotion>
  /** Primary: of several, the one promoted last. */
  readonly primary: Effect.Effect<Primary, ChaosFailed>
  /** Starts dead nodes and waits until all replicate and Patroni knows a synchronous standby. */
  readonly whole: Effect.Effect<void, ChaosFailed>
}

const NODES = 3
const PASSWORD = "failover"
const BINARIES = "/usr/lib/postgresql/15/bin"

const places = {
  etcd: ["/usr/bin/etcd", "/usr/local/bin/etcd"],
  patroni: ["/usr/bin/patroni", "/usr/local/bin/patroni"],
  "postgresql-15": [`${BINARIES}/postgres`]
}

export const missingPrograms: Effect.Effect<ReadonlyArray<string>> = Effect.map(
  Effect.forEach(Object.entries(places), ([name, where]) =>
    Effect.map(findProgram(...where), (found) => (Option.isNone(found) ? [name] : []))
  ),
  (all) => all.flat()
)

/** The shortest intervals that Patroni allows. */
const configuration = (node: {
  readonly name: string
  readonly port: number
  readonly restPort: number
  readonly etcdPort: number
  readonly folder: string
}): string => `
scope: corridor
name: ${node.name}
restapi:
  listen: 127.0.0.1:${node.restPort}
  connect_address: 127.0.0.1:${node.restPort}
etcd3:
  hosts: 127.0.0.1:${node.etcdPort}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 1
    retry_timeout: 3
    primary_start_timeout: 0
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 150
        wal_keep_size: 512MB
        wal_retrieve_retry_interval: 200ms
        timezone: UTC
  initdb:
    - encoding: UTF8
    - data-checksums
  pg_hba:
    - host all all 127.0.0.1/32 trust
    - host replication all 127.0.0.1/32 trust
postgresql:
  listen: 127.0.0.1:${node.port}
  connect_address: 127.0.0.1:${node.port}
  data_dir: ${node.folder}/data
  bin_dir: ${BINARIES}
  pgpass: ${node.folder}/pgpass
  authentication:
    superuser: { username: postgres, password: ${PASSWORD} }
    replication: { username: replicator, password: ${PASSWORD} }
  parameters:
    unix_socket_directories: ${node.folder}
`

const childrenOf = async (pid: number): Promise<ReadonlyArray<number>> => {
  const { stdout } = await promisify(execFile)("ps", ["-o", "pid=", "--ppid", `${pid}`]).catch(() => ({ stdout: "" }))
  return stdout.split("\n").flatMap((line) => (line.trim() === "" ? [] : [Number(line)]))
}

const killed = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // it has ended by itself
  }
}

const postmasterDies = (folder: string) =>
  Effect.promise(async () => {
    const text = await readFile(join(folder, "data", "postmaster.pid"), "utf8").catch(() => "")
    const pid = Number.parseInt(text, 10)
    if (!Number.isInteger(pid)) return
    const children = await childrenOf(pid)
    killed(pid)
    for (const child of children) killed(child)
  })

const urlOf = (port: number, role: string, database: string): string =>
  `postgres://${role}:${PASSWORD}@127.0.0.1:${port}/${database}`

type Placed = Pick<Node, "name" | "port" | "restPort">

const nodeOf = (placed: Placed, folder: string, patroni: Program): Node => ({
  ...placed,
  killPostgres: postmasterDies(folder),
  killPatroni: patroni.kill("SIGKILL"),
  takesWrites: Effect.map(
    Effect.promise(() => lookAt(placed.port)),
    (seen) => seen?.replica === false
  ),
  kill: Effect.zipRight(patroni.kill("SIGKILL"), postmasterDies(folder)),
  start: patroni.start
})

interface Seen {
  readonly replica: boolean
  readonly started: string
  /** Timeline of a primary: eight hexadecimal digits. */
  readonly timeline: string | null
  readonly streaming: number
  readonly commits: boolean
}

const lookAt = (port: number): Promise<Seen | undefined> =>
  connected(urlOf(port, "postgres", "postgres"), async (client) => {
    const { rows } = await client.query<Seen>(`select pg_is_in_recovery() as replica,
      pg_postmaster_start_time()::text as started,
      case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline,
      (select count(*)::int from pg_stat_replication where state = 'streaming') as streaming,
      exists (select from pg_stat_replication where sync_state = 'sync') as commits`)
    return rows[0]
  }).catch(() => undefined)

interface Members {
  readonly members: ReadonlyArray<{ readonly name: string; readonly role: string }>
}

/**
 * Whether Patroni would promote another node. pg_stat_replication does not show this: for some seconds after a
 * promotion synchronous_standby_names is `*`, and Patroni promotes none of the standbys that it shows as synchronous.
 */
const hasSuccessor = async ({ name, restPort }: Node): Promise<boolean> => {
  const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(2_000) })
  const { members } = (await response.json()) as Members
  const hasRole = (role: string, isNode: boolean) =>
    members.some((one) => one.role === role && (one.name === name) === isNode)
  return hasRole("leader", true) && hasRole("sync_standby", false)
}

const within =
  (what: string) =>
  <A>(look: Effect.Effect<A, ChaosFailed>): Effect.Effect<A, ChaosFailed> =>
    look.pipe(
      Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo("2 minutes"))),
      Effect.mapError(() => new ChaosFailed({ message: what }))
    )

const notYet = new ChaosFailed({ message: "not yet" })

const started = (folder: string) =>
  Effect.gen(function* () {
    const user = yield* programUser
    const corridor = yield* makeFolder(join(folder, "patroni"), user)
    const [etcdPort, peerPort] = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)]
    const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`]
    const etcd = Option.getOrThrow(yield* findProgram(...places.etcd))
    const patroni = Option.getOrThrow(yield* findProgram(...places.patroni))
    yield* makeProgram({
      program: etcd,
      args: [
        ["--data-dir", join(corridor, "etcd"), "--name", "one", "--initial-cluster", `one=${peer}`],
        ["--listen-client-urls", client, "--advertise-client-urls", client],
        ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
      ].flat(),
      user,
      folder: corridor,
      name: "etcd",
      variables: { ETCD_UNSUPPORTED_ARCH: process.arch }
    })
    const nodes: Array<Node> = []
    for (let number = 1; number <= NODES; number++) {
      const name = `node${number}`
      const own = yield* makeFolder(join(corridor, name), user)
      const [port, restPort] = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)]
      const file = join(own, "patroni.yml")
      yield* Effect.promise(() =>
        writeFile(file, configuration({ name, port, restPort, etcdPort, folder: own }), { mode: 0o644 })
      )
      // PostgreSQL ends with the scope, whatever its Patroni does.
      yield* Effect.addFinalizer(() => postmasterDies(own))
      const program = yield* makeProgram({ program: patroni, args: [file], user, folder: own, name })
      nodes.push(nodeOf({ name, port, restPort }, own, program))
    }
    return nodes
  })

export const startPatroni = (folder: string) =>
  Effect.gen(function* () {
    const nodes = yield* started(folder)
    let last = nodes[0]!
    const primary = Effect.flatMap(
      Effect.promise(() => Promise.all(nodes.map(async (node) => ({ node, seen: await lookAt(node.port) })))),
      (all) => {
        const [found] = all
          .filter(({ seen }) => seen?.replica === false)
          .toSorted((a, b) => (a.seen!.timeline! < b.seen!.timeline! ? 1 : -1))
        if (found?.seen === undefined) return Effect.fail(notYet)
        last = found.node
        return Effect.succeed({ node: found.node, ...found.seen })
      }
    )
    const whole = Effect.filterOrFail(
      primary,
      ({ streaming }) => streaming === NODES - 1,
      () => notYet
    ).pipe(
      Effect.flatMap(({ node }) => Effect.tryPromise({ try: () => hasSuccessor(node), catch: () => notYet })),
      Effect.filterOrFail(
        (yes) => yes,
        () => notYet
      )
    )
    yield* within("The three PostgreSQL did not find together")(whole)
    yield* Effect.promise(() =>
      connected(urlOf(last.port, "postgres", "postgres"), async (client) => {
        await client.query(`create role ${instanceRole} login password '${PASSWORD}'`)
        await client.query(`create database ${chaosDatabase} owner ${instanceRole}`)
      })
    )
    const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")
    const everywhere = (role: string) => `postgres://${role}:${PASSWORD}@${hosts}/${chaosDatabase}`
    const cluster: Cluster = {
      promotions: [],
      primary: within("No PostgreSQL has become the primary")(primary),
      whole: Effect.zipRight(
        Effect.forEach(nodes, ({ start }) => start, { discard: true }),
        within("The three PostgreSQL did not find together again")(Effect.asVoid(whole))
      )
    }
    const postgres: Postgres & { readonly cluster: Cluster } = {
      cluster,
      port: () => last.port,
      ownUrl: () => urlOf(last.port, "postgres", chaosDatabase),
      commandUrl: everywhere("postgres"),
      urlThrough: () => `${everywhere(instanceRole)}?target_session_attrs=read-write`,
      postmaster: () => {
        throw new Error("There is more than one")
      },
      using: (use) => Effect.promise(() => connected(urlOf(last.port, "postgres", chaosDatabase), use))
    }
    return postgres
  })
