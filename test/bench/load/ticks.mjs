/**
 * A thread that says when the next request is due: timers are a millisecond late on average, which is as long as some
 * answers take. Says first when the first will be due, by the clock that all threads share.
 */
import { parentPort, workerData } from "node:worker_threads"

const HEAD_START_MILLIS = 50

const { count, gapMillis } = workerData
const cell = new Int32Array(new SharedArrayBuffer(4))
const now = () => Number(process.hrtime.bigint()) / 1e6

const first = now() + HEAD_START_MILLIS
parentPort.postMessage(first)
for (let n = 0; n < count; n++) {
  const left = first + n * gapMillis - now()
  if (left > 0) Atomics.wait(cell, 0, 0, left)
  parentPort.postMessage(n)
}
