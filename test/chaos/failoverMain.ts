/**
 * `npm run failover -- [--times N] [--seed N] [--json]`: three PostgreSQL under Patroni and etcd, three instances and
 * callers. Kills the primary, its Patroni or both repeatedly, then audits.
 */
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { ChaosFailed } from "./ChaosFailed.ts"
import { optionsOf, runCommand, log, printResult } from "./ChaosCommand.ts"
import { failover } from "./Failover.ts"
import { patroniKilled, primaryGone, primaryKilled, primaryKilledTwice } from "./faults/PrimaryFaults.ts"
import { tableOf } from "./ChaosReport.ts"
import { missingPrograms } from "./environment/Patroni.ts"

const main = Effect.gen(function* () {
  const { extent: times, json, seed } = yield* optionsOf("failover", "times", 3)
  const missing = yield* missingPrograms
  if (missing.length > 0) {
    return yield* new ChaosFailed({
      message: `Not installed here: ${missing.join(", ")} (packages patroni, etcd-server, postgresql-15)`
    })
  }
  const kinds = [primaryKilled, primaryGone, patroniKilled, primaryKilledTwice]
  const result = yield* failover({
    seed,
    kinds,
    faults: times * kinds.length,
    instances: 3,
    bundle: fileURLToPath(new URL("..", import.meta.url)),
    load: { callers: 8, restMillis: 100 },
    log
  })
  const promotions = result.promotions.map(
    ({ fault, inPlace, millis, standbyMillis }) =>
      `  ${fault}: ${millis} ms, ${standbyMillis} ms more until it had a standby${inPlace ? "; the same node, restarted by Patroni" : ""}`
  )
  printResult(result, json, (all) =>
    [tableOf(all), "From the death of the primary until PostgreSQL took writes again:", ...promotions].join("\n")
  )
})

runCommand(main)
