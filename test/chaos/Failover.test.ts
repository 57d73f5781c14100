/** The short form of `npm run failover`: the primary of three PostgreSQL is killed once, where Patroni is installed. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import { inject } from "vitest"
import { failover } from "../../chaos/Failover.ts"
import { primaryKilled } from "../../chaos/faults/OfPrimary.ts"
import { missingPrograms } from "../../chaos/stage/Patroni.ts"

const missing = await Effect.runPromise(missingPrograms)
const where = missing.length === 0 ? "" : ` (skipped: ${missing.join(", ")} not installed)`

describe(`a primary that is killed under load${where}`, () => {
  it.skipIf(missing.length > 0)(
    "is replaced by another, and nothing that was acknowledged is lost or done twice",
    () =>
      Effect.runPromise(
        Effect.gen(function* () {
          const { answers, promotions, violations } = yield* failover({
            seed: 5,
            kinds: [primaryKilled],
            faults: 1,
            instances: 2,
            bundle: inject("bundle"),
            crowd: { callers: 3, restMillis: 300 },
            tell: () => undefined
          })
          expect(violations).toEqual([])
          expect(promotions).toHaveLength(1)
          expect(answers["200"]).toBeGreaterThan(3)
        }).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None))
      ),
    400_000
  )
})
