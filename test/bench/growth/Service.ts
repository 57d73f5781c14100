/** The built service on a database of its own, for measuring what it writes and how fast it is. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { statement, urlOf } from "../Cluster.ts"
import { startServer } from "../ServerProcess.ts"

const environmentOf = (folder: string, url: string) => ({
  CORRIDOR_MODE: "sandbox",
  CORRIDOR_MASTER_KEY: "5a".repeat(32),
  DATA_DIR: folder,
  DATABASE_URL: url,
  LOG_LEVEL: "warn",
  RATE_LIMIT_PER_MINUTE: "0"
})

export interface SandboxFile {
  readonly orgs: ReadonlyArray<{ readonly org_id: string; readonly api_key: string }>
  readonly admin: { readonly jwt: string }
}

/** Runs for as long as its scope; each with a folder of its own, where its sandbox's credentials are. */
export const serviceOn = (name: string, folder: string, clusterUrl: string) =>
  Effect.gen(function* () {
    const url = urlOf(clusterUrl, name)
    const own = join(folder, name)
    const server = yield* startServer(name, "../main.mjs", environmentOf(own, url))
    const file = yield* Effect.promise(() => readFile(join(own, "sandbox.json"), "utf8"))
    return { server, url, sandbox: JSON.parse(file) as SandboxFile }
  })

export const newDatabase = (name: string, clusterUrl: string) => statement(clusterUrl, `create database ${name}`)
