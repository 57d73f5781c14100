/** corridor.py of docs/python.md retries as the client does, and reads lists to their end. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { blocksOf } from "./Pages.ts"

type Answers = (response: ServerResponse) => void

const folder = mkdtempSync(join(tmpdir(), "corridor-python-"))
const asked: Array<IncomingMessage> = []
let answers: Array<Answers> = []
const server = createServer((request, response) => {
  asked.push(request)
  request.resume().on("end", () => (answers.shift() ?? lost)(response))
})

const lost: Answers = (response) => response.destroy()
const says =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answers =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify(body))
const later = (status: number) => says(status, { message: "Later." }, { "retry-after": "0" })

/** Prints an expression of corridor.py. */
const printed = async (expression: string) => {
  const program = `from corridor import *\ntry:\n  print(${expression})\nexcept Exception as e:\n  print(repr(e))`
  const child = spawn("python3", ["-c", program], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      CORRIDOR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      CORRIDOR_KEY: "ck_test_1"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
  await once(child, "close")
  return text.trim()
}

describe.skipIf(spawnSync("python3", ["--version"]).status !== 0)("corridor.py", () => {
  beforeAll(async () => {
    const { text } = blocksOf("docs/python.md").find(({ file }) => file === "corridor.py")!
    writeFileSync(join(folder, "corridor.py"), text)
    await once(server.listen(0, "127.0.0.1"), "listening")
  })
  beforeEach(() => void asked.splice(0))
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  it("reads a list to its end with either cursor name, and retries lost answers", async () => {
    answers = [
      lost,
      later(503),
      says(200, { data: [1], last_evaluated_key: "a b" }),
      says(200, { data: [2.5], lastEvaluatedKey: "c" }),
      says(200, { data: [], last_evaluated_key: null })
    ]
    expect(await printed("list(every('things', limit=1))")).toBe("[1, Decimal('2.5')]")
    expect(asked.map(({ url }) => url)).toEqual([
      ...Array<string>(3).fill("/v1/things?limit=1"),
      "/v1/things?limit=1&last_evaluated_key=a+b",
      "/v1/things?limit=1&lastEvaluatedKey=c"
    ])
    expect(asked[0]!.headers).toMatchObject({ authorization: "NONE", "x-api-key": "ck_test_1" })
  })

  it("retries with the same key; without a key only if nothing was done", async () => {
    answers = [lost, later(409), later(503), says(200, { done: true })]
    expect(await printed("call('POST', 'things', {}, key='k')")).toBe("{'done': True}")
    expect(asked.map(({ headers }) => headers["idempotency-key"])).toEqual(["k", "k", "k", "k"])
    answers = [later(429), later(503), says(200, { done: true })]
    expect(await printed("call('POST', 'things', {})")).toBe("Refused('503: Later.')")
    answers = [lost, says(200, { done: true })]
    expect(await printed("call('POST', 'things', {})")).toMatch(/RemoteDisconnected/)
    expect(asked).toHaveLength(4 + 2 + 1)
  })

  it("neither retries a refusal nor waits for a long Retry-After", async () => {
    answers = [says(400, { message: "No.", code: "VALIDATION_ERROR" })]
    expect(await printed("call('POST', 'things', {}, key='k')")).toBe("Refused('400: No.')")
    answers = [says(503, { message: "Down." }, { "retry-after": "3600" })]
    expect(await printed("call('GET', 'things')")).toBe("Refused('503: Down.')")
    expect(asked).toHaveLength(2)
  })
})
