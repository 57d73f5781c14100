import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const tests = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((name) => join("test", name))
  .filter((name) => name.endsWith(".test.ts"))

/** Effect's test clock outlives a test that leaves a fiber behind, so these files have a process of their own each. */
const onTestClock = tests.filter((name) => readFileSync(name, "utf8").includes("TestClock"))

/** `--mode clock` runs those files; without it all others, for which the service is loaded once for each process. */
export default defineConfig(({ mode }) => {
  const isolate = mode === "clock"
  return {
    test: {
      include: isolate ? onTestClock : tests.filter((name) => !onTestClock.includes(name)),
      globalSetup: ["test/support/globalSetup.ts"],
      pool: "forks",
      poolOptions: { forks: { maxForks: 2, isolate } },
      testTimeout: 90_000,
      hookTimeout: 60_000
    }
  }
})
