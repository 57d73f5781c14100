/** Short form of `npm run failover`: three faults, if Patroni is installed. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import { inject } from "vitest"
import { failover } from "./Failover.ts"
import { patroniKilled, primaryKilled, primaryKilledTwice } from "./faults/PrimaryFaults.ts"
import { missingPrograms } from "./environment/Patroni.ts"

const missing = await Effect.runPromise(missingPrograms)
const where = missing.length === 0 ? "" : ` (skipped: ${missing.join(", ")} not installed)`

const kinds = [primaryKilled, primaryKilledTwice, patroniKilled]

/** With this seed the faults come in the order above: the old primary that lives on does so until the end. */
const SEED = 1

describe(`a primary under load${where}`, () => {
  it.skipIf(missing.length > 0)(
    "killed, killed with its replacement, or alive without Patroni: nothing acknowledged is lost or done twice",
    () =>
      Effect.gen(function* () {
        const { answers, promotions, violations } = yield* failover({
          seed: SEED,
          kinds,
          faults: kinds.length,
          instances: 2,
          bundle: inject("bundle"),
          load: { callers: 3, restMillis: 300 },
          log: (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`)
        })
        expect(violations).toEqual([])
        expect(promotions.map(({ fault, inPlace }) => [fault, inPlace])).toEqual([
          [primaryKilled.name, false],
          [primaryKilledTwice.name, false],
          // Patroni restarts the node while it has recorded no synchronous standby, else promotes another.
          [primaryKilledTwice.name, expect.any(Boolean)],
          [patroniKilled.name, false]
        ])
        expect(answers["200"]).toBeGreaterThan(3)
      }).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None), Effect.runPromise),
    600_000
  )
})
