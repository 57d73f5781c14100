/** Runs one short-lived command to its end, as another user where asked, away from our folder and our secrets. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import type { UserIds } from "./Access.ts"
import { EmbeddedPostgresError, reason } from "./EmbeddedPostgresError.ts"

/** Nothing of our own environment, which holds keys, is handed to PostgreSQL; LC_ALL keeps its messages in English. */
export const childEnvironment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C"
})

export const runCommand = (
  command: string,
  args: ReadonlyArray<string>,
  user?: UserIds
): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.async((resume) => {
    const child = spawn(command, args, {
      ...user,
      cwd: "/",
      env: childEnvironment(),
      stdio: ["ignore", "pipe", "pipe"]
    })
    const stdout: Array<string> = []
    const stderr: Array<string> = []
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout.push(chunk))
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr.push(chunk))
    const fail = (detail: string) =>
      resume(Effect.fail(new EmbeddedPostgresError({ message: `${command} failed: ${detail}` })))
    child.on("error", (cause) => fail(reason(cause)))
    child.on("close", (code, signal) =>
      code === 0
        ? resume(Effect.succeed(stdout.join("")))
        : fail(`${stderr.join("").trim()} (${signal ?? `exit code ${code}`})`)
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })
