/** Timeouts, queue lengths and batch sizes of the database. */
import { Duration, Schedule } from "effect"

/** A transaction that the database undid for a conflict runs again up to five times, 5 ms apart and doubling, with jitter. */
export const serializationRetry = Schedule.exponential("5 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(5))
)

/** Waiting for a free database connection, or for a new one, longer than this fails the request. */
export const connectTimeout = Duration.seconds(5)

/** New requests fail with 503 after the pool was exhausted for this long. */
export const connectionsStuck = Duration.seconds(2)

/** Lock timeout of a statement. */
export const lockTimeout = Duration.seconds(5)

/** A statement may run this long; migrations and the whole check of the books take as long as they take. */
export const statementTimeout = Duration.seconds(10)

/** The database rolls back a transaction that is idle for this long, so a paused process releases its locks. */
export const idleTransactionTimeout = Duration.seconds(4)

/** A connection on which a statement has had no answer for this long is closed: longer than any statement may run. */
export const queryTimeout = Duration.seconds(12)

/** Timeout for cancelling a statement whose caller is gone. */
export const cancelWithin = Duration.seconds(5)

/** A connection without traffic is probed after this long. */
export const databaseKeepAlive = Duration.seconds(10)

/** Lock timeout of a shared batch. On timeout the organisations that need the row leave the batch. */
export const batchLockTimeout = Duration.millis(250)

/** Lock timeout of an organisation's own batch. */
export const ownBatchLockTimeout = Duration.seconds(2)

/** An organisation stays out of the common batch until this long after its last failure there. */
export const ownBatchDuration = Duration.seconds(10)

/** Batches look this often at what is overdue: a batch that was under way for a whole one of these is passed by the next. */
export const batchTick = Duration.millis(250)

/** Batches of one kind that are under way at once, when earlier ones are overdue. */
export const concurrentBatches = 4

/** Longest wait in a batch queue; then the request fails with 503. */
export const queuePatience = Duration.seconds(10)

/** Requests that may wait for a common batch, and for one organisation's own batch. Further ones fail at once. */
export const longestQueue = 2048
export const longestOwnBatchQueue = 256

/** An instance is not ready once a request has waited this long in a common batch queue. */
export const queueStuck = Duration.seconds(2)

/** Retry-After of a 503. */
export const busyRetryAfter = Duration.seconds(3)

/** The readiness check waits this long for the database. */
export const readinessTimeout = Duration.seconds(2)

/** A readiness probe is repeated over other connections after these times. */
export const readinessProbes = [0, 400, 800, 1200].map((millis) => Duration.millis(millis))

/** Of several hosts each is given this long to say whether it is the primary. */
export const hostTimeout = Duration.seconds(2)

/** Once one has said so, the others have this long to name a higher timeline. */
export const hostPatience = Duration.millis(250)

/** Every host is asked this often for its timeline, on a fresh connection, since its address may lead elsewhere by now. */
export const primaryPollInterval = Duration.seconds(3)

/** No new connections while this share of the server's connections waits for a synchronous standby. */
export const mostCommitsWaiting = 0.5

/** Open connections of an idle pool, so the next request does not wait for a new one. */
export const idleConnections = 2

/** A pooled connection is replaced after three to five minutes. */
export const connectionAge = { least: Duration.minutes(3), most: Duration.minutes(5) }

/** A list waits this long for a replica to have come as far as the primary was when the list was asked for, */
export const replicaPatience = Duration.millis(100)

/** looking this often; */
export const replicaPollInterval = Duration.millis(5)

/** a connection to a replica has this long to be there. */
export const replicaConnectTimeout = Duration.seconds(1)

/** A replica that failed is not used for this long. */
export const replicaPause = Duration.seconds(2)

/** An instance remembers this many of the terms by which payments are made, of each kind. */
export const configVersionsCached = 10_000

/** A migration waits this long for a lock, during which others queue behind it, then gives up and tries again, */
export const migrationLockTimeout = Duration.millis(200)

/** after 1 s, 2 s, 4 s and then every 5 s, with jitter, until the lock is granted. */
export const migrationRetry = Schedule.exponential("1 second").pipe(
  Schedule.union(Schedule.spaced("5 seconds")),
  Schedule.jittered
)

/** An instance that starts while another one applies migrations looks this often whether it has finished. */
export const migrationPollInterval = Duration.millis(250)

/** Whole batch ticks in a time, rounded up. */
export const ticksIn = (time: Duration.Duration): number =>
  Math.ceil(Duration.toMillis(time) / Duration.toMillis(batchTick))

/** The embedded PostgreSQL is looked at every 15 ms until it is up, for half a minute: its start, or another's end. */
export const embeddedReadiness = Schedule.spaced("15 millis").pipe(Schedule.upTo("30 seconds"))

/** An empty postmaster.pid is removed as a leftover after this long. */
export const embeddedLockPatience = Duration.seconds(2)

/** When it dies it is started again, after a failure to do so a second later, and later and later, up to eight times. */
export const embeddedRestarts = Schedule.exponential("1 second").pipe(
  Schedule.union(Schedule.spaced("15 seconds")),
  Schedule.intersect(Schedule.recurs(8))
)

/** After this long without a death it is trusted again. */
export const embeddedHealthyAfter = Duration.minutes(1)

/** Leaving it, which may mean stopping it, is the last step of a shutdown. */
export const embeddedStopsWithin = Duration.millis(14_800)

/** A run of it that ended for a passing reason is followed by another after this pause. */
export const embeddedRestartPause = Duration.millis(100)

/** Connections to it that were just closed may take this long to leave its list. */
export const embeddedClosingConnections = Schedule.spaced("20 millis").pipe(Schedule.upTo("2 seconds"))

/** Its fast shutdown may take 15 seconds, then it is stopped at once, which may take 5. */
export const embeddedFastShutdown = Schedule.spaced("10 millis").pipe(Schedule.upTo("15 seconds"))
export const embeddedImmediateShutdown = Schedule.spaced("10 millis").pipe(Schedule.upTo("5 seconds"))
