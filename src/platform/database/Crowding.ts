/**
 * Whoever asks for a connection while nobody has got one for a while is told at once that the service is busy: waiting
 * behind others who wait in vain helps nobody. As soon as one of those has got one, there is hope again.
 */
import { Duration } from "effect"
import type Pg from "pg"
import { busy } from "../../domain/Failure.ts"
import { batchTick, connectionsStuck } from "../../domain/policies/Database.ts"
import { ticksIn } from "./LockWait.ts"

type Done = (error: Error | undefined, client: Pg.PoolClient | undefined, release: (end?: unknown) => void) => void

export const turnAwayWhenStuck = (pool: Pg.Pool): void => {
  const connect = pool.connect.bind(pool) as { (): Promise<Pg.PoolClient>; (done: Done): void }
  let waiting = 0
  /** Since somebody last got one. A process that is held up itself has no ticks, and takes nobody else for stuck. */
  let ticks = 0
  let ticking = false

  const tick = (): void => {
    ticking = waiting > 0
    ticks = ticking ? ticks + 1 : 0
    if (ticking) setTimeout(tick, Duration.toMillis(batchTick)).unref()
  }

  const inTurn = (done: Done): void => {
    if (ticks > ticksIn(connectionsStuck)) {
      process.nextTick(() => done(busy(), undefined, () => undefined))
      return
    }
    waiting += 1
    if (!ticking) tick()
    connect((error, client, release) => {
      waiting -= 1
      if (client !== undefined) ticks = 0
      done(error, client, release)
    })
  }

  pool.connect = ((done?: Done) => (done === undefined ? connect() : inTurn(done))) as typeof pool.connect
}
