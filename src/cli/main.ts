/** The operators' command line. */
import { NodeRuntime } from "@effect/platform-node"
import { runCorridor } from "./Run.ts"

NodeRuntime.runMain(runCorridor(process.argv.slice(2), process.env), {
  disableErrorReporting: true,
  disablePrettyLogger: true
})
