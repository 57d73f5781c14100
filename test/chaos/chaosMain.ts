/**
 * `npm run chaos -- [--seconds N] [--seed N] [--json]`: injects faults into instances, PostgreSQL and connections
 * while callers pay, then audits.
 */
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { optionsOf, runCommand, log, printResult } from "./ChaosCommand.ts"
import { allKinds } from "./faults/Schedule.ts"
import { tableOf } from "./ChaosReport.ts"
import { run } from "./ChaosRun.ts"

const main = Effect.gen(function* () {
  const { extent: seconds, json, seed } = yield* optionsOf("chaos", "seconds", 300)
  const result = yield* run({
    seed,
    seconds,
    faults: Infinity,
    instances: 3,
    bundle: fileURLToPath(new URL("..", import.meta.url)),
    wantsDisk: true,
    enquiryDelays: "2 seconds, 4 seconds, 8 seconds, 20 seconds, 45 seconds, 60 seconds",
    kinds: allKinds,
    load: { callers: 8, restMillis: 150 },
    settleLimits: { timePasses: false, millis: 300_000 },
    log
  })
  printResult(result, json, tableOf)
})

runCommand(main)
