import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const tests = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((name) => join("test", name))
  .filter((name) => name.endsWith(".test.ts"))

/** Effect's test clock outlives a test that leaves a fiber behind, so these files have a process of their own each. */
const onTestClock = tests.filter((name) => readFileSync(name, "utf8").includes("TestClock"))

const forks = (isolate: boolean) => ({ pool: "forks" as const, poolOptions: { forks: { maxForks: 2, isolate } } })

export default defineConfig({
  test: {
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      // The whole service is loaded once for each process, not for each file.
      {
        extends: true,
        test: { name: "service", include: tests.filter((name) => !onTestClock.includes(name)), ...forks(false) }
      },
      { extends: true, test: { name: "clock", include: onTestClock, ...forks(true) } }
    ]
  }
})
