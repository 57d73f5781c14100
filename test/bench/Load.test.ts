import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { type Job, runJob } from "./load/RequestLoad.ts"

const HELD_MILLIS = 400

/** Holds the first answer. */
const withServer = async <A>(use: (port: number) => Promise<A>): Promise<A> => {
  let asked = 0
  const server = createServer((_, response) => {
    const answer = () => response.setHeader("content-length", 2).end("{}")
    if (asked++ === 0) setTimeout(answer, HELD_MILLIS)
    else answer()
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  try {
    return await use((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}

const jobAt = (port: number): Job => ({
  endpoint: "rate",
  port,
  apiKey: "none",
  connections: 1,
  seconds: 0.1,
  pace: 200,
  tag: "test",
  transactionIds: []
})

describe("Load generator", () => {
  it("keeps a fixed rate, and counts a slow answer for all requests due meanwhile", async () => {
    const { p50Millis, p99Millis, requests } = await withServer((port) => runJob(jobAt(port), () => undefined))
    expect(requests).toBe(20)
    // The last request is due 95 ms after the first.
    expect(p50Millis).toBeGreaterThan(HELD_MILLIS - 100)
    expect(p99Millis).toBeGreaterThanOrEqual(p50Millis)
  })
})
