/** The load generator's process: takes jobs from its parent. */
import { type Job, type LoadMessage, runJob } from "./RequestLoad.ts"

const report = (message: LoadMessage) => void process.send?.(message)

process.on("message", (job) => {
  runJob(job as Job, (requests, seconds) => report({ type: "progress", requests, seconds })).then(
    (result) => report({ type: "done", result }),
    (error: unknown) => report({ type: "failed", message: error instanceof Error ? error.message : String(error) })
  )
})
