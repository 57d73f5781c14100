/** The load generator's process: takes jobs from its parent. */
import { type Job, type LoadMessage, runJob } from "./RequestLoad.ts"

const tell = (message: LoadMessage) => void process.send?.(message)

process.on("message", (job) => {
  runJob(job as Job, (requests, seconds) => tell({ type: "progress", requests, seconds })).then(
    (result) => tell({ type: "done", result }),
    (error: unknown) => tell({ type: "failed", message: error instanceof Error ? error.message : String(error) })
  )
})
