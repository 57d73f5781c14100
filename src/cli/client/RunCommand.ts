/** Runs a command over the API client: against the server that is named, or next to the database. */
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Duration, Effect, Schema, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { readinessTimeout } from "../../domain/policies/DatabasePolicies.ts"
import { refuse } from "../shared/CommandInput.ts"
import { redactText } from "../../platform/observability/Redaction.ts"
import { type CommandResult, report, Streams } from "../shared/Terminal.ts"
import { isLocal, type Server, Target } from "../shared/CommandTarget.ts"
import type { ApiClient } from "../shared/ApiClient.ts"
import type { HandlerSet } from "../shared/Command.ts"

const Credentials = Schema.parseJson(
  Schema.Struct({
    base_url: Schema.String,
    orgs: Schema.NonEmptyArray(
      Schema.Struct({
        org_id: Schema.String,
        name: Schema.String,
        api_key: Schema.String,
        users: Schema.NonEmptyArray(Schema.Struct({ user_id: Schema.String }))
      })
    )
  })
)

const START = 'start one with "npm start", then run this again.'

const answers = (baseUrl: string) =>
  Effect.tryPromise((signal) => fetch(`${baseUrl.replace(/\/v1$/, "")}/readyz`, { signal })).pipe(
    Effect.timeout(Duration.times(readinessTimeout, 2)),
    Effect.filterOrFail(({ status }) => status === 200),
    Effect.mapError(() => refuse(`No sandbox server answers at ${baseUrl}: ${START}`))
  )

/** `inLiveMode`: what is said instead in live mode, which leaves no credentials anywhere. */
export const runningSandbox = Effect.fnUntraced(function* (inLiveMode: string) {
  const { dataDir, mode } = yield* Settings
  if (mode === "live") return yield* refuse(inLiveMode)
  const path = join(resolve(dataDir), "sandbox.json")
  const { base_url, orgs } = yield* Effect.tryPromise(() => readFile(path, "utf8")).pipe(
    Effect.flatMap(Schema.decode(Credentials)),
    Effect.mapError(() => refuse(`No sandbox server has left its credentials in ${path}: ${START}`))
  )
  yield* answers(base_url)
  const [{ api_key, name, org_id, users }] = orgs
  return {
    baseUrl: base_url,
    orgId: org_id,
    orgName: name,
    apiKey: api_key,
    /** A user of the organisation. */
    userId: users[0].user_id
  }
})

export type RunningSandbox = Effect.Effect.Success<ReturnType<typeof runningSandbox>>

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

/** Over HTTP where a server is named or needed, otherwise by that set of handlers in this process. */
export const runOn = <E>(
  handlers: HandlerSet | "server",
  asJson: boolean,
  work: Effect.Effect<CommandResult, E, ApiClient | Target>
) =>
  Effect.gen(function* () {
    if (handlers !== "server" && (yield* isLocal)) {
      const { runInProcess } = yield* Effect.promise(() => import("./InProcessClient.ts"))
      return yield* runInProcess(handlers, asJson, work)
    }
    const server = yield* theServer
    yield* printServer(server)
    const { httpApiClient } = yield* Effect.promise(() => import("./HttpApiClient.ts"))
    yield* Effect.provide(report(asJson, work), httpApiClient(server))
  })
