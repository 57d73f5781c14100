/** deploy/corridor.env.example: what `doctor --live` says while it is not filled in, and the server once it is. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import {
  cliIn,
  documentOf,
  type Environment,
  freePort,
  type OwnDatabase,
  ownDatabase,
  serverThatEnds,
  startServer,
  temporaryFolder
} from "../cli/Cli.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const example: Environment = Object.fromEntries(
  Array.from(readFileSync("deploy/corridor.env.example", "utf8").matchAll(/^([A-Z][A-Z0-9_]+)=(.*)$/gm), (line) => [
    line[1]!,
    line[2]!
  ])
)

const MASTER_KEY = "5a".repeat(32)

let database: OwnDatabase
beforeAll(async () => {
  database = await ownDatabase()
})
afterAll(() => database.drop())

interface Findings {
  readonly data: ReadonlyArray<{ readonly name: string; readonly status: string; readonly message: string }>
}

it("does not start as it is, and names the first thing to fill in", async () => {
  const { code, stderr } = await serverThatEnds({ ...example, DATA_DIR: temporaryFolder() })
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/CORRIDOR_MASTER_KEY is missing/)
  expect(stderr).not.toMatch(/KYB_WEBHOOK_SECRET/)
})

it("makes doctor name everything that is to be filled in", async () => {
  const { data } = documentOf<Findings>(
    await cliIn({ ...example, DATABASE_URL: database.url, DATA_DIR: temporaryFolder() })("doctor", "--live", "--json")
  )
  const of = (name: string) => {
    const found = data.find((one) => one.name === name)
    return `${found?.status} ${found?.message}`
  }
  expect(of("Secrets")).toMatch(/^fail CORRIDOR_MASTER_KEY is missing/)
  expect(of("Public address")).toMatch(/^fail .*PUBLIC_URL/)
  expect(of("Identity provider")).toMatch(/^fail .*JWT_JWKS_URL/)
  expect(of("Mail")).toMatch(/^fail .*SMTP_URL/)
  expect(of("KYB")).toMatch(/^ok/)
  expect(of("PostgreSQL")).toMatch(/^ok/)
  const unreached = await cliIn({ ...example, DATA_DIR: temporaryFolder() })("doctor", "--live", "--json")
  expect(documentOf<Findings>(unreached).data.find(({ name }) => name === "PostgreSQL")).toMatchObject({
    status: "fail",
    message: expect.stringContaining("DATABASE_URL") as unknown
  })
})

it("starts once the master key and the database are filled in, each other line as it is", async () => {
  const own = { CORRIDOR_MASTER_KEY: MASTER_KEY, DATABASE_URL: database.url, DATA_DIR: temporaryFolder() }
  const [PORT, METRICS_PORT] = [await freePort(), await freePort()]
  const server = await startServer({ ...example, ...own, PORT, METRICS_PORT })
  try {
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).status).toBe(200)
  } finally {
    await server.stop()
  }
})
