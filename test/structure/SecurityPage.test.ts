/** docs/security.md covers every kind of threat and names existing tests. */
import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const page = readFileSync("docs/security.md", "utf8")

const sections = page
  .slice(page.indexOf("## Threats"), page.indexOf("## What is left"))
  .split("\n### ")
  .slice(1)
  .map((text) => {
    const [title = "", ...lines] = text.split("\n")
    const rows = lines.filter((line) => line.startsWith("| ")).slice(2)
    return { title, rows: rows.map((row) => row.split("|").map((cell) => cell.trim())) }
  })

const testsIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/`(test\/[^`]+)`/g), ([, file]) => file!)

describe("docs/security.md", () => {
  it("covers all six kinds of threats", () => {
    expect(sections.map(({ title }) => title.split(":", 1)[0])).toEqual([
      "Spoofing",
      "Tampering",
      "Repudiation",
      "Information disclosure",
      "Denial of service",
      "Elevation of privilege"
    ])
    for (const { rows, title } of sections) expect(rows.length, title).toBeGreaterThan(3)
  })

  it("names a defence and a test for each threat", () => {
    for (const { rows, title } of sections) {
      for (const [, threat = "", against = "", held = ""] of rows) {
        expect([threat.length > 10, against.length > 10], `${title}: ${threat}`).toEqual([true, true])
        expect(testsIn(held).length, `${title}: ${threat}`).toBeGreaterThan(0)
      }
    }
  })

  it("names only tests that exist", () => {
    expect(testsIn(page).length).toBeGreaterThan(60)
    expect(testsIn(page).filter((file) => !existsSync(file))).toEqual([])
  })

  it("is linked from the README", () => {
    expect(readFileSync("README.md", "utf8")).toContain("(docs/security.md)")
  })
})
