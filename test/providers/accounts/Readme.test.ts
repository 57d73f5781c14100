/** The README says of third parties what their adapters do. `UPDATE_README=1` writes it anew. */
import { readFileSync, writeFileSync } from "node:fs"
import { format } from "oxfmt"
import { describe, expect, it } from "vitest"
import { readmeTables } from "./ReadmeTables.ts"

const README = "README.md"

const section = (name: string) => new RegExp(`(<!-- ${name} -->\\n)([\\s\\S]*?)(\\n<!-- /${name} -->)`)

describe("the README", () => {
  it.each(Object.keys(readmeTables))("has the table of %s as the code has it", async (name) => {
    const text = readFileSync(README, "utf8")
    const written = section(name).exec(text)?.[2]?.trim()
    const expected = (await format(README, readmeTables[name]!)).code.trim()
    if (process.env["UPDATE_README"] === "1") {
      writeFileSync(README, text.replace(section(name), `$1\n${expected.replaceAll("$", "$$$$")}\n$3`))
      return
    }
    expect(written).toBe(expected)
  })
})
