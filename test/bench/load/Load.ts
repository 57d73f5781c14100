/** Asks over every connection for the time of a job, and measures each answer. The first answer that is no success ends it. */
import { credentialsOf, INITIATE_PATH, initiation, LIST_PATH, RATE_PATH, recordPath } from "../Workload.ts"
import { Connection } from "./Connection.ts"
import type { Job, JobResult } from "./Job.ts"
import { nowMillis, paced, unpaced } from "./Turns.ts"

const TRANSACTION_ID = /"transaction_id":"([0-9a-f-]{36})"/

const headOf = (method: string, path: string, { apiKey, port }: Job): string => {
  const credentials = Object.entries(credentialsOf(apiKey)).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${credentials.join("")}`
}

/** Makes the n-th request of a job. */
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
      // Steps of a large prime visit the records in no order that a cache could like.
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
