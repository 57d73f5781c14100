/** `corridor sandbox` */
import { Prompt } from "@effect/cli"
import { Effect, Layer } from "effect"
import { AppLive } from "../../app/Live.ts"
import { SandboxLive } from "../../app/Services.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Reset } from "../../app/sandbox/Reset.ts"
import { refuse } from "../shared/Input.ts"
import { permitFor } from "../shared/Operator.ts"
import { report } from "../shared/Report.ts"
import { rewriteSandboxFile } from "../shared/SandboxFile.ts"
import { table } from "../shared/Table.ts"
import { working } from "../shared/Working.ts"

/** Asks before anything is opened: a database that cannot be reset must not be started for the question. */
const confirmed = (yes: boolean, asJson: boolean) =>
  Effect.gen(function* () {
    const { mode } = yield* Settings
    if (mode !== "sandbox") return yield* refuse("Only a sandbox can be reset, and CORRIDOR_MODE is live.")
    if (yes || asJson || !process.stdin.isTTY || !process.stdout.isTTY) return
    const message = "Erase every organisation, user, key and payment of this sandbox?"
    const sure = yield* Effect.orElseSucceed(Prompt.confirm({ message, initial: false }), () => false)
    if (!sure) return yield* refuse("Nothing was changed.")
  }).pipe(Effect.provide(Settings.layer))

const startOver = Effect.gen(function* () {
  const reset = yield* Reset
  const credentials = yield* reset.run(yield* permitFor("platform"))
  const path = yield* rewriteSandboxFile(credentials)
  const rows = credentials.orgs.map(({ api_key, name, org_id }) => [name, org_id, api_key])
  return {
    data: credentials,
    text: `The sandbox is new again.\n${table(["ORGANISATION", "ID", "API KEY"], rows, "")}\nAll credentials: ${path}`
  }
})

const ResetLive = Reset.layer.pipe(Layer.provide(SandboxLive), Layer.provideMerge(AppLive))

export const reset = (input: { readonly yes: boolean; readonly json: boolean }) =>
  Effect.zipRight(
    confirmed(input.yes, input.json),
    Effect.provide(report(input.json, working("Starting over")(startOver)), ResetLive)
  )
