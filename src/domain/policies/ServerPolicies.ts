/** Intervals and limits of a process, its workers and its HTTP side, and retention. */
import { Duration, Schedule } from "effect"

/** The process ends this long after SIGTERM, whatever happens. */
export const exitAfter = Duration.seconds(15)

/** Until so long after the signal, requests that are under way may finish. */
export const drainTimeout = Duration.seconds(12)

/** Until then the workers, */
export const workersStopWithin = Duration.seconds(13)

/** and until then the database's connections; the rest is for the embedded PostgreSQL. */
export const poolClosesWithin = Duration.millis(13_500)

/** A client may take this long to send its request; a slower one is cut off. */
export const requestTimeout = Duration.seconds(30)

/** A connection without a request is kept open this long. */
export const keepAliveTimeout = Duration.seconds(65)

/** Callbacks without a proof that one address may send in a minute; those with one are not counted. */
export const unverifiedCallbacksPerMinute = 60

/** Past so many in a minute, callbacks from that address are refused before their bodies are read. */
export const unreadProofsPerMinute = 600

/** Forms of hosted pages that one address may send in a minute, read or not. */
export const formPostsPerMinute = 600

/** Workers look for due work this often while they find some, and where nothing tells them when there is some. */
export const workerPoll = Duration.millis(250)

/** Poll interval of the due times of all queues, in one statement, with jitter; */
export const dueTimesPoll = Duration.seconds(5)

/** behind a transaction pooler, which takes no LISTEN, this often. */
export const dueTimesPollPooled = Duration.seconds(1)

/** Without a further reading for this long, workers poll. A later due time is read again before it is due. */
export const dueTimesValid = Duration.seconds(12)

/** The reading of due times may take this long; then its connection is replaced, */
export const dueTimesTimeout = Duration.seconds(3)

/** at these intervals until there is one. */
export const dueTimesRetry = Duration.seconds(1)

/** Other instances are told of announced rows at most once in this time. */
export const announcementPause = Duration.millis(100)

/** A signal within this time of the first is the same one, passed on by npm. */
export const repeatedSignal = Duration.seconds(1)

/** A worker that fails is started again after a tenth of a second, and later and later up to a second. */
export const supervision = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("1 second")))

/** A worker that has run for this long is healthy: earlier failures no longer count. */
export const workerHealthyAfter = Duration.seconds(2)

/** An instance with a worker that has kept failing for this long is not ready. */
export const workerDownAfter = Duration.seconds(3)

/** Metrics of the database are read at a scrape, unless an instance has read them within this time. */
export const queueMetricsMaxAge = Duration.seconds(15)

/** Of what waits in a queue no more than this many are counted. */
export const mostCounted = 10_000

/** Retention of the audit log: seven years. */
export const auditRetention = Duration.days(2557)

/** Parts of tables are made for as many months ahead. */
export const partitionsAhead = 2

/** Lock timeout for attaching or detaching a partition. Later statements queue behind such a lock. */
export const partitionLockTimeout = Duration.millis(250)

/** An idempotency key is remembered this long. */
export const idempotencyRetention = Duration.hours(24)

/** A page of a list ends early where its records come to about this many bytes. */
export const pageBytes = 512 * 1024

/** First step of a list: heavy records are not all read at once. */
export const pageStep = 26

/** A list without `limit` is fetched and encoded this many records at a time, so other requests run in between. */
export const wholeListBatch = 100

/** Lists of one organisation that are read and encoded at once, and how many more of it wait for their turn. */
export const listsAtOnce = 2
export const listsQueued = 200

/** Larger bodies of one organisation are parsed one at a time, and so long after each other, for the requests of others. */
export const largeBodyBytes = 16 * 1024
export const largeBodyPause = Duration.millis(10)

/** Retry-After of a second whole list of one organisation while the first is being written. */
export const wholeListRetryAfter = Duration.seconds(2)

/** Larger answers are written in pieces, each only once the one before was sent: how far a reader has come is known. */
export const answerPiece = 16 * 1024

/** An answer of up to this many bytes goes whole to a connection that has nothing to send. */
export const answerAtOnce = 64 * 1024

/** A connection that takes no further piece for this long is closed, unless ANSWER_TIMEOUT says otherwise. */
export const answerTimeout = Duration.seconds(30)

/** Connections are looked at this often for it. */
export const stalledReaderPoll = Duration.seconds(1)

/** Answers that wait for their readers take this many MiB in one process, unless ANSWER_BUFFER_MB says otherwise; */
export const answerBufferMb = 64

/** and this many bytes for one connection, which may ask for more before it has read the first. */
export const answerBytesOfConnection = 2 * 1024 * 1024

/** While the process has no room, readers without progress for this long are closed. */
export const answerPatienceWithoutRoom = Duration.seconds(2)

/** Batch size of deletions past their retention. */
export const retentionBatch = 1000

/** Interval between deletions of rows past their retention. */
export const retentionPause = Duration.minutes(10)

/** A request that holds an idempotency key and has not answered after this long was cut off by a crash. */
export const idempotencyRunning = Duration.seconds(40)

/** Retry-After for a repeated idempotency key while its first request runs. */
export const idempotencyRetryAfter = Duration.seconds(1)

/** The rest of a body that is too large is read for this long, so that its sender reads the refusal. */
export const bodyDrainTimeout = Duration.seconds(2)

/** Instances tell each other this often what they have let through, */
export const usageSharedEvery = Duration.millis(500)

/** and an instance without requests still reads what the others have stored within this time, longer than a pause of readings; */
export const usageReadWithin = Duration.seconds(7)

/** of each limit the keys that spent most, up to this many; */
export const usageKeysShared = 1000

/** what is older was refilled since, */
export const usageMaxAge = Duration.minutes(1)

/** and is forgotten after this long. */
export const usageRetention = Duration.minutes(2)
