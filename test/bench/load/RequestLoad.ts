/** Sends the requests of a job over all connections and measures the answers. The first failure ends it. */
import { credentialsOf, INITIATE_PATH, initiation, LIST_PATH, RATE_PATH, recordPath } from "../Workload.ts"
import { Connection } from "./Connection.ts"
import { once } from "node:events"
import { Worker } from "node:worker_threads"

export const endpoints = ["initiate", "record", "list", "rate"] as const
export type Endpoint = (typeof endpoints)[number]

export interface Job {
  readonly endpoint: Endpoint
  readonly port: number
  readonly apiKey: string
  readonly connections: number
  readonly seconds: number
  /** Requests a second; null: as fast as possible. */
  readonly pace: number | null
  /** Distinguishes the payments of this job. */
  readonly tag: string
  /** Payments whose records are read. */
  readonly transactionIds: ReadonlyArray<string>
}

export interface JobResult {
  readonly requests: number
  readonly seconds: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Ids of initiated payments. */
  readonly transactionIds: ReadonlyArray<string>
}

export type LoadMessage =
  | { readonly type: "progress"; readonly requests: number; readonly seconds: number }
  | { readonly type: "done"; readonly result: JobResult }
  | { readonly type: "failed"; readonly message: string }

interface Turns {
  readonly has: (n: number) => boolean
  /** Resolves, when the request is due, to the start of its latency. */
  readonly turn: (n: number) => Promise<number>
  readonly end: () => void
}

/** Clock shared by all threads. */
const nowMillis = (): number => Number(process.hrtime.bigint()) / 1e6

/** Each request as soon as a connection is free. */
const unpaced = (seconds: number): Turns => {
  const end = nowMillis() + seconds * 1000
  return { has: () => nowMillis() < end, turn: async () => nowMillis(), end: () => undefined }
}

/** A fixed rate. A request that finds no free connection goes late, and its latency counts from its due time. */
const paced = async (perSecond: number, seconds: number): Promise<Turns> => {
  const [count, gapMillis] = [Math.floor(perSecond * seconds), 1000 / perSecond]
  const worker = new Worker(new URL("./ticks.mjs", import.meta.url), { workerData: { count, gapMillis } })
  const [first] = (await once(worker, "message")) as [number]
  const waiting = new Map<number, () => void>()
  let due = 0
  worker.on("message", (n: number) => {
    due = n + 1
    waiting.get(n)?.()
    waiting.delete(n)
  })
  return {
    has: (n) => n < count,
    turn: async (n) => {
      if (n >= due) await new Promise<void>((resolve) => void waiting.set(n, resolve))
      return first + n * gapMillis
    },
    end: () => void worker.terminate()
  }
}

const TRANSACTION_ID = /"transaction_id":"([0-9a-f-]{36})"/

const headOf = (method: string, path: string, { apiKey, port }: Job): string => {
  const credentials = Object.entries(credentialsOf(apiKey)).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${credentials.join("")}`
}

/** The n-th request of a job. */
const requestsOf = (job: Job): ((n: number) => string) => {
  const get = (path: string) => `${headOf("GET", path, job)}\r\n`
  switch (job.endpoint) {
    case "initiate": {
      const head = `${headOf("POST", INITIATE_PATH, job)}content-type: application/json\r\n`
      return (n) => {
        const body = JSON.stringify(initiation(`${job.tag}-${n}`))
        return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      }
    }
    case "record": {
      const { transactionIds } = job
      // Steps of a large prime avoid cached records.
      return (n) => get(recordPath(transactionIds[(n * 7919) % transactionIds.length]!))
    }
    case "list":
    case "rate": {
      const request = get(job.endpoint === "list" ? LIST_PATH : RATE_PATH)
      return () => request
    }
  }
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

export const runJob = async (job: Job, progress: (requests: number, seconds: number) => void): Promise<JobResult> => {
  const requestOf = requestsOf(job)
  const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open(job.port)))
  const turns = job.pace === null ? unpaced(job.seconds) : await paced(job.pace, job.seconds)
  const latencies: Array<number> = []
  const transactionIds: Array<string> = []
  const started = nowMillis()
  const secondsSoFar = () => (nowMillis() - started) / 1000
  const ticking = setInterval(() => progress(latencies.length, secondsSoFar()), 500)
  let sent = 0
  let failed = false

  const keepBusy = async (connection: Connection) => {
    while (turns.has(sent) && !failed) {
      const n = sent++
      const since = await turns.turn(n)
      const { body, status } = await connection.send(requestOf(n))
      if (status < 200 || status > 299) {
        failed = true
        throw new Error(`${job.endpoint} answered ${status}: ${body}`)
      }
      latencies.push(nowMillis() - since)
      if (job.endpoint === "initiate") {
        const id = TRANSACTION_ID.exec(body)?.[1]
        if (id === undefined) throw new Error(`an initiation answered without a transaction_id: ${body}`)
        transactionIds.push(id)
      }
    }
  }

  try {
    await Promise.all(connections.map(keepBusy))
    const seconds = secondsSoFar()
    latencies.sort((a, b) => a - b)
    return {
      requests: latencies.length,
      seconds,
      p50Millis: percentile(latencies, 0.5),
      p99Millis: percentile(latencies, 0.99),
      transactionIds
    }
  } finally {
    turns.end()
    clearInterval(ticking)
    for (const connection of connections) connection.close()
  }
}
