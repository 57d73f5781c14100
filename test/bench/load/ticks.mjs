/**
 * A thread that signals when each request is due: timers would be a millisecond late. The first message is the time
 * of the first request.
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
