/** The server. */
import cluster from "node:cluster"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"
import { banner } from "./app/Banner.ts"
import { explainFailure, speakForNode } from "./app/Failures.ts"
import { serveHttp } from "./app/HttpApp.ts"
import { AppLive } from "./app/Live.ts"
import { GateLive, SandboxLive } from "./app/Services.ts"
import { untilDatabaseIsGone, watchSignals } from "./app/Signals.ts"
import { supervised, tellCannotListen } from "./app/Supervisor.ts"
import { startWorkers } from "./app/Workers.ts"
import { Settings } from "./platform/config/Settings.ts"
import { warnOfReplication } from "./platform/database/Replication.ts"
import { openFakes } from "./app/sandbox/Fakes.ts"
import { Sandbox } from "./app/sandbox/Sandbox.ts"
import { writeSandboxFile } from "./app/sandbox/SandboxFile.ts"

const openSandbox = Effect.gen(function* () {
  const credentials = yield* Effect.flatMap(Sandbox, (sandbox) => sandbox.ensure)
  yield* writeSandboxFile(credentials)
  return credentials
}).pipe(Effect.provide(SandboxLive))

/** What is done once, however many processes there are. */
const opened = Effect.gen(function* () {
  const { mode } = yield* Settings
  yield* warnOfReplication
  const credentials = mode === "sandbox" ? yield* openSandbox : undefined
  return { credentials, fakes: yield* openFakes }
})

const server = Effect.gen(function* () {
  const { port, worker } = yield* Settings
  const once = worker === 1 ? Option.some(yield* opened) : Option.none()
  yield* startWorkers
  yield* serveHttp(port)
  if (Option.isSome(once)) yield* banner(once.value.credentials, once.value.fakes)
  return yield* untilDatabaseIsGone
})

const serving = Effect.provide(Effect.scoped(server), GateLive.pipe(Layer.provideMerge(AppLive))).pipe(
  Effect.tapErrorTag("ListenError", () => tellCannotListen)
)

const served = Effect.gen(function* () {
  const { workers } = yield* Settings
  return workers > 1 && cluster.isPrimary ? yield* supervised : yield* serving
}).pipe(Effect.provide(Settings.layer))

Effect.zipRight(Effect.zipRight(speakForNode, watchSignals), served).pipe(
  explainFailure,
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
