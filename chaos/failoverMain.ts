/**
 * `npm run failover -- [--times N] [--seed N] [--json]`: three PostgreSQL under Patroni and etcd, three instances and
 * callers; the primary is killed again and again, and afterwards everybody's account of it is compared.
 */
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Logger, LogLevel } from "effect"
import { explainFailure } from "../src/app/Failures.ts"
import { ChaosFailed } from "./ChaosFailed.ts"
import { failover } from "./Failover.ts"
import { primaryGone, primaryKilled } from "./faults/OfPrimary.ts"
import { tableOf } from "./Report.ts"
import { missingPrograms } from "./stage/Patroni.ts"

const usage = "npm run failover -- [--times N] [--seed N] [--json]"

const options = Effect.try({
  try: () => {
    const { values } = parseArgs({
      options: {
        times: { type: "string", default: "3" },
        seed: { type: "string", default: "1" },
        json: { type: "boolean", default: false }
      }
    })
    const [times, seed] = [Number(values.times), Number(values.seed)]
    if (!Number.isInteger(times) || times < 1 || !Number.isInteger(seed)) throw new Error("expected whole numbers")
    return { times, seed, json: values.json }
  },
  catch: (cause) => new ChaosFailed({ message: `${String(cause)}\n${usage}` })
})

const began = performance.now()

const tell = (line: string): void => {
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}\n`)
}

const main = Effect.gen(function* () {
  const { json, seed, times } = yield* options
  const missing = yield* missingPrograms
  if (missing.length > 0) {
    return yield* new ChaosFailed({
      message: `Not installed here: ${missing.join(", ")} (packages patroni, etcd-server, postgresql-15)`
    })
  }
  const kinds = [primaryKilled, primaryGone]
  const result = yield* failover({
    seed,
    kinds,
    faults: times * kinds.length,
    instances: 3,
    bundle: fileURLToPath(new URL("..", import.meta.url)),
    crowd: { callers: 8, restMillis: 100 },
    tell
  })
  const promotions = result.promotions.map(({ fault, millis }) => `  ${fault}: ${millis} ms`)
  process.stdout.write(
    json
      ? `${JSON.stringify(result, null, 2)}\n`
      : `${[tableOf(result), "From the death of the primary to the promotion of another:", ...promotions].join("\n")}\n`
  )
  if (result.violations.length > 0) process.exitCode = 1
}).pipe(Effect.scoped)

main.pipe(
  Logger.withMinimumLogLevel(LogLevel.Fatal),
  explainFailure,
  NodeRuntime.runMain({ disableErrorReporting: true })
)
