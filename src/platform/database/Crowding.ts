/**
 * Whoever asks for a connection while nobody has got one for a while is told at once that the service is busy: waiting
 * behind others who wait in vain helps nobody. As soon as one of those has got one, there is hope again.
 */
import { type Clock, Duration } from "effect"
import type Pg from "pg"
import { overloaded } from "../../domain/Failure.ts"
import { connectionsStuck } from "../../domain/policies/Database.ts"

type Done = (error: Error | undefined, client: Pg.PoolClient | undefined, release: (end?: unknown) => void) => void

const NANOS = 1_000_000

export const turnAwayWhenStuck = (pool: Pg.Pool, clock: Clock.Clock): void => {
  const connect = pool.connect.bind(pool) as { (): Promise<Pg.PoolClient>; (done: Done): void }
  const millis = (): number => Number(clock.unsafeCurrentTimeNanos()) / NANOS
  let waiting = 0
  /** When somebody last got one, or began to wait with nobody before. */
  let hopeful = 0
  const inTurn = (done: Done): void => {
    if (waiting === 0) hopeful = millis()
    else if (millis() - hopeful > Duration.toMillis(connectionsStuck)) {
      process.nextTick(() => done(overloaded(), undefined, () => undefined))
      return
    }
    waiting += 1
    connect((error, client, release) => {
      waiting -= 1
      if (client !== undefined) hopeful = millis()
      done(error, client, release)
    })
  }
  pool.connect = ((done?: Done) => (done === undefined ? connect() : inTurn(done))) as typeof pool.connect
}
