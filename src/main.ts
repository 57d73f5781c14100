/** The server. */
import cluster from "node:cluster"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"
import { banner, explainFailure, logNodeWarnings, warnOfPublicUrl } from "./app/StartupMessages.ts"
import { serveHttp } from "./app/HttpApp.ts"
import { AppLive, GateLive, SandboxLive } from "./app/Services.ts"
import { waitForDatabaseLoss, limitShutdownTime, runSupervised, reportCannotListen } from "./app/Supervisor.ts"
import { startWorkers } from "./app/BackgroundWorkers.ts"
import { Settings } from "./platform/config/Settings.ts"
import { warnOfReplication } from "./platform/database/DatabaseServer.ts"
import { startFakes } from "./app/SandboxFakes.ts"
import { Sandbox, writeSandboxFile } from "./app/Sandbox.ts"

const openSandbox = Effect.gen(function* () {
  const credentials = yield* Effect.flatMap(Sandbox, (sandbox) => sandbox.ensure)
  yield* writeSandboxFile(credentials)
  return credentials
}).pipe(Effect.provide(SandboxLive))

/** Done once, by the first process. */
const opened = Effect.gen(function* () {
  const { mode } = yield* Settings
  yield* warnOfReplication
  yield* warnOfPublicUrl
  const credentials = mode === "sandbox" ? yield* openSandbox : undefined
  return { credentials, fakes: yield* startFakes }
})

const server = Effect.gen(function* () {
  const { port, worker } = yield* Settings
  const once = worker === 1 ? Option.some(yield* opened) : Option.none()
  yield* startWorkers
  yield* serveHttp(port)
  if (Option.isSome(once)) yield* banner(once.value.credentials, once.value.fakes)
  return yield* waitForDatabaseLoss
})

const serving = Effect.provide(Effect.scoped(server), GateLive.pipe(Layer.provideMerge(AppLive))).pipe(
  Effect.tapErrorTag("ListenError", () => reportCannotListen)
)

const served = Effect.gen(function* () {
  const { workers } = yield* Settings
  return workers > 1 && cluster.isPrimary ? yield* runSupervised : yield* serving
}).pipe(Effect.provide(Settings.layer))

Effect.zipRight(Effect.zipRight(logNodeWarnings, limitShutdownTime), served).pipe(
  explainFailure,
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
