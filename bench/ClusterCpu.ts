/** CPU time that PostgreSQL has used with all its processes; not a number where the system does not tell by `/proc`. */
import { readdir, readFile } from "node:fs/promises"
import type { Pool } from "pg"

/** As Linux counts for every program, whatever its kernel does. */
const TICKS_PER_SECOND = 100

interface Usage {
  readonly parent: number
  readonly ticks: number
  /** Of children that have ended. */
  readonly formerTicks: number
}

/** The name of a program may have spaces and brackets in it. */
const usageOf = async (pid: number): Promise<Usage | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  return { parent: fields[1]!, ticks: fields[11]! + fields[12]!, formerTicks: fields[13]! + fields[14]! }
}

const ticksOf = async (postmaster: number): Promise<number> => {
  const own = await usageOf(postmaster)
  if (own === undefined) return Number.NaN
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger)
  const others = await Promise.all(pids.map(usageOf))
  const children = others.filter((usage) => usage?.parent === postmaster)
  return children.reduce((sum, usage) => sum + usage!.ticks, own.ticks + own.formerTicks)
}

/** In microseconds. */
export const clusterCpuMicros = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query<{ readonly pid: number }>("select pg_backend_pid() as pid")
  const backend = await usageOf(rows[0]!.pid)
  return backend === undefined ? Number.NaN : ((await ticksOf(backend.parent)) * 1e6) / TICKS_PER_SECOND
}
