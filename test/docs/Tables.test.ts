/** The generated tables of the pages match the code. `UPDATE_DOCS=1` writes them. */
import { readFileSync, writeFileSync } from "node:fs"
import { format } from "oxfmt"
import { describe, expect, it } from "vitest"
import {
  amountsTable,
  codesTable,
  eventsTable,
  failuresTable,
  payloads,
  providersTable,
  testValuesTable,
  setupSections,
  statesDiagram
} from "./GeneratedTables.ts"

const tables: ReadonlyArray<readonly [name: string, page: string, text: string]> = [
  ["providers", "docs/providers.md", providersTable],
  ["setup", "docs/providers.md", setupSections],
  ["amounts", "docs/providers.md", amountsTable],
  ["rails", "docs/first-payment.md", testValuesTable],
  ["states", "docs/payment-flows.md", statesDiagram],
  ["codes", "docs/errors.md", codesTable],
  ["failures", "docs/errors.md", failuresTable],
  ["events", "docs/events.md", eventsTable],
  ["payloads", "docs/events.md", payloads]
]

const section = (name: string) => new RegExp(`(<!-- ${name} -->\\n)([\\s\\S]*?)(\\n<!-- /${name} -->)`)

describe("the pages", () => {
  it.each(tables)("table of %s matches the code (%s)", async (name, page, wanted) => {
    const text = readFileSync(page, "utf8")
    const written = section(name).exec(text)?.[2]?.trim()
    const expected = (await format(page, wanted, { embeddedLanguageFormatting: "off" })).code.trim()
    if (process.env["UPDATE_DOCS"] === "1") {
      writeFileSync(page, text.replace(section(name), `$1\n${expected.replaceAll("$", "$$$$")}\n$3`))
      return
    }
    expect(written).toBe(expected)
  })

  it("name every setting, and no other", () => {
    const source = ["platform/config/Settings.ts", "providers/accounts/ProviderSettings.ts"]
      .map((file) => readFileSync(`src/${file}`, "utf8"))
      .join("\n")
    const read = new Set(Array.from(source.matchAll(/\("([A-Z][A-Z_]+)"/g), ([, name]) => name!))
    // Set by the supervisor, not by operators.
    for (const inner of ["CORRIDOR_WORKER", "CORRIDOR_EMBEDDED_URL"]) expect(read.delete(inner), inner).toBe(true)
    const page = readFileSync("docs/going-live.md", "utf8")
    const rows = page.slice(page.indexOf("## Settings"), page.indexOf("## Operating")).split("\n")
    const reported = rows
      .filter((line) => line.startsWith("| `"))
      .flatMap((line) => Array.from(line.split("|")[1]!.matchAll(/`([A-Z_]+)`/g), ([, name]) => name!))
    expect(read.size).toBeGreaterThan(25)
    expect(reported.toSorted()).toEqual([...read].toSorted())
  })
})
