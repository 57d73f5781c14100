/**
 * `npm run chaos -- [--seconds N] [--seed N] [--json]`: instances, PostgreSQL and everything between them fail as the seed
 * has it, while callers pay; afterwards everybody's account of it is compared.
 */
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Logger, LogLevel } from "effect"
import { explainFailure } from "../src/app/Failures.ts"
import { ChaosFailed } from "./ChaosFailed.ts"
import { allKinds } from "./faults/Schedule.ts"
import { tableOf } from "./Report.ts"
import { run } from "./Run.ts"

const usage = "npm run chaos -- [--seconds N] [--seed N] [--json]"

const options = Effect.try({
  try: () => {
    const { values } = parseArgs({
      options: {
        seconds: { type: "string", default: "300" },
        seed: { type: "string", default: "1" },
        json: { type: "boolean", default: false }
      }
    })
    const [seconds, seed] = [Number(values.seconds), Number(values.seed)]
    if (!Number.isInteger(seconds) || seconds < 1 || !Number.isInteger(seed)) throw new Error("expected whole numbers")
    return { seconds, seed, json: values.json }
  },
  catch: (cause) => new ChaosFailed({ message: `${String(cause)}\n${usage}` })
})

const began = performance.now()

const tell = (line: string): void => {
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}\n`)
}

const main = Effect.gen(function* () {
  const { json, seconds, seed } = yield* options
  const result = yield* run({
    seed,
    seconds,
    faults: Infinity,
    instances: 3,
    bundle: fileURLToPath(new URL("..", import.meta.url)),
    wantsDisk: true,
    enquiryDelays: "2 seconds, 4 seconds, 8 seconds, 20 seconds, 45 seconds, 60 seconds",
    kinds: allKinds,
    crowd: { callers: 8, restMillis: 150 },
    patience: { timePasses: false, millis: 300_000 },
    tell
  })
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : `${tableOf(result)}\n`)
  if (result.violations.length > 0) process.exitCode = 1
}).pipe(Effect.scoped)

main.pipe(
  Logger.withMinimumLogLevel(LogLevel.Fatal),
  explainFailure,
  NodeRuntime.runMain({ disableErrorReporting: true })
)
