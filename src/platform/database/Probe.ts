/** Tells whether requests are answered now, by going the way that they go. */
import { Effect } from "effect"
import { busy } from "../../domain/Failure.ts"
import { readinessProbes, readinessTimeout } from "../../domain/policies/Database.ts"
import type { Lanes } from "./Lanes.ts"

/**
 * One silent connection does not stop requests, so the read is put again, over other connections, while it has no
 * answer. Whoever is not waited for any longer is left to end by itself, which over a silent connection takes time.
 */
export const probe = <A, E>({ isStuck }: Lanes["Type"], read: Effect.Effect<A, E>) =>
  Effect.raceAll(readinessProbes.map((after) => Effect.disconnect(Effect.delay(read, after)))).pipe(
    Effect.zipLeft(Effect.flatMap(isStuck, (stuck) => (stuck ? Effect.fail(busy()) : Effect.void))),
    Effect.timeout(readinessTimeout)
  )
