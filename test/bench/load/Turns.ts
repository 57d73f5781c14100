/** When the n-th request of a job may go, and since when its answer is waited for. */
import { once } from "node:events"
import { Worker } from "node:worker_threads"

export interface Turns {
  readonly has: (n: number) => boolean
  /** Answers, once it is its turn, with the time that its latency counts from. */
  readonly turn: (n: number) => Promise<number>
  readonly end: () => void
}

/** By the clock that all threads share. */
export const nowMillis = (): number => Number(process.hrtime.bigint()) / 1e6

/** As many as go: each as soon as a connection is free. */
export const unpaced = (seconds: number): Turns => {
  const end = nowMillis() + seconds * 1000
  return { has: () => nowMillis() < end, turn: async () => nowMillis(), end: () => undefined }
}

/**
 * So many a second, each at its time whatever became of those before. One that finds no free connection at that time
 * goes late, and has been waiting since: a slow answer cannot hide the next.
 */
export const paced = async (perSecond: number, seconds: number): Promise<Turns> => {
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
