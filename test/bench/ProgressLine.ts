/** Tells on the terminal's error stream what is being measured, so that the result alone goes to the output. */
import type { Progress } from "./LoadProcess.ts"

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
