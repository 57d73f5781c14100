/**
 * `npm run demo:live`: plays the demo on a server in live mode, against fakes of the third parties. With `--stay` the
 * server runs on until Ctrl-C, to look around; with `--json` the result is one document.
 */
import { resolve } from "node:path"
import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { explainFailure, report } from "../../src/cli/shared/Terminal.ts"
import { liveDemo } from "./LiveDemo.ts"

const asJson = process.argv.includes("--json")
const stays = process.argv.includes("--stay")

report(asJson, liveDemo(asJson, process.env, resolve("dist/main.mjs"))).pipe(
  Effect.zipRight(stays ? Effect.never : Effect.void),
  Effect.scoped,
  Effect.tapErrorCause(explainFailure({ asJson, debug: false })),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
