/** Several processes behind one port: the death of one is noticed by its own callers only. */
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { firstOfFreePorts, freePort } from "../bench/FreePort.ts"
import { ownDatabase, serverThatEnds } from "../cli/Cli.ts"
import { discard, newDataDir, type RealServer, startServer, until } from "../payments/support/RealServer.ts"

const pidsUnder = (parent: number): ReadonlyArray<number> =>
  spawnSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .stdout.split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid, ...args]) => Number(ppid) === parent && args.join(" ").includes("main.mjs"))
    .map(([pid]) => Number(pid))

describe("several processes", () => {
  const dataDir = newDataDir()
  let server: RealServer
  let port: number

  beforeAll(async () => {
    port = await freePort()
    server = await startServer(dataDir, port, { CORRIDOR_WORKERS: "2" })
  }, 60_000)

  afterAll(async () => {
    await server.stop()
    discard(dataDir)
  })

  const ask = () => fetch(`${server.url}/healthz`, { headers: { connection: "close" } })
  const both = () =>
    until("both serve", async () => {
      const pids = pidsUnder(server.pid)
      return pids.length === 2 ? pids : undefined
    })

  it("answer behind one port, and one that is killed is replaced", async () => {
    const before = await both()
    process.kill(before[1]!, "SIGKILL")
    await until("it has ended", async () => (pidsUnder(server.pid).includes(before[1]!) ? undefined : true))
    for (let nth = 0; nth < 20; nth++) expect((await ask()).status).toBe(200)
    const after = await both()
    expect(after).toContain(before[0])
    expect(after).not.toContain(before[1])
    expect(server.output()).toContain("Process 2 ended (SIGKILL) and is restarted.")
  })

  it("answer what came while one of them was stopped, and was then killed", async () => {
    const [first, second] = await both()
    const asked = () => Array.from({ length: 6 }, ask)
    // Answered by the second alone, as soon as it serves.
    process.kill(first!, "SIGSTOP")
    const early = asked()
    await Promise.any(early)
    process.kill(first!, "SIGCONT")
    await Promise.all(early)
    process.kill(second!, "SIGSTOP")
    const answers = asked()
    await Promise.any(answers)
    process.kill(second!, "SIGKILL")
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    await both()
  })

  it("end together, with their database, and leave it to one alone", async () => {
    const pids = await both()
    expect(await server.stop()).toBe(0)
    expect(pids.filter((pid) => pidsUnder(1).includes(pid))).toEqual([])
    server = await startServer(dataDir, port)
    expect(
      (
        await fetch(`${server.url}/v1/public/api-keys`, {
          headers: { "x-api-key": server.apiKey, authorization: "NONE" }
        })
      ).status
    ).toBe(200)
  })
})

describe("several processes that cannot have a port", () => {
  /** Starts a server on a taken port, and expects both in its log: the port, and that it has ended. */
  const endBecauseOf = async (taken: number, ports: Readonly<Record<string, string>>) => {
    const other = createServer().listen(taken, "127.0.0.1")
    await once(other, "listening")
    const database = await ownDatabase()
    const dataDir = newDataDir()
    try {
      const { code, stderr } = await serverThatEnds({
        CORRIDOR_WORKERS: "2",
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        HOST: "127.0.0.1",
        ...ports
      })
      expect(stderr).toContain(`Port ${taken} on 127.0.0.1 is in use.`)
      expect(code).toBe(1)
      return stderr
    } finally {
      other.close()
      await database.drop()
      discard(dataDir)
    }
  }

  it("end, with what the first of them said", async () => {
    const [port, metrics] = [await freePort(), await freePort()]
    const stderr = await endBecauseOf(port, { PORT: String(port), METRICS_PORT: String(metrics) })
    expect(stderr).not.toContain("is started again")
  })

  it("end where it is that of the second's metrics", async () => {
    const metrics = await firstOfFreePorts(2)
    const stderr = await endBecauseOf(metrics + 1, { PORT: String(await freePort()), METRICS_PORT: String(metrics) })
    expect(stderr).toContain("Process 2 cannot listen on its port")
  })
})

describe("one process", () => {
  const dataDir = newDataDir()

  afterAll(() => discard(dataDir))

  it("stops its database too when a signal comes twice, as npm passes it on", async () => {
    const server = await startServer(dataDir, await freePort())
    const stopped = server.stop()
    process.kill(server.pid, "SIGTERM")
    expect(await stopped).toBe(0)
    expect(existsSync(join(dataDir, "postgres", "postmaster.pid"))).toBe(false)
  }, 60_000)
})
