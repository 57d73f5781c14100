import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/Durations.ts"

/** Three processes for two cores, as tests wait as much as they work; each loads the service once for all its files. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    runner: "test/support/Runner.ts",
    setupFiles: ["test/support/pristineTests.ts"],
    reporters: [["default", { summary: false }], "./test/support/Progress.ts"],
    sequence: { sequencer: LongestFirst },
    slowTestThreshold: 5_000,
    pool: "forks",
    // As many at least as at most: one that is ended early, while others still run, may fail the run.
    poolOptions: { forks: { minForks: 3, maxForks: 3, isolate: false, execArgv: ["--max-semi-space-size=64"] } },
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
