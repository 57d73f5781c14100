/** Runs the part of a command that goes by API, as whoever the credential is, and says to which server it went. */
import { Effect, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { redactText } from "../../platform/observability/Redaction.ts"
import { runningSandbox } from "../shared/RunningSandbox.ts"
import { type CommandResult, report } from "../shared/CommandResult.ts"
import { Streams } from "../shared/Terminal.ts"
import { type Server, Target } from "../shared/CommandTarget.ts"
import { Calls } from "./Calls.ts"

/** The sandbox that runs on this machine left a key for whoever may read its folder. */
const sandboxHere = Effect.map(
  runningSandbox("Which server? In live mode none has left a key here: give --url, and --token or --api-key."),
  ({ apiKey, baseUrl }): Server => ({ url: baseUrl.replace(/\/v1$/, ""), credential: { apiKey } })
).pipe(Effect.provide(Settings.layer))

/** Without --url: the sandbox of this machine, where the command has no other way. */
export const theServer = Effect.gen(function* () {
  const named = yield* (yield* Target).server
  return Option.isSome(named) ? named.value : yield* sandboxHere
})

export const tellServer = ({ credential, url }: Server): Effect.Effect<void> =>
  Effect.map(Streams, ({ err }) =>
    err(`Server: ${redactText(url)}, with ${"token" in credential ? "a token" : "an API key"}.\n`)
  )

export const onApi = <E>(asJson: boolean, work: Effect.Effect<CommandResult, E, Calls>) =>
  Effect.gen(function* () {
    const server = yield* theServer
    yield* tellServer(server)
    yield* Effect.provide(report(asJson, work), Calls.layer(server))
  })
