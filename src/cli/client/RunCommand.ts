/** Runs a command over the API client: against the server that is named, or next to the database. */
import { Effect, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { redactText } from "../../platform/observability/Redaction.ts"
import { type CommandResult, report } from "../shared/CommandResult.ts"
import { isLocal, type Server, Target } from "../shared/CommandTarget.ts"
import { runningSandbox } from "../shared/RunningSandbox.ts"
import { Streams } from "../shared/Terminal.ts"
import type { ApiClient } from "./ApiClient.ts"
import type { HandlerSetName } from "./InProcessClient.ts"

/** The sandbox that runs on this machine, with the key that it wrote into its data folder. */
const sandboxHere = Effect.map(
  runningSandbox("Which server? In live mode none has left a key here: give --url, and --token or --api-key."),
  ({ apiKey, baseUrl }): Server => ({ url: baseUrl.replace(/\/v1$/, ""), credential: { apiKey } })
).pipe(Effect.provide(Settings.layer))

/** The named server, or the sandbox of this machine. */
export const theServer = Effect.gen(function* () {
  const named = yield* (yield* Target).server
  return Option.isSome(named) ? named.value : yield* sandboxHere
})

export const printServer = ({ credential, url }: Server): Effect.Effect<void> =>
  Effect.map(Streams, ({ err }) =>
    err(`Server: ${redactText(url)}, with ${"token" in credential ? "a token" : "an API key"}.\n`)
  )

/** Over HTTP only. */
export const onServer = <E>(asJson: boolean, work: Effect.Effect<CommandResult, E, ApiClient | Target>) =>
  Effect.gen(function* () {
    const server = yield* theServer
    yield* printServer(server)
    const { httpApiClient } = yield* Effect.promise(() => import("./HttpApiClient.ts"))
    yield* Effect.provide(report(asJson, work), httpApiClient(server))
  })

/** Over HTTP where a server is named, otherwise by the named set of handlers in this process. */
export const onTarget =
  (handlers: HandlerSetName) =>
  <E>(asJson: boolean, work: Effect.Effect<CommandResult, E, ApiClient | Target>) =>
    Effect.gen(function* () {
      if (!(yield* isLocal)) return yield* onServer(asJson, work)
      const { runInProcess } = yield* Effect.promise(() => import("./InProcessClient.ts"))
      return yield* runInProcess(handlers, asJson, work)
    })
