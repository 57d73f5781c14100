/**
 * Runs beside a test run and removes what it leaves behind: processes first, then its folder. Standard input ends
 * with the run. The next run removes what a killed watchdog left.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { finished } from "node:stream"
import { setTimeout as pause } from "node:timers/promises"

const [folder] = process.argv.slice(2)
const OWNER = "watchdog.pid"

const textOf = (file) => {
  try {
    return readFileSync(file, "latin1")
  } catch {
    return ""
  }
}

/** Processes with command line and, if readable, environment. */
const processes = () =>
  existsSync("/proc/self/environ")
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map((name) => ({
          pid: Number(name),
          words: `${textOf(`/proc/${name}/cmdline`)}\n${textOf(`/proc/${name}/environ`)}`
        }))
    : execFileSync("ps", ["-axEww", "-o", "pid=,command="], { encoding: "latin1", maxBuffer: 64 * 1024 * 1024 })
        .split("\n")
        .map((line) => ({ pid: Number.parseInt(line, 10), words: line }))

const workingIn = (place) => processes().filter(({ pid, words }) => pid !== process.pid && words.includes(place))

const signal = (pid, name) => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== "ESRCH") throw error
  }
}

/** PostgreSQL removes its children and shared memory on SIGQUIT; it is killed only if it does not end. */
const endAll = async (place) => {
  for (let tries = 0; tries < 100; tries++) {
    const left = workingIn(place)
    if (left.length === 0) return
    for (const { pid, words } of left) {
      signal(pid, words.split("\0")[0].endsWith("/postgres") && tries < 50 ? "SIGQUIT" : "SIGKILL")
    }
    await pause(50)
  }
}

const clean = async (place) => {
  await endAll(place)
  rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

const isWatched = (place) => {
  const owner = textOf(join(place, OWNER)).trim()
  return owner === "" || processes().some(({ pid, words }) => String(pid) === owner && words.includes(place))
}

/** `corridor-test-` without the random suffix. */
const family = basename(folder).slice(0, -6)
writeFileSync(join(folder, OWNER), String(process.pid))
for (const name of readdirSync(dirname(folder)).filter((one) => one.startsWith(family))) {
  const place = join(dirname(folder), name)
  if (!isWatched(place)) await clean(place)
}

/** Time for the run's processes to end by themselves. */
const GRACE_MILLIS = 4_000

process.stdin.resume()
finished(process.stdin, () => void pause(GRACE_MILLIS).then(() => clean(folder)))
