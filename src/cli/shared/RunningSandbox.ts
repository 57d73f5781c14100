/** The sandbox server that runs on this machine, with the credentials that it wrote into its data folder. */
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Duration, Effect, Schema } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { readinessTimeout } from "../../domain/policies/DatabasePolicies.ts"
import { refuse } from "./CommandInput.ts"

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

export interface RunningSandbox {
  readonly baseUrl: string
  readonly orgId: string
  readonly orgName: string
  readonly apiKey: string
  /** A user of the organisation. */
  readonly userId: string
}

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
  const sandbox: RunningSandbox = {
    baseUrl: base_url,
    orgId: org_id,
    orgName: name,
    apiKey: api_key,
    userId: users[0].user_id
  }
  return sandbox
})
