/** The process of the load generator, and its progress line. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import type { Job, JobResult, LoadMessage } from "./load/RequestLoad.ts"

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

/** Writes progress to stderr, so that stdout holds only the result. */
interface Finished {
  readonly requestsPerSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly cpuMicrosPerRequest: number
}

const overwrite = process.stderr.isTTY ? "\r\u001b[K" : ""

export const showProgress = (label: string): Progress & { readonly end: (finished: Finished) => void } =>
  Object.assign(
    (requests: number, seconds: number) => {
      if (overwrite === "") return
      process.stderr.write(`${overwrite}${label}  ${seconds.toFixed(0)} s  ${(requests / seconds).toFixed(0)}/s`)
    },
    {
      end: ({ cpuMicrosPerRequest, p50Millis, p99Millis, requestsPerSecond }: Finished) => {
        const latency = `p50 ${p50Millis.toFixed(1)} ms  p99 ${p99Millis.toFixed(1)} ms`
        const cpu = `${cpuMicrosPerRequest.toFixed(0)} µs CPU`
        process.stderr.write(`${overwrite}${label}  ${requestsPerSecond.toFixed(0)}/s  ${latency}  ${cpu}\n`)
      }
    }
  )
