/** The short form of `npm run failover`, one fault a run, where Patroni is installed. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import { inject } from "vitest"
import { failover } from "../../chaos/Failover.ts"
import type { Kind } from "../../chaos/faults/Fault.ts"
import { patroniKilled, primaryKilled, primaryKilledTwice } from "../../chaos/faults/OfPrimary.ts"
import { missingPrograms } from "../../chaos/stage/Patroni.ts"

const missing = await Effect.runPromise(missingPrograms)
const where = missing.length === 0 ? "" : ` (skipped: ${missing.join(", ")} not installed)`

/** Each death of a primary: whether another node was promoted. */
const run = (kind: Kind, seed: number, deaths: ReadonlyArray<unknown>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { answers, promotions, violations } = yield* failover({
        seed,
        kinds: [kind],
        faults: 1,
        instances: 2,
        bundle: inject("bundle"),
        crowd: { callers: 3, restMillis: 300 },
        tell: (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`)
      })
      expect(violations).toEqual([])
      expect(promotions.map(({ inPlace }) => !inPlace)).toEqual(deaths)
      expect(answers["200"]).toBeGreaterThan(3)
    }).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None))
  )

describe(`a primary under load${where}`, () => {
  it.skipIf(missing.length > 0)(
    "that is killed is replaced by another, and nothing that was acknowledged is lost or done twice",
    () => run(primaryKilled, 5, [true]),
    400_000
  )

  it.skipIf(missing.length > 0)(
    "that lives on without its Patroni is left for the one that was promoted, with nothing lost or done twice",
    () => run(patroniKilled, 1, [true]),
    400_000
  )

  it.skipIf(missing.length > 0)(
    "whose replacement is killed at once is replaced or restarted by Patroni, with nothing lost or done twice",
    // Patroni restarts a primary in place while it knows of no synchronous standby.
    () => run(primaryKilledTwice, 3, [true, expect.any(Boolean)]),
    400_000
  )
})
