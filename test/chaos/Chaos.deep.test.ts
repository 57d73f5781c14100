/** Short form of `npm run chaos`: two instances, six faults, one seed. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import { inject } from "vitest"
import type { FaultKind } from "./faults/Fault.ts"
import { databaseRestarted, backendsTerminated } from "./faults/DatabaseFaults.ts"
import { instanceKilled, instancePaused } from "./faults/InstanceFaults.ts"
import { databaseSilent, providersCut } from "./faults/NetworkFaults.ts"
import { run } from "./ChaosRun.ts"

const briefly = (kind: FaultKind): FaultKind => ({
  ...kind,
  lasts: [Math.min(kind.lasts[0], 300), Math.min(kind.lasts[1], 1_500)]
})

const kinds = [instanceKilled, databaseRestarted, databaseSilent, backendsTerminated, instancePaused, providersCut].map(
  briefly
)

describe("a short chaos run", () => {
  it.scopedLive("ends with callers, providers, receivers and ledger in agreement", () =>
    Effect.gen(function* () {
      const { answers, deliveries, faults, operations, violations } = yield* run({
        seed: 13,
        seconds: Infinity,
        faults: kinds.length,
        instances: 2,
        bundle: inject("bundle"),
        wantsDisk: false,
        enquiryDelays: "2 seconds, 5 seconds",
        kinds,
        load: { callers: 3, restMillis: 400 },
        settleLimits: { timePasses: true, millis: 90_000 },
        log: () => undefined
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
      expect(violations).toEqual([])
      expect(Object.values(faults).map(({ times }) => times)).toEqual([1, 1, 1, 1, 1, 1])
      expect(Object.keys(operations).length).toBeGreaterThan(2)
      expect(answers["200"]).toBeGreaterThan(3)
      expect(deliveries).toBeGreaterThan(3)
    })
  )
})
