/** LOG_FORMAT=json: each line of the process's output is JSON, and nothing else. */
import { rmSync } from "node:fs"
import { createServer } from "node:net"
import { once } from "node:events"
import { afterAll, expect, it, vi } from "vitest"
import { type Ended, freePort, ownDatabase, serverThatEnds, startServer, temporaryFolder } from "./Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const dataDir = temporaryFolder()

afterAll(() => rmSync(dataDir, { recursive: true }))

interface Line {
  readonly level: string
  readonly message: string
}

const linesOf = ({ stderr, stdout }: Ended): ReadonlyArray<Line> =>
  `${stdout}${stderr}`.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]))

it("holds for a server from its start to its end, each line once", async () => {
  const database = await ownDatabase()
  const env = { LOG_FORMAT: "json", DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: await freePort() }
  const server = await startServer(env)
  await fetch(`${server.url}/healthz`)
  const lines = linesOf(await server.stop())
  await database.drop()
  expect(lines).toContainEqual(
    expect.objectContaining({ level: "INFO", message: "Corridor is up", mode: "sandbox", url: server.url })
  )
  expect(lines.filter(({ message }) => message === "Request")).toHaveLength(1)
})

it("holds for a start that fails", async () => {
  const taken = createServer().listen(0, "127.0.0.1")
  await once(taken, "listening")
  const address = taken.address()
  const database = await ownDatabase()
  const env = { LOG_FORMAT: "JSON", DATABASE_URL: database.url, DATA_DIR: dataDir }
  const [setting, port] = await Promise.all([
    serverThatEnds({ ...env, PORT: "lots" }),
    serverThatEnds({ ...env, PORT: String(typeof address === "object" ? address?.port : address) })
  ])
  taken.close()
  await database.drop()
  expect([setting.code, port.code]).toEqual([1, 1])
  expect(linesOf(setting)).toMatchObject([{ level: "FATAL", message: expect.stringMatching(/^PORT is not valid/) }])
  expect(linesOf(port).at(-1)).toMatchObject({ level: "FATAL", message: expect.stringContaining("is in use") })
})
