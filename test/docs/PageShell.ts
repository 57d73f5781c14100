/** A shell that a page's blocks are read by, one after the other, in a folder that looks like the project's. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** For a machine that has much else to do: on a free one the slowest takes some seconds. */
const PATIENCE = 90_000

export interface PageShell {
  /** Everything that it and what it left running have written since the block began. */
  readonly run: (name: string, text: string) => Promise<() => string>
  readonly close: () => Promise<void>
}

const mark = "@@ the block has ended @@"

export const openShell = (folder: string, environment: Readonly<Record<string, string>>): PageShell => {
  // A group of its own, so that receivers which a page starts are ended with it.
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
