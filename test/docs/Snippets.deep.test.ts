/** Runs every block of README.md and docs/ against one server, and compares the answers with the page. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { firstOfFreePorts, freePort } from "../bench/FreePort.ts"
import { type OwnDatabase, ownDatabase } from "../cli/Cli.ts"
import { type RealServer, startServer, until } from "../payments/support/RealServer.ts"
import { type Block, blocksOf, pages } from "./Pages.ts"
import { isAsShown, objectsIn, openShell } from "./RunBlocks.ts"
import { hasPython, installClients } from "../client/support/ClientPackages.ts"

const known = ["sh", "js", "py", "json", "text", "mermaid"]

const run = pages
  .map((page) => ({ page, blocks: blocksOf(page).filter(({ notRun }) => notRun === undefined) }))
  .filter(({ blocks }) => blocks.some(({ language }) => language === "sh"))

const takesPython = ({ language, text }: Block) => language === "sh" && /^[^#]*\bpython3 /m.test(text)

const folder = mkdtempSync(join(tmpdir(), "corridor-docs-"))
let server: RealServer | undefined
let database: OwnDatabase | undefined
let port = 0

/** `npm run cli` with the build of this test run. */
const npm = `#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
exec "${process.execPath}" "${inject("bundle")}/cli/main.mjs" "$@"
`

beforeAll(async () => {
  symlinkSync(resolve("docs"), join(folder, "docs"))
  mkdirSync(join(folder, "bin"))
  writeFileSync(join(folder, "bin", "npm"), npm)
  chmodSync(join(folder, "bin", "npm"), 0o755)
  database = await ownDatabase()
  port = await freePort()
  const [started] = await Promise.all([
    startServer(join(folder, ".data"), port, {
      DATABASE_URL: database!.url,
      CORRIDOR_FAKES: String(await firstOfFreePorts(10)),
      SANDBOX_RAIL_PACE: "300 millis"
    }),
    installClients(folder)
  ])
  server = started
}, 90_000)

afterAll(async () => {
  await server?.kill()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const check = async (block: Block, came: () => string) => {
  const shown: unknown = block.language === "text" ? block.text.trim() : JSON.parse(block.text)
  const isThere =
    typeof shown === "string"
      ? () => came().includes(shown)
      : () => objectsIn(came()).some((one) => isAsShown(shown, one))
  await until("it is as shown", () => Promise.resolve(isThere() || undefined), 30_000).catch(() => {
    throw new Error(`${block.at}: no answer is as shown there, among:\n${came()}`)
  })
}

/** Attempts of a payment that failed, with the reasons of their providers. */
const attemptsOf = async (paymentId: string): Promise<string> => {
  const client = new pg.Client({ connectionString: database!.url })
  await client.connect()
  try {
    const { rows } = await client.query(
      "select provider, leg, outcome, reason, answered_at - started_at as took from attempts where payment_id = $1 order by started_at",
      [paymentId]
    )
    return JSON.stringify(rows)
  } finally {
    await client.end()
  }
}

const walk = async (page: string, blocks: ReadonlyArray<Block>) => {
  const own = join(folder, page.replaceAll(/\W/g, "-"))
  mkdirSync(own)
  for (const name of ["docs", ".data", "node_modules"]) symlinkSync(join(folder, name), join(own, name))
  const receiverPort = await freePort()
  const here = (text: string) =>
    text.replaceAll(/(?<=127\.0\.0\.1:|PORT=|listen\()[34]000\b/g, (given) =>
      String(given === "3000" ? port : receiverPort)
    )
  const shell = openShell(own, {
    ...(process.env as Record<string, string>),
    PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`,
    DATABASE_URL: database!.url,
    PORT: String(port),
    PYTHONPATH: join(folder, "python")
  })
  try {
    let came: (() => string) | undefined
    for (const [index, block] of blocks.entries()) {
      if (block.language === "sh") came = await shell.run(`block-${index}.sh`, here(block.text))
      else if (block.file !== undefined) writeFileSync(join(own, block.file), here(block.text))
      else if (came !== undefined && block.language !== "mermaid") await check(block, came)
    }
  } catch (error) {
    const failures = server!
      .output()
      .split("\n")
      .filter((line) => /ERROR|status=5\d\d/.test(line))
    const failed = failures.flatMap((line) => /payment_id=(\S+)/.exec(line)?.[1] ?? [])
    const attempts = await Promise.all(failed.map(attemptsOf))
    throw new Error(`${String(error)}\n${failures.join("\n")}\n${attempts.join("\n")}`, { cause: error })
  } finally {
    await shell.close()
  }
}

describe("the blocks of the pages", () => {
  it("can be run or compared, or say why not", () => {
    const strange = pages.flatMap(blocksOf).filter((block) => {
      if (block.notRun !== undefined) return block.notRun.length < 20
      if (!known.includes(block.language)) return true
      return (block.language === "js" || block.language === "py") && block.file === undefined
    })
    expect(strange.map(({ at }) => at)).toEqual([])
  })

  it("that are saved are used by a later block", () => {
    for (const { blocks, page } of run) {
      for (const [index, { at, file }] of blocks.entries()) {
        if (file === undefined) continue
        const later = blocks.slice(index + 1)
        const module = new RegExp(`^from ${file.replace(/\.py$/, "")} import `, "m")
        expect(
          later.some(({ language, text }) => (language === "sh" ? text.includes(file) : module.test(text))),
          `${page} ${at}`
        ).toBe(true)
      }
    }
  })

  describe.concurrent("have the shown output", () => {
    for (const { blocks, page } of run) {
      it.skipIf(!hasPython && blocks.some(takesPython))(page, () => walk(page, blocks), 120_000)
    }
  })
})
