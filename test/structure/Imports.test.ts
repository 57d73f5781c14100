/** The house: imports point down, and no two folders or files need each other. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { ESLint } from "eslint"
import { describe, expect, it } from "vitest"

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join("src", name))

const importsOf = (file: string): ReadonlyArray<string> =>
  Array.from(readFileSync(file, "utf8").matchAll(/(?:from|import) "(\.[^"]+)"/g), ([, to]) =>
    normalize(join(dirname(file), to!))
  ).filter((to) => to.startsWith("src/"))

/** Those that reach themselves again, each with what it reaches itself through. */
const circles = (arrows: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const start of arrows.keys()) {
    const seen = new Set<string>()
    const queue = [...(arrows.get(start) ?? [])]
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (next === start) {
        found.push(start)
        break
      }
      if (!seen.has(next)) {
        seen.add(next)
        queue.push(...(arrows.get(next) ?? []))
      }
    }
  }
  return found
}

const arrowsBetween = (name: (file: string) => string): Map<string, Set<string>> => {
  const arrows = new Map<string, Set<string>>()
  for (const file of files) {
    for (const to of importsOf(file)) {
      if (name(to) === name(file)) continue
      arrows.set(name(file), (arrows.get(name(file)) ?? new Set()).add(name(to)))
    }
  }
  return arrows
}

const complaintsAbout = async (filePath: string, text: string): Promise<ReadonlyArray<string>> => {
  const [result] = await new ESLint().lintText(text, { filePath })
  return (result?.messages ?? [])
    .filter(({ ruleId }) => ruleId === "no-restricted-imports")
    .map(({ message }) => message)
}

describe("imports", () => {
  it("are seen at all", () => {
    expect(files.length).toBeGreaterThan(300)
    expect(importsOf("src/main.ts").length).toBeGreaterThan(0)
  })

  it("make no circle of folders", () => expect(circles(arrowsBetween(dirname))).toEqual([]))

  it("make no circle of files", () => expect(circles(arrowsBetween((file) => file))).toEqual([]))

  it.each([
    ["src/domain/Money.ts", "../platform/database/Query.ts"],
    ["src/platform/http/Router.ts", "../../people/auth/Gate.ts"],
    ["src/webhooks/delivery/Attempt.ts", "../../payments/store/Payment.ts"],
    ["src/payments/initiate/Initiation.ts", "../../hosted/links/LinkStore.ts"],
    ["src/money/ledger/Ledger.ts", "../../cli/main.ts"]
  ])("of %s may not name %s", async (file, above) => {
    const text = `import { it } from "${above}"\nexport const used = it\n`
    expect(await complaintsAbout(file, text)).toHaveLength(1)
  })

  it("may point down, and stay in their own wing", async () => {
    const text = `import { a } from "../../money/ledger/Ledger.ts"\nimport { b } from "../store/Payment.ts"\nexport const used = [a, b]\n`
    expect(await complaintsAbout("src/payments/initiate/Initiation.ts", text)).toEqual([])
  })
})
