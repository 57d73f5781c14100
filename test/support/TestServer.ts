/** The real HTTP server on a free port with sandbox data, on memory stores or its own database. */
import { layer, type Vitest } from "@effect/vitest"
import { Cause, Context, Effect, HashMap, Layer, Logger, type LogLevel } from "effect"
import { UserId } from "../../src/domain/Ids.ts"
import { graphOf } from "../../src/app/Graph.ts"
import { serveHttp } from "../../src/app/HttpApp.ts"
import { serverOver, ServicesLive } from "../../src/app/Services.ts"
import { Settings } from "../../src/platform/config/Settings.ts"
import { Sandbox, type SandboxCredentials } from "../../src/app/Sandbox.ts"
import { type Backend, storesOn } from "./OnBothStores.ts"
import { TestFoundation, testSettings, type Variables } from "./TestSettings.ts"

export interface LogLine {
  readonly level: LogLevel.LogLevel["_tag"]
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
  readonly cause: string
}

export class TestServer extends Context.Tag("test/TestServer")<
  TestServer,
  {
    readonly baseUrl: string
    readonly port: number
    readonly credentials: SandboxCredentials
    readonly logs: ReadonlyArray<LogLine>
  }
>() {}

const keepIn = (lines: Array<LogLine>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ annotations, cause, logLevel, message }) => {
      lines.push({
        level: logLevel._tag,
        message: (Array.isArray(message) ? message : [message]).map(String).join(" "),
        annotations: Object.fromEntries(HashMap.toEntries(annotations)),
        cause: Cause.isEmpty(cause) ? "" : Cause.pretty(cause, { renderErrorCause: true })
      })
    })
  )

const noCredentials: SandboxCredentials = { orgs: [], admin: { user_id: UserId.make(""), jwt: null } }

const served = (logs: ReadonlyArray<LogLine>) =>
  Layer.scoped(
    TestServer,
    Effect.gen(function* () {
      const { mode } = yield* Settings
      const credentials = mode === "sandbox" ? yield* Effect.flatMap(Sandbox, ({ ensure }) => ensure) : noCredentials
      const port = yield* serveHttp(0)
      return { baseUrl: `http://127.0.0.1:${port}`, port, credentials, logs }
    })
  )

/** `stores`: replaces stores in a test. */
export const testServer = (
  backend: Backend,
  { stores = storesOn(backend), variables = {} }: TestServerOptions = {}
) => {
  const logs: Array<LogLine> = []
  return graphOf({
    services: served(logs).pipe(Layer.provideMerge(serverOver(ServicesLive))),
    stores,
    foundation: TestFoundation,
    settings: testSettings(variables).pipe(Layer.provideMerge(keepIn(logs)))
  })
}

export interface TestServerOptions {
  readonly stores?: ReturnType<typeof storesOn>
  readonly variables?: Variables
}

export type ServerServices = Layer.Layer.Success<ReturnType<typeof testServer>>

type Tests = (it: Vitest.MethodsNonLive<ServerServices, true>) => void

export const onServer = (name: string, backend: Backend, options: TestServerOptions, tests: Tests): void =>
  layer(testServer(backend, options), { excludeTestServices: true, timeout: "60 seconds" })(
    `${name} on ${backend}`,
    tests
  )

/** Default of HTTP suites; the store suites compare both backends. */
export const onDatabaseServer = (name: string, tests: Tests, variables: Variables = {}): void =>
  onServer(name, "PostgreSQL", { variables }, tests)
