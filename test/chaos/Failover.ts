/** A run under load in which the primary of three PostgreSQL fails repeatedly. */
import { Effect } from "effect"
import { run, type RunOptions } from "./ChaosRun.ts"
import { type Promotion, startPatroni } from "./environment/Patroni.ts"

type FailoverOptions = Pick<RunOptions, "bundle" | "seed" | "kinds" | "faults" | "instances" | "load" | "log">

/** Limit from the first commit until every instance has answered a payment. */
const MOST_MILLIS = 15_000

export const failover = (options: FailoverOptions) =>
  Effect.gen(function* () {
    let promotions: ReadonlyArray<Promotion> = []
    const startDatabase = (folder: string) =>
      Effect.tap(startPatroni(folder), ({ cluster }) =>
        Effect.sync(() => {
          promotions = cluster.promotions
        })
      )
    const result = yield* run({
      ...options,
      seconds: Infinity,
      wantsDisk: false,
      startDatabase,
      enquiryDelays: "2 seconds, 4 seconds, 8 seconds, 20 seconds",
      settleLimits: { timePasses: true, millis: 180_000 }
    })
    const late = Object.entries(result.faults).flatMap(([name, { times, worstMillis }]) =>
      times > 0 && (worstMillis === null || worstMillis > MOST_MILLIS)
        ? [
            `${name}: service was back ${worstMillis ?? "never"} ms after PostgreSQL could commit, later than ${MOST_MILLIS} ms`
          ]
        : []
    )
    return { ...result, promotions, violations: [...late, ...result.violations] }
  })
