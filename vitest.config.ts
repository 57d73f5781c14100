import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/ProgressReporter.ts"

/** `npm test` runs all but the slow files, `npm run test:deep` those, and vitest called by hand whatever it is asked for. */
const files = {
  fast: { include: ["test/**/*.test.ts"], exclude: ["test/**/*.deep.test.ts"] },
  deep: { include: ["test/**/*.deep.test.ts"] },
  all: { include: ["test/**/*.test.ts"] }
}[process.env["TEST_FILES"] ?? "all"]

/** More processes than two cores, as tests wait as much as they work; each loads the service once for all its files. */
const forks = process.env["TEST_FILES"] === "fast" ? 4 : 3

export default defineConfig({
  test: {
    ...files,
    globalSetup: ["test/support/globalSetup.ts"],
    runner: "test/support/Runner.ts",
    setupFiles: ["test/support/TestClockSetup.ts"],
    reporters: [["default", { summary: false }], "./test/support/ProgressReporter.ts"],
    sequence: { sequencer: LongestFirst },
    slowTestThreshold: 5_000,
    pool: "forks",
    // As many at least as at most: one that is ended early, while others still run, may fail the run.
    poolOptions: {
      forks: { minForks: forks, maxForks: forks, isolate: false, execArgv: ["--max-semi-space-size=64"] }
    },
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
