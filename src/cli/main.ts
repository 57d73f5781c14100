/** The operators' command line. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { runCorridor } from "./Run.ts"

NodeRuntime.runMain(runCorridor(process.argv.slice(2), process.env), {
  disableErrorReporting: true,
  disablePrettyLogger: true
})
