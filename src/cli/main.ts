/** The operators' command line. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { runCorridor } from "./Run.ts"

// `corridor … | head` closes the pipe early.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit(0)
})

NodeRuntime.runMain(runCorridor(process.argv.slice(2), process.env), {
  disableErrorReporting: true,
  disablePrettyLogger: true
})
