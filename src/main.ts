/** The server. */
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { banner } from "./app/Banner.ts"
import { explainFailure, speakForNode } from "./app/Failures.ts"
import { serveHttp } from "./app/HttpApp.ts"
import { AppLive } from "./app/Live.ts"
import { GateLive, SandboxLive } from "./app/Services.ts"
import { untilDatabaseIsGone, watchSignals } from "./app/Signals.ts"
import { startWorkers } from "./app/Workers.ts"
import { Settings } from "./platform/config/Settings.ts"
import { openFakes } from "./app/sandbox/Fakes.ts"
import { Sandbox } from "./app/sandbox/Sandbox.ts"
import { writeSandboxFile } from "./app/sandbox/SandboxFile.ts"

const openSandbox = Effect.gen(function* () {
  const credentials = yield* Effect.flatMap(Sandbox, (sandbox) => sandbox.ensure)
  yield* writeSandboxFile(credentials)
  return credentials
}).pipe(Effect.provide(SandboxLive))

const server = Effect.gen(function* () {
  const { mode, port } = yield* Settings
  const credentials = mode === "sandbox" ? yield* openSandbox : undefined
  const fakes = yield* openFakes
  yield* startWorkers
  yield* serveHttp(port)
  yield* banner(credentials, fakes)
  return yield* untilDatabaseIsGone
})

const served = Effect.provide(Effect.scoped(server), GateLive.pipe(Layer.provideMerge(AppLive)))

Effect.zipRight(Effect.zipRight(speakForNode, watchSignals), served).pipe(
  explainFailure,
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
