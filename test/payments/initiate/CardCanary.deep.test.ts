/** A card goes through the real server in every way that ends well or badly; afterwards it is nowhere on the disk. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { freePort } from "../../bench/FreePort.ts"
import { byCard, byPhone } from "../support/Requests.ts"
import { databaseOf, discard, newDataDir, pay, type RealServer, startServer, withSql } from "../support/RealServer.ts"

const NUMBER = "4539578763621486"
const groups = NUMBER.match(/.{4}/g) ?? []

/** Every way in which it could be written down. */
const spellings = [NUMBER, groups.join(" "), groups.join("-"), Buffer.from(NUMBER).toString("base64").slice(0, 20)]

/** Proof that the search finds what is there. */
const CONTROL = "canary-control-reference"

const luhn = (digits: string): number =>
  [...digits].toReversed().reduce((sum, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return sum + (doubled > 9 ? doubled - 9 : doubled)
  }, 0) % 10

const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesUnder(path) : [path]
  })

const filesWith = (folder: string, text: string): ReadonlyArray<string> =>
  filesUnder(folder).filter((path) => readFileSync(path).includes(text))

const tablesWith = (url: string, text: string) =>
  withSql(url, async (sql) => {
    const { rows } = await sql.query<{ name: string }>(
      "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'"
    )
    const found: Array<string> = []
    for (const { name } of rows) {
      const hits = await sql.query(`select 1 from ${name} row where row::text like '%' || $1 || '%' limit 1`, [text])
      if (hits.rows.length > 0) found.push(name)
    }
    return found
  })

const { card_details } = byCard(NUMBER)

/** Requests, and the status that each must be answered with. */
const ways: ReadonlyArray<readonly [number, object | string]> = [
  [200, { ...byCard(NUMBER), client_reference: CONTROL }],
  [502, { ...byPhone("+254712340001"), card_details }],
  [400, { ...byCard(NUMBER), card_details: { ...card_details, card_number: groups.join(" ") } }],
  [400, { ...byCard(NUMBER), card_details: { ...card_details, expiry_month: NUMBER } }],
  [400, { ...byCard(NUMBER), card_details: NUMBER }],
  [400, { ...byCard(NUMBER), payer_details: undefined }],
  [400, { ...byCard(NUMBER), amount: NUMBER }],
  [400, { ...byCard(NUMBER), card_details: { ...card_details, card_holder_name: groups.join(" ") } }],
  [400, { ...byCard(NUMBER), metadata: { note: NUMBER } }],
  [400, { ...byPhone(), metadata: { note: NUMBER } }],
  [400, { ...byPhone(), description: `card ${groups.join(" ")}` }],
  [400, { ...byPhone(), client_reference: NUMBER }],
  [400, `${JSON.stringify(byCard(NUMBER)).slice(0, -1)},,}`],
  [422, { ...byCard(NUMBER), country: "FR" }]
]

describe("a card's number and cvv", () => {
  const dataDir = newDataDir()
  let server: RealServer | undefined
  let output = ""

  const endServer = async () => {
    output += server?.output() ?? ""
    expect(await server?.stop()).toBe(0)
    server = undefined
  }

  afterAll(async () => {
    await server?.stop()
    discard(dataDir)
  }, 30_000)

  it("are nowhere: not in a file, a table, a log or an answer", async () => {
    expect(luhn(NUMBER)).toBe(0)
    const answers: Array<string> = []
    for (const LOG_FORMAT of ["json", "pretty"]) {
      const running = await startServer(dataDir, await freePort(), { LOG_FORMAT, LOG_LEVEL: "debug" })
      server = running
      for (const [status, request] of ways) {
        const answer = await pay(running, request)
        answers.push(await answer.text())
        expect({ request, status: answer.status }).toEqual({ request, status })
      }
      await withSql(databaseOf(dataDir), async (sql) => {
        await sql.query("alter table attempts rename to attempts_away")
        const broken = await pay(running, byCard(NUMBER))
        answers.push(await broken.text())
        expect(broken.status).toBe(500)
        await sql.query("alter table attempts_away rename to attempts")
      })
      await endServer()
    }

    const running = await startServer(dataDir, await freePort(), { LOG_LEVEL: "error" })
    server = running
    const url = databaseOf(dataDir)
    expect(await tablesWith(url, CONTROL), "the search finds what is there").toContain("payments")
    for (const text of [...spellings, '"cvv"', "cvv:"]) expect(await tablesWith(url, text), text).toEqual([])
    await withSql(url, (sql) => sql.query("checkpoint"))
    await endServer()

    const wal = filesWith(dataDir, CONTROL).filter((path) => path.includes("pg_wal"))
    expect(wal, "the search reads the write-ahead log").not.toEqual([])
    expect(output).toMatch(/"level":"?(DEBUG|debug|ERROR|error)/)
    for (const text of spellings) {
      expect(filesWith(dataDir, text), text).toEqual([])
      expect(output.includes(text), "logs").toBe(false)
      expect(
        answers.some((answer) => answer.includes(text)),
        "answers"
      ).toBe(false)
    }
    expect(filesWith(dataDir, '"cvv"')).toEqual([])
    expect(output).not.toContain('cvv":')
    expect(answers.some((answer) => answer.includes('"cvv"'))).toBe(false)
  })
})
