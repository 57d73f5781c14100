/** Runs the blocks of a page in a shell, and compares their output with the page. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** Milliseconds for one block on a busy machine; on an idle one the slowest takes some seconds. */
const PATIENCE = 90_000

export interface PageShell {
  /** Returns the output since the block began, also of processes that it left running. */
  readonly run: (name: string, text: string) => Promise<() => string>
  readonly close: () => Promise<void>
}

const mark = "@@ the block has ended @@"

export const openShell = (folder: string, environment: Readonly<Record<string, string>>): PageShell => {
  // A process group of its own, so that receivers which a page starts end with it.
  const bash = spawn("bash", ["--noprofile", "--norc"], { cwd: folder, env: environment, detached: true })
  let written = ""
  let ended = false
  for (const stream of [bash.stdout, bash.stderr]) stream.on("data", (chunk: Buffer) => (written += chunk.toString()))
  const exited = new Promise<void>((done) =>
    bash.once("exit", () => {
      ended = true
      done()
    })
  )
  bash.stdin.write("set -eu\n")
  return {
    run: async (name, text) => {
      writeFileSync(join(folder, name), text)
      const from = written.length
      bash.stdin.write(`. ./${name} < /dev/null\necho '${mark}'\n`)
      const deadline = performance.now() + PATIENCE
      while (!written.slice(from).includes(mark)) {
        if (ended || performance.now() > deadline) {
          throw new Error(`${name} ${ended ? "failed" : "did not end"}:\n${text}\n${written.slice(from)}`)
        }
        await new Promise((next) => setTimeout(next, 20))
      }
      return () => written.slice(from).replace(`${mark}\n`, "")
    },
    close: async () => {
      if (bash.pid !== undefined) {
        try {
          process.kill(-bash.pid, "SIGKILL")
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
        }
      }
      await exited
    }
  }
}

/** Ids and times differ from run to run. */
const changing = [/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether an answer matches the page, which may leave fields out and shows other ids and times. */
export const isAsShown = (shown: unknown, came: unknown): boolean => {
  if (Array.isArray(shown)) {
    if (!Array.isArray(came)) return false
    const left = [...(came as ReadonlyArray<unknown>)]
    // In the same order, possibly with others in between; an empty list means an empty list.
    return shown.length === 0
      ? left.length === 0
      : shown.every((one) => {
          const at = left.findIndex((other) => isAsShown(one, other))
          if (at >= 0) left.splice(0, at + 1)
          return at >= 0
        })
  }
  if (isObject(shown)) {
    return isObject(came) && Object.entries(shown).every(([key, value]) => key in came && isAsShown(value, came[key]))
  }
  const pattern = typeof shown === "string" ? changing.find((one) => one.test(shown)) : undefined
  return pattern === undefined ? shown === came : typeof came === "string" && pattern.test(came)
}

/** Every JSON object in a text, also between other words. */
export const objectsIn = (text: string): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  let depth = 0
  let start = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (quoted) {
      if (sign === "\\") at++
      else if (sign === '"') quoted = false
    } else if (sign === '"' && depth > 0) quoted = true
    else if (sign === "{" && depth++ === 0) start = at
    else if (sign === "}" && depth > 0 && --depth === 0) {
      try {
        found.push(JSON.parse(text.slice(start, at + 1)))
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
      }
    }
  }
  return found
}
