/** Imports point down, and there are no circles of folders or files. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, normalize, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join("src", name))

const importsOf = (file: string): ReadonlyArray<string> =>
  Array.from(readFileSync(file, "utf8").matchAll(/(?:from|import) "(\.[^"]+)"/g), ([, to]) =>
    normalize(join(dirname(file), to!))
  ).filter((to) => to.startsWith("src/"))

/** Nodes that can reach themselves. */
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

const upward = [
  ["src/domain/Money.ts", "../platform/database/Query.ts"],
  ["src/app/Graph.ts", "../../test/fakes/AllFakes.ts"],
  ["src/providers/port/Provider.ts", "../../../test/fakes/Fake.ts"],
  ["src/platform/http/EndpointRoute.ts", "../../people/auth/Gate.ts"],
  ["src/webhooks/delivery/DeliveryAttempt.ts", "../../payments/store/Payment.ts"],
  ["src/payments/initiate/Initiation.ts", "../../hosted/links/LinkStore.ts"],
  ["src/money/ledger/Ledger.ts", "../../cli/main.ts"],
  ["src/client/Transport.ts", "../platform/http/Router.ts"],
  ["src/client/WireTypes.ts", "../console/App.tsx"],
  ["src/console/App.tsx", "../hosted/links/LinkStore.ts"],
  ["src/console/pages/OperationsPage.tsx", "../../payments/read/Payments.ts"],
  ["src/reference/ReferencePage.ts", "../platform/http/Router.ts"],
  ["src/contract/openapi/OpenApiDocument.ts", "../../reference/ReferencePage.ts"],
  ["src/contract/api/Api.ts", "../../client/Wire.ts"],
  ["src/hosted/pages/PageLayout.ts", "../../console/App.tsx"]
] as const

const refused = [
  ["corridor(replayable)", "Date.now()"],
  ["corridor(replayable)", "new Date()"],
  ["corridor(replayable)", "Math.random()"],
  ["corridor(replayable)", "randomUUID()"],
  ["corridor(no-lost-error)", "Effect.ignore(it)"],
  ["corridor(no-lost-error)", "Effect.catchAll(() => 1)"],
  ["corridor(no-lost-error)", "Effect.catchAllCause(it, () => 1)"],
  ["corridor(no-float)", 'Number.parseFloat("1")']
] as const

const DOWNWARD = "src/payments/initiate/PaymentPlan.ts"
const BESIDE = "src/console/pages/payments/PaymentActionButtons.tsx"
const allowed = `import { a } from "../../money/ledger/Ledger.ts"
import { b } from "../store/Payment.ts"
export const used = [a, b, new Date(a), Effect.catchAll((error) => error), Effect.catchTag("A", () => 1)]
`

/** Runs the linter on files that break its rules. */
const folder = mkdtempSync(join(tmpdir(), "corridor-lint-test-"))
const lines: Array<string> = []

const write = (file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

const complaintsAbout = (file: string): ReadonlyArray<string> => lines.filter((line) => line.startsWith(`${file}:`))

beforeAll(() => {
  for (const name of ["oxlint.config.mjs", "scripts/lint"]) cpSync(name, join(folder, name), { recursive: true })
  for (const [file, above] of upward) write(file, `import { it } from "${above}"\nexport const used = it\n`)
  for (const [at, [, text]] of refused.entries()) write(`src/app/Rule${at}.ts`, `export const used = ${text}\n`)
  write(DOWNWARD, allowed)
  write(BESIDE, 'export { it } from "../payments/PaymentTable.tsx"\nexport { other } from "../../../client/Wire.ts"\n')
  const words = ["-c", "oxlint.config.mjs", "--format=unix"]
  lines.push(
    ...spawnSync(resolve("node_modules/.bin/oxlint"), words, { cwd: folder, encoding: "utf8" }).stdout.split("\n")
  )
})

afterAll(() => rmSync(folder, { recursive: true }))

describe("imports", () => {
  it("are found", () => {
    expect(files.length).toBeGreaterThan(300)
    expect(importsOf("src/main.ts").length).toBeGreaterThan(0)
  })

  it("have no circle of folders", () => expect(circles(arrowsBetween(dirname))).toEqual([]))

  it("have no circle of files", () => expect(circles(arrowsBetween((file) => file))).toEqual([]))

  it("of test/fakes are lazy, and in one file", () => {
    const naming = files.filter((file) => /"(\.\.\/)+test\//.test(readFileSync(file, "utf8")))
    expect(naming).toEqual(["src/app/SandboxFakes.ts"])
  })

  it.each(upward)("of %s may not name %s", (file) => {
    expect(complaintsAbout(file)).toEqual([expect.stringContaining("no-restricted-imports")])
  })

  it.each([DOWNWARD, BESIDE])("may point down, and stay in their own wing: %s", (file) => {
    expect(complaintsAbout(file)).toEqual([])
  })
})

it.each(refused)("%s refuses %s", (rule, text) => {
  const at = refused.findIndex((one) => one[1] === text)
  expect(complaintsAbout(`src/app/Rule${at}.ts`)).toEqual([expect.stringContaining(rule)])
})
