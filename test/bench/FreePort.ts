/**
 * Free ports for servers that start later. Below 32768, where the system assigns ports to others; each process counts
 * through its own block.
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

/** First of several free ports in a row. */
export const firstOfFreePorts = async (count: number): Promise<number> => {
  for (;;) {
    const first = take(count)
    const free = await Promise.all(Array.from({ length: count }, (_, at) => isFree(first + at)))
    if (free.every(Boolean)) return first
  }
}

export const freePort = (): Promise<number> => firstOfFreePorts(1)
