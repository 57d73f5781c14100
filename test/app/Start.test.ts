/** Start of the built programs with and without V8's code cache. */
import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { beforeEach, describe, expect, inject, it } from "vitest"
import about from "../../package.json" with { type: "json" }
import { SERVER_FLAGS } from "../support/TestCluster.ts"

const HASH_BYTES = 32

const node = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Promise<string> =>
  (await promisify(execFile)(process.execPath, args, { env: { PATH: process.env["PATH"], ...env } })).stdout.trim()

describe("a built program", () => {
  let folder: string
  const run = (env: Readonly<Record<string, string>> = {}) => node([join(folder, "main.mjs")], env)
  const program = (text: string) => writeFileSync(join(folder, "main.cjs"), text)
  const code = () => join(folder, "main.code")

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "corridor-start-"))
    copyFileSync("src/start.mjs", join(folder, "main.mjs"))
    program(`console.log("one")`)
    expect(await run({ CORRIDOR_KEEP_CODE: "1" })).toBe("one")
  })

  it("starts from its code, and leaves that as it is", async () => {
    const kept = readFileSync(code())
    expect(await run()).toBe("one")
    expect(readFileSync(code())).toEqual(kept)
  })

  it("does not start from the code of another program of the same length", async () => {
    program(`console.log("two")`)
    expect(await run()).toBe("two")
  })

  it("can import what it needs although it was moved, with its code, to another place", async () => {
    program(`import("data:text/javascript,export default 'imported'").then((module) => console.log(module.default))`)
    expect(await run({ CORRIDOR_KEEP_CODE: "1" })).toBe("imported")
    const elsewhere = mkdtempSync(join(tmpdir(), "corridor-start-"))
    for (const name of ["main.mjs", "main.cjs", "main.code"]) copyFileSync(join(folder, name), join(elsewhere, name))
    folder = elsewhere
    expect(await run()).toBe("imported")
  })

  it("starts without code, with half of it, and with that of nothing at all", async () => {
    const kept = readFileSync(code())
    for (const broken of [kept.subarray(0, kept.length / 2), kept.subarray(0, HASH_BYTES), Buffer.alloc(0)]) {
      writeFileSync(code(), broken)
      expect(await run()).toBe("one")
    }
  })

  it("keeps code of its own where it was installed without any, and does without where it may not", async () => {
    rmSync(code())
    expect(await run()).toBe("one")
    expect(readFileSync(code()).length).toBeGreaterThan(HASH_BYTES)
    rmSync(code())
    // A non-empty folder cannot be replaced by a file.
    mkdirSync(join(code(), "taken"), { recursive: true })
    expect(await run()).toBe("one")
  })
})

describe("the build", () => {
  const verdict = `
    const { Script } = require("node:vm"), { readFileSync } = require("node:fs"), { wrap } = require("node:module")
    const [text, code] = ["main.cjs", "main.code"].map((name) => readFileSync(process.argv[1] + "/" + name))
    console.log(new Script(wrap(text.toString()), { cachedData: code.subarray(${HASH_BYTES}) }).cachedDataRejected)`

  it("keeps code that V8 accepts when the server and the CLI are started as the scripts start them", async () => {
    expect(about.scripts.start).toContain(`node ${SERVER_FLAGS.join(" ")} dist/main.mjs`)
    expect(about.scripts.cli).toContain("node dist/cli/main.mjs")
    expect(await node([...SERVER_FLAGS, "-e", verdict, inject("bundle")])).toBe("false")
    const cli = join(inject("bundle"), "cli")
    expect(await node(["-e", verdict, cli])).toBe("false")
    expect(await node([...SERVER_FLAGS, "-e", verdict, cli]), "other flags").toBe("true")
  })
})
