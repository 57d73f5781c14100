/** The server as it is run, in a process of its own with an embedded PostgreSQL, to be killed and started again. */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { inject } from "vitest"
import { SERVER_FLAGS } from "../../support/TestCluster.ts"

/** With a cluster in it, which to make takes longer than most of what is done with one. */
export const newDataDir = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "corridor-payments-"))
  execFileSync("cp", ["-a", `${inject("dataFolder")}/.`, folder])
  // PostgreSQL runs as a user of its own when the tests run as root.
  chmodSync(folder, 0o755)
  return folder
}

export interface RealServer {
  readonly url: string
  readonly pid: number
  readonly apiKey: string
  /** Everything it has written to standard output and standard error. */
  readonly output: () => string
  /** Lets it stand still, and go on as if nothing had happened. */
  readonly pause: () => void
  readonly resume: () => void
  /** Ends it at once, without a chance to clean up. */
  readonly kill: () => Promise<void>
  /** Asks it to leave, and answers with its exit code. */
  readonly stop: () => Promise<number | null>
}

export const until = async <A>(what: string, look: () => Promise<A | undefined>, millis = 40_000): Promise<A> => {
  const deadline = performance.now() + millis
  while (performance.now() < deadline) {
    const seen = await look()
    if (seen !== undefined) return seen
    await new Promise((next) => setTimeout(next, 50))
  }
  throw new Error(`never: ${what}`)
}

/** One process, which can be stopped or killed as a whole. */
const usual = { RATE_LIMIT_PER_MINUTE: "0", CORRIDOR_WORKERS: "1" }

export const startServer = async (
  dataDir: string,
  port: number,
  variables: Readonly<Record<string, string>> = {}
): Promise<RealServer> => {
  const { DATABASE_URL: _, ...environment } = process.env
  const child = spawn(process.execPath, [...SERVER_FLAGS, join(inject("bundle"), "main.mjs")], {
    env: { ...environment, DATA_DIR: dataDir, PORT: String(port), ...usual, ...variables },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const chunks: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString()))
  const exited = new Promise<number | null>((done) => child.once("exit", done))
  const url = `http://127.0.0.1:${port}`
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal)
    return await exited
  }
  try {
    await until("the server is ready", async () => {
      if (child.exitCode !== null) throw new Error(`the server ended: ${chunks.join("")}`)
      const ready = await fetch(`${url}/readyz`).catch(() => undefined)
      return ready?.status === 200 ? true : undefined
    })
  } catch (error) {
    await end("SIGKILL")
    throw error
  }
  const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as {
    readonly orgs: ReadonlyArray<{ readonly api_key: string }>
  }
  return {
    url,
    pid: child.pid!,
    apiKey: sandbox.orgs[0]!.api_key,
    output: () => chunks.join(""),
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM")
  }
}

export const pay = (server: RealServer, request: object | string): Promise<Response> =>
  fetch(`${server.url}/v1/payments-init/initiate`, {
    method: "POST",
    headers: { authorization: "NONE", "x-api-key": server.apiKey, "content-type": "application/json" },
    body: typeof request === "string" ? request : JSON.stringify(request)
  })

export const withSql = async <A>(url: string, use: (client: Client) => Promise<A>): Promise<A> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Items that wait for an operator, as a table: rows of the queue, and money in clearing. */
export const openItems = `(select payment_id, kind from operator_items where closed_at is null
  union all select split_part(account, '/', 2)::uuid, 'suspense' from ledger_balances
    where balance <> 0 and account like 'clearing/%')`

/** The embedded database of a data folder whose server runs, or was killed and left it running. */
export const databaseOf = (dataDir: string): string => {
  const password = readFileSync(join(dataDir, "postgres.password"), "utf8").trim()
  const port = readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[3]
  return `postgres://postgres:${password}@127.0.0.1:${port}/corridor`
}

/** Removes the folder; a database that a failed test left running goes first. */
export const discard = (dataDir: string): void => {
  try {
    process.kill(Number.parseInt(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10), "SIGQUIT")
  } catch (error) {
    if (!["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
