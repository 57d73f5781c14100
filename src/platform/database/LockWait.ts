/** How long the statements of a batch wait for rows that somebody else holds. */
import { Duration } from "effect"
import { batchLockTimeout, batchTick, laneLockTimeout } from "../../domain/policies/Database.ts"

/** As PostgreSQL reads it; null leaves it to the transaction that the statement is part of. */
export type LockWait = string | null

const milliseconds = (time: Duration.Duration): LockWait => String(Duration.toMillis(time))

/** For a batch that others share. */
export const waitBriefly = milliseconds(batchLockTimeout)

/** For one that nobody else waits for. */
export const patient = milliseconds(laneLockTimeout)

export const ticksIn = (time: Duration.Duration): number =>
  Math.ceil(Duration.toMillis(time) / Duration.toMillis(batchTick))

/** The first part of a `with`: a statement that reads from it waits for locks as long as `$n`, a `LockWait`, says. */
export const patience = (parameter: string): string =>
  `patience as materialized (
    select set_config('lock_timeout', coalesce(${parameter}, current_setting('lock_timeout')), true)
  )`
