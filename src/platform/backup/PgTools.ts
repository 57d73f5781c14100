/** PostgreSQL's own programs, where they are installed and not older than the server. */
import { spawn } from "node:child_process"
import { once } from "node:events"

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Passwords go by the environment: the arguments of a program can be seen by everybody on the machine. */
const connectionOf = (url: string) => {
  const at = new URL(url)
  const password = decodeURIComponent(at.password)
  at.password = ""
  return { dbname: at.href, env: { ...process.env, ...(password === "" ? {} : { PGPASSWORD: password }) } }
}

const run = async (program: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<Ran> => {
  const child = spawn(program, [...args], { env, stdio: ["ignore", "pipe", "pipe"] })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
  try {
    const [code] = (await once(child, "close")) as [number | null]
    return { code: code ?? 1, ...output }
  } catch (cause) {
    return { code: 127, stdout: "", stderr: String(cause) }
  }
}

/** The major version of a program; none where there is no such program. */
export const majorOf = async (program: "pg_dump" | "pg_restore"): Promise<number | undefined> => {
  const { code, stdout } = await run(program, ["--version"], process.env)
  const found = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]
  return code !== 0 || found === undefined ? undefined : Number(found)
}

export const dump = (url: string, path: string): Promise<Ran> => {
  const { dbname, env } = connectionOf(url)
  return run(
    "pg_dump",
    ["--format=custom", "--no-owner", "--no-privileges", "--schema=public", `--file=${path}`, `--dbname=${dbname}`],
    env
  )
}

/** All of it or nothing. */
export const restoreDump = (url: string, path: string): Promise<Ran> => {
  const { dbname, env } = connectionOf(url)
  const how = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
  // The schema is there already, in a database that has nothing in it.
  return run("pg_restore", [...how, "--schema=public", `--dbname=${dbname}`, path], env)
}

/** The rows of one table as COPY has them, without a database. */
export const tableInDump = async (path: string, table: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const { stdout } = await run("pg_restore", ["--data-only", `--table=${table}`, "--file=-", path], process.env)
  const rows = /^COPY [^\n]*;\n([^]*?)^\\\.$/m.exec(stdout)?.[1] ?? ""
  return rows
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"))
}
