/**
 * Ports for servers that are started a moment later. Those that the system hands out by itself (from 32768 on) it hands
 * out again meanwhile, to a connection or to another server, so these lie below, and each process counts through its own.
 */
import { createServer } from "node:net"

const [FIRST, BLOCK, BLOCKS] = [10_000, 100, 220]

let next = FIRST + (process.pid % BLOCKS) * BLOCK

const take = (count: number): number => {
  const first = next + count > FIRST + BLOCK * BLOCKS ? FIRST : next
  next = first + count
  return first
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const probe = createServer()
      .once("error", () => done(false))
      .listen(port, "127.0.0.1", () => probe.close(() => done(true)))
  })

/** The first of so many in a row. */
export const firstOfFreePorts = async (count: number): Promise<number> => {
  for (;;) {
    const first = take(count)
    const free = await Promise.all(Array.from({ length: count }, (_, at) => isFree(first + at)))
    if (free.every(Boolean)) return first
  }
}

export const freePort = (): Promise<number> => firstOfFreePorts(1)
