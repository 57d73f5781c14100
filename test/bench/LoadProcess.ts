/** The load generator's process, as an effect for each job. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { Job, JobResult, LoadMessage } from "./load/Job.ts"

export type Progress = (requests: number, seconds: number) => void

export const startLoad = Effect.acquireRelease(
  Effect.sync(() => fork(fileURLToPath(new URL("./load/main.mjs", import.meta.url)), { execArgv: [] })),
  (child) => Effect.sync(() => child.kill())
).pipe(
  Effect.map(
    (child) =>
      (job: Job, progress: Progress): Effect.Effect<JobResult, BenchFailed> =>
        Effect.async((resume) => {
          const finish = (result: Effect.Effect<JobResult, BenchFailed>) => {
            child.off("message", onMessage)
            child.off("exit", onExit)
            resume(result)
          }
          const onMessage = (received: unknown) => {
            const message = received as LoadMessage
            if (message.type === "progress") return progress(message.requests, message.seconds)
            finish(message.type === "done" ? Effect.succeed(message.result) : Effect.fail(new BenchFailed(message)))
          }
          const onExit = () => finish(Effect.fail(new BenchFailed({ message: "The load generator ended." })))
          child.on("message", onMessage)
          child.on("exit", onExit)
          child.send(job)
        })
  )
)
