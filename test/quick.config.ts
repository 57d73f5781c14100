/** `npm run test:quick`: the domain, the contract and one walk over HTTP, on memory: no database is started for it. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: [
      "test/domain/**/*.test.ts",
      "test/contract/docs/**/*.test.ts",
      "test/contract/api/{OpenApi,OpenApiLint,Cors,RateLimits,ForgedCallbacks}.test.ts",
      "test/webhooks/Payloads.test.ts"
    ],
    exclude: ["**/Browser.test.ts"],
    runner: "test/support/Runner.ts",
    setupFiles: ["test/support/pristineTests.ts"],
    reporters: [["default", { summary: false }], "./test/support/Progress.ts"],
    slowTestThreshold: 5_000,
    pool: "forks",
    poolOptions: { forks: { maxForks: 2, isolate: false } },
    testTimeout: 30_000
  }
})
