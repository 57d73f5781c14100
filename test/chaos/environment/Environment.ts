/**
 * Environment of a run: instances of the built server on one PostgreSQL, the nine fakes, and a proxy on each
 * connection. Callbacks and pages go to any instance.
 */
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Either, type Scope } from "effect"
import { freePort } from "../../bench/FreePort.ts"
import { temporaryFolder } from "../../bench/BenchCluster.ts"
import { allFakes, type ShippedFake, type StartedFake, startFakes } from "../../fakes/AllFakes.ts"
import { ChaosFailed } from "../ChaosFailed.ts"
import { type Disk, ownDisk } from "./Disk.ts"
import { type Instance, makeInstance } from "./ServerInstance.ts"
import { type Postgres, startPostgres } from "./Postgres.ts"
import { type Proxy, startProxy } from "./Proxy.ts"

export interface EnvironmentOptions {
  readonly instances: number
  readonly bundle: string
  /** Whether the database gets its own disk, if possible. */
  readonly wantsDisk: boolean
  /** STATUS_ENQUIRY_DELAYS of the instances. */
  readonly enquiryDelays: string
  /** Replaces the embedded PostgreSQL. */
  readonly startDatabase?: (folder: string) => Effect.Effect<Postgres, ChaosFailed, Scope.Scope>
  /** Further settings of the instances. */
  readonly variables?: Readonly<Record<string, string>>
}

export interface Credentials {
  readonly orgs: ReadonlyArray<{
    readonly org_id: string
    readonly api_key: string
    readonly users: ReadonlyArray<{ readonly user_id: string; readonly role: string; readonly jwt: string }>
  }>
  readonly admin: { readonly jwt: string }
}

export interface Environment {
  readonly folder: string
  readonly bundle: string
  readonly instances: ReadonlyArray<Instance>
  readonly postgres: Postgres
  /** Or the reason why there is none. */
  readonly disk: Either.Either<Disk, string>
  readonly fakes: ReadonlyArray<StartedFake>
  /** Proxies from the instances to the fakes. */
  readonly providers: ReadonlyArray<Proxy>
  /** Proxy from fakes and customers to the instances. */
  readonly front: Proxy
  readonly credentials: Credentials
  readonly environment: Readonly<Record<string, string>>
}

const MASTER_KEY = "5a".repeat(32)

/** Short delays, so that minutes show what otherwise takes days. */
const paces = {
  PROVIDER_TIMEOUT: "3 seconds",
  WEBHOOK_TIMEOUT: "2 seconds",
  WEBHOOK_RETRY_DELAYS: "1 second, 2 seconds, 5 seconds, 15 seconds, 30 seconds"
}

const credentialsIn = (folder: string) =>
  Effect.promise(async () => JSON.parse(await readFile(join(folder, "sandbox.json"), "utf8")) as Credentials)

/** Instances in turn, starting with the next one for each connection. */
const inTurn = (instances: ReadonlyArray<Instance>) => {
  let turn = 0
  return () => {
    turn += 1
    return instances.map((_, at) => instances[(at + turn) % instances.length]!.port)
  }
}

/** The fake's address is its proxy's. */
const startBehindProxy = (callbackBase: string, shipped: ShippedFake) =>
  Effect.gen(function* () {
    const firstPort = yield* Effect.promise(freePort)
    const proxy = yield* startProxy(() => [firstPort])
    const reachedAt = `http://127.0.0.1:${proxy.port}`
    const [fake] = yield* startFakes({ callbackBase, firstPort, reachedAt }, [shipped])
    return { fake: fake!, proxy }
  }).pipe(Effect.catchTag("FakeNotStarted", ({ message }) => new ChaosFailed({ message })))

export const startEnvironment = ({
  bundle,
  enquiryDelays,
  instances: count,
  startDatabase,
  variables,
  wantsDisk
}: EnvironmentOptions) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder("chaos")
    const disk = wantsDisk ? yield* ownDisk(folder) : Either.left("it was not asked for")
    const corridor = join(Either.getOrElse(disk, () => ({ folder })).folder, "cluster")
    const postgres = yield* startDatabase === undefined ? startPostgres(corridor) : startDatabase(folder)
    const instances: Array<Instance> = []
    const front = yield* startProxy(inTurn(instances))
    const publicUrl = `http://127.0.0.1:${front.port}`
    const behind = yield* Effect.forEach(allFakes, (shipped) => startBehindProxy(publicUrl, shipped))
    const fakes = behind.map(({ fake }) => fake)
    const environment = {
      CORRIDOR_MODE: "sandbox",
      CORRIDOR_MASTER_KEY: MASTER_KEY,
      PUBLIC_URL: publicUrl,
      RATE_LIMIT_PER_MINUTE: "0",
      LOG_LEVEL: "warn",
      CARD_DATA: "raw",
      ...paces,
      STATUS_ENQUIRY_DELAYS: enquiryDelays,
      ...Object.fromEntries(fakes.flatMap(({ settings }) => settings))
    }
    for (let number = 1; number <= count; number++) {
      const name = `instance ${number}`
      const database = yield* startProxy(() => [postgres.port()])
      const dataDir = join(folder, `instance-${number}`)
      yield* Effect.promise(() => mkdir(dataDir))
      instances.push(
        yield* makeInstance({
          name,
          module: join(bundle, "main.mjs"),
          logFile: join(folder, `instance-${number}.log`),
          database,
          environment: {
            ...environment,
            CORRIDOR_WORKERS: "1",
            ...variables,
            DATA_DIR: dataDir,
            DATABASE_URL: postgres.urlThrough(database.port)
          }
        })
      )
    }
    yield* Effect.forEach(instances, ({ start }) => start, { discard: true })
    const credentials = yield* credentialsIn(join(folder, "instance-1"))
    const env: Environment = {
      folder,
      bundle,
      instances,
      postgres,
      disk,
      fakes,
      providers: behind.map(({ proxy }) => proxy),
      front,
      credentials,
      environment: { ...environment, DATA_DIR: join(folder, "instance-1"), DATABASE_URL: postgres.commandUrl }
    }
    return env
  })
