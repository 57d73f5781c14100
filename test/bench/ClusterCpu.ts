/** CPU and memory of a process and its children, from `/proc`; NaN without it. */
import { readdir, readFile } from "node:fs/promises"
import type { Pool } from "pg"

/** Linux's USER_HZ. */
const TICKS_PER_SECOND = 100

interface Usage {
  readonly parent: number
  readonly ticks: number
  /** CPU of ended children. */
  readonly formerTicks: number
}

/** Program names may contain spaces and brackets. */
const usageOf = async (pid: number): Promise<Usage | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  return { parent: fields[1]!, ticks: fields[11]! + fields[12]!, formerTicks: fields[13]! + fields[14]! }
}

const childrenOf = async (parent: number): Promise<ReadonlyArray<readonly [number, Usage]>> => {
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger)
  const all = await Promise.all(pids.map(async (pid) => [pid, await usageOf(pid)] as const))
  return all.flatMap(([pid, usage]) => (usage?.parent === parent ? [[pid, usage] as const] : []))
}

export const familyCpuMicros = async (parent: number): Promise<number> => {
  const own = await usageOf(parent)
  if (own === undefined) return Number.NaN
  const ticks = (await childrenOf(parent)).reduce((sum, [, usage]) => sum + usage.ticks, own.ticks + own.formerTicks)
  return (ticks * 1e6) / TICKS_PER_SECOND
}

const peakOf = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN) / 1024
}

/** Peak resident memory of any of them. */
export const familyPeakMebibytes = async (parent: number): Promise<number> => {
  const pids = [parent, ...(await childrenOf(parent)).map(([pid]) => pid)]
  return Math.max(...(await Promise.all(pids.map(peakOf))))
}

type CpuByPid = ReadonlyMap<number, number>

/** CPU microseconds of each connection to a database. */
export const backendCpuMicros = async (pool: Pool): Promise<CpuByPid> => {
  const { rows } = await pool.query<{ readonly pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
  )
  const each = await Promise.all(rows.map(async ({ pid }) => [pid, (await usageOf(pid))?.ticks] as const))
  return new Map(each.flatMap(([pid, ticks]) => (ticks === undefined ? [] : [[pid, (ticks * 1e6) / TICKS_PER_SECOND]])))
}

/** Connections that ended meanwhile are not counted. */
export const spentBetween = (before: CpuByPid, after: CpuByPid): number =>
  [...after].reduce((sum, [pid, micros]) => sum + micros - (before.get(pid) ?? 0), 0)

/** CPU of PostgreSQL. */
export const clusterCpuMicros = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query<{ readonly pid: number }>("select pg_backend_pid() as pid")
  const backend = await usageOf(rows[0]!.pid)
  return backend === undefined ? Number.NaN : await familyCpuMicros(backend.parent)
}
