/** Every Schedule and time limit of the service, so that its patience can be read on one page. */
import { type Array as Arr, Duration, Effect, type Option, Schedule, ScheduleDecision, ScheduleIntervals } from "effect"

export type Delays = Arr.NonEmptyReadonlyArray<Duration.Duration>

const inTurn = ([first, ...rest]: Delays) => Schedule.fromDelays(first, ...rest)

/**
 * What a schedule has to say to the nth failure; nothing, when it is over. The count stands in a row, and the time that
 * it waits too: no fiber sleeps for longer than a poll.
 */
export const nthDelay = <Out, R>(
  schedule: Schedule.Schedule<Out, unknown, R>,
  nth: number
): Effect.Effect<Option.Option<Duration.Duration>, never, R> => {
  const step = (state: unknown, now: number, left: number): Effect.Effect<Option.Option<Duration.Duration>, never, R> =>
    Effect.flatMap(schedule.step(now, undefined, state), ([next, , decision]) => {
      if (ScheduleDecision.isDone(decision)) return Effect.succeedNone
      const at = ScheduleIntervals.start(decision.intervals)
      return left <= 1 ? Effect.succeedSome(Duration.millis(at - now)) : step(next, at, left - 1)
    })
  return step(schedule.initial, 0, nth)
}

/** A transaction that the database undid for a conflict runs again up to five times, 5 ms apart and doubling, with jitter. */
export const serializationRetry = Schedule.exponential("5 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(5))
)

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

/** Waiting for a free database connection, or for a new one, longer than this fails the request. */
export const connectTimeout = Duration.seconds(5)

/** A statement waits this long for a row that somebody else holds, then gives up. */
export const lockTimeout = Duration.seconds(5)

/** A statement may run this long; migrations and the whole check of the books take as long as they take. */
export const statementTimeout = Duration.seconds(10)

/** A transaction that nothing is heard of for this long is undone by the database, so that a paused process holds nobody up. */
export const idleTransactionTimeout = Duration.seconds(4)

/** A connection on which a statement has had no answer for this long is closed: longer than any statement may run. */
export const queryTimeout = Duration.seconds(12)

/** A connection without traffic is probed after this long. */
export const databaseKeepAlive = Duration.seconds(10)

/** A batch of writes waits this long for a row that somebody else holds; then whoever needs that row leaves the batch. */
export const batchLockTimeout = Duration.millis(250)

/** Having left, an organisation waits this long in its own lane, which holds nobody up. */
export const laneLockTimeout = Duration.seconds(2)

/** And it stays out of the common batch until this long after its last trouble. */
export const laneAside = Duration.seconds(10)

/** Batches look this often at what is overdue: a batch that was under way for a whole one of these is passed by the next. */
export const batchTick = Duration.millis(250)

/** Batches of one kind that are under way at once, when earlier ones are overdue. */
export const batchesUnderWay = 4

/** Whoever has waited for room in a batch this long is told that the service is busy. */
export const queuePatience = Duration.seconds(10)

/** As many wait for a batch, and as many of one organisation for its own lane; others are told at once. */
export const longestQueue = 2048
export const longestLane = 256

/** An instance where somebody has waited this long for room in a common batch is not ready. */
export const queueStuck = Duration.seconds(2)

/** Whoever is told that the service is too busy may come back after this long. */
export const busyRetryAfter = Duration.seconds(3)

/** The readiness check waits this long for the database. */
export const readinessTimeout = Duration.seconds(2)

/** It asks at once, and again over other connections after each of these times without an answer. */
export const readinessProbes = [0, 400, 800, 1200].map((millis) => Duration.millis(millis))

/** Tokens of the development issuer are valid this long; every start issues fresh ones. */
export const developmentTokenTtl = Duration.hours(12)

/** In live mode a secret setting has at least so many characters. */
export const shortestLiveSecret = 16

/** Callbacks without a proof that one address may send in a minute; those with one are not counted. */
export const failedProofsPerMinute = 60

/** The clock of the KYB provider may be ahead of ours by this much. */
export const kybClockSkew = Duration.minutes(5)

/** Failed authentications that one address may make in a minute, counted apart for each key prefix that it presents. */
export const failedAuthenticationsPerMinute = 120

/** All prefixes of one address together may fail as often as this many of them. */
export const prefixesWorthOfAddress = 10

/** All credentials of an organisation together may make as many requests as this many of them. */
export const credentialsWorthOfOrganization = 10

/** An attempt that is being asked about is left alone by other instances for this long. */
export const enquiryLease = Duration.seconds(60)

/** An attempt is sent only this soon after it was committed; whoever comes later sends nothing. */
export const sendWindow = Duration.seconds(20)

/** A provider that can prove it never had a reference is believed only this long after it was last sent, well after that window. */
export const absenceGrace = Duration.seconds(60)

/** The second leg of a ramp is sent so many times at most; then a person decides. */
export const settlementSends = 3

/** One that could not be sent, since its provider was not to be reached, is tried again this often, */
export const settlementPause = Duration.seconds(15)

/** and for this long; then the ramp has failed, and its money waits for a person. */
export const settlementPatience = Duration.hours(1)

/** Hints about one attempt make its provider be asked at most this often. */
export const hintGap = Duration.seconds(15)

/** Customers who come back make the provider of their payment be asked at most this often a minute; after that it is a hint. */
export const returnsPerMinute = 10

/** Enquiries that an instance has under way at one provider, so that one which hangs takes nobody else's place. */
export const enquiriesPerProvider = 8

/** A callback that came before its payment was known by the provider's id is matched for this long. */
export const strayPatience = Duration.days(3)

/** Such callbacks are looked at again this often, as many at a time. */
export const strayPause = Duration.seconds(2)
export const strayBatch = 32

/** An initiation answers within this time, whatever the providers do. */
export const initiationBudget = Duration.seconds(28)

/** With less than this left of it, no further provider is asked. */
export const leastAttemptTime = Duration.seconds(1)

/** An attempt without an answer after this long is taken for orphaned by a crash, and looked up. */
export const orphanedAfter = Duration.seconds(45)

/** A provider that no connection was made to after this long was certainly not sent anything. */
export const providerConnectTimeout = Duration.seconds(5)

/** Once a call is on its way, its provider begins to answer within this time, or the outcome is not known. */
export const providerFirstByteTimeout = Duration.seconds(20)

/** And has answered within this, which leaves an initiation time to write down what it came to. */
export const providerAnswerTimeout = Duration.seconds(25)

/** An answer of a provider that is larger than this many bytes is not read. */
export const providerAnswerBytes = 1024 * 1024

/** Calls that an instance has under way through one account at a provider, so that one which hangs takes nobody else's place. */
export const providerCallsUnderWay = 64

/** Of them orders, questions and proofs of callbacks have so many each, whatever the others do. */
export const providerCallsReserved = 8

/** An organisation gets another one only while more than this many times what it has is free: the next finds room. */
export const providerCallsShare = 0.5

/** As many more of each kind wait for their turn, for this long at most; others are told at once that nothing was sent. */
export const providerCallsWaiting = 256
export const providerQueuePatience = Duration.seconds(1)

/** So many at most ask whether a callback is the provider's own: anybody can send one, and payments need the room. */
export const callbackChecksUnderWay = 16

/** A connection to a provider is kept for the next call this long, less than any provider's own patience. */
export const providerKeepAlive = Duration.seconds(4)

/** Credentials that were changed by another instance are in use here after this long at the latest. */
export const credentialsKnownFor = Duration.seconds(1)

/** Whoever still works with the credentials of before has this long to come to an end. */
export const credentialsRetireAfter = Duration.minutes(5)

/** Instances tell each other this often which accounts of the platform their settings name. */
export const platformAccountsLook = Duration.seconds(10)

/** Whoever has not heard of the others for this long, half of the grace, vouches for nothing that was sent. */
export const platformAccountsTrusted = Duration.seconds(30)

/** What providers sign with the credentials of before is believed this long: theirs may be changed later than ours. */
export const replacedCredentialsGrace = Duration.hours(24)

/** A provider that is asked whether it takes credentials answers within this time, or it does not. */
export const credentialsTestTimeout = Duration.seconds(10)

/** The longest value of a credential: a private key with room to spare. */
export const longestCredential = 8 * 1024

/** A provider's access token is replaced this long before its end, or when a tenth of its life is left, if that is shorter. */
export const tokenMargin = Duration.minutes(1)

/** A lost answer is asked for again, with the same reference, up to twice, where the provider honours it. */
export const providerRetry = Schedule.exponential("200 millis").pipe(Schedule.intersect(Schedule.recurs(2)))

/** Workers look for due work this often when nothing wakes them. */
export const workerPoll = Duration.millis(250)

/** A worker that fails is started again after a tenth of a second, and later and later up to a second. */
export const supervision = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("1 second")))

/** One that has run for this long is healthy: what it does next is not held against what it did before. */
export const workerHealthyAfter = Duration.seconds(2)

/** An instance with a worker that has kept failing for this long is not ready. */
export const workerDownAfter = Duration.seconds(3)

/** A provider is left alone after this many dispatches in a row without a verdict. */
export const circuitOpensAfter = 10

/** For this long; then one dispatch may try whether it answers again. */
export const circuitOpenTime = Duration.seconds(30)

/** A dispatch that tries an open circuit and never reports back is forgotten after this long, and another may try. */
export const circuitProbePatience = Duration.seconds(30)

/** In live mode a base rate older than this is not served, unless RATE_MAX_AGE says otherwise. */
export const liveRateMaxAge = Duration.hours(24)

/** A locked rate that nobody used is kept this long after its end, so that whoever comes late is told that it expired. */
export const rateLockRetention = Duration.days(1)

/** A provider that left an outcome open is asked for it after each delay in turn; then a person decides. */
export const statusEnquiry = (delays: Delays) => inTurn(delays)

/**
 * A change that someone else's change overtook is decided again, some milliseconds later, and later and later up to a quarter
 * of a second, with jitter, for eight seconds: many at once come one after the other. Then the service is busy.
 */
export const overtakenRetry = Schedule.exponential("4 millis").pipe(
  Schedule.union(Schedule.spaced("250 millis")),
  Schedule.jitteredWith({ min: 0.5, max: 1.5 }),
  Schedule.upTo("8 seconds")
)

/** What was heard of money is written again while the database is busy, every quarter of a second for up to eight seconds. */
export const busyRetry = Schedule.spaced("250 millis").pipe(Schedule.upTo("8 seconds"))

/** A built-in rail completes what it accepted this long after its answer, unless SANDBOX_RAIL_PACE says otherwise. */
export const railCompletion = Duration.seconds(1)

/** A built-in rail that plays a slow provider takes so many times as long for its answer. */
export const railSlowness = 2

/** Callbacks that a built-in rail sends once too often, or too late, follow each other at this part of it. */
export const railStragglerGap = 0.5

/** An account that a built-in rail names for a bank transfer takes the payer's money for this long. */
export const railFundingTime = Duration.minutes(30)

/** This wrong one-time password fails its payment. */
export const passwordAttempts = 5

/** A built-in rail fails a payment at this wrong one-time password. */
export const railPasswordAttempts = 5

/** Callbacks of the built-in rails are claimed in batches of this many, and those of a batch delivered at once. */
export const railCallbackBatch = 64

/** A callback that a killed worker had claimed is claimed again after this long. */
export const railCallbackLease = Duration.seconds(10)

/** The callbacks of a batch may take this long; it is well within the lease. */
export const railCallbackTimeout = Duration.seconds(5)

/** The next batch of them is claimed when the last is done, or after this long, while so many are under way. */
export const railRoundPatience = Duration.millis(250)
export const railRounds = 32

/** A callback that was not taken is delivered again after this long. */
export const railCallbackBackOff = Duration.seconds(5)

/** Between two claims the worker rests at least this long, so that callbacks gather into batches under load. */
export const railCallbackRest = Duration.millis(25)

/** A fake of a third party brings what it took to its end after this long, */
export const fakePace = Duration.millis(200)

/** what it reports late after this long, */
export const fakeLateness = Duration.seconds(5)

/** and lets a slow answer drip for this long, which is longer than anybody waits for one. */
export const fakeSlowness = Duration.minutes(1)

/** It takes this long at most until a callback of a fake is answered. */
export const fakeCallbackTimeout = Duration.seconds(5)

/** A callback that was not taken is sent again after so many times a fake's pace, each in turn; then it is given up. */
export const fakeCallbackRetries = [1, 2, 4, 8]

/** When a milestone is disbursed, this many of its payouts are sent at a time. */
export const escrowPayoutConcurrency = 8

/** An idempotency key is remembered this long. */
export const idempotencyRetention = Duration.hours(24)

/** A callback that belongs to no payment of ours is kept this long. */
export const strayCallbackRetention = Duration.days(90)

/** A message in the sandbox's outbox is kept this long. */
export const notificationRetention = Duration.days(30)

/** A page of a list ends early where its records come to about this many bytes. */
export const pageBytes = 512 * 1024

/** It is read in a step of this many records first, so that heavy ones are not all read for nothing. */
export const pageStep = 26

/** What is kept for a time only is forgotten in batches of this many. */
export const retentionBatch = 1000

/** And looked for this often. */
export const retentionPause = Duration.minutes(10)

/** A request that holds an idempotency key and has not answered after this long was cut off by a crash. */
export const idempotencyRunning = Duration.seconds(40)

/** A hosted page that waits for an outcome renews itself this often. */
export const checkoutRefresh = Duration.seconds(2)

/** One with instructions to read and copy does so less often. */
export const transferRefresh = Duration.seconds(5)

/** A customer who gave a card at the hosted checkout waits this long for its answer before the page says to wait. */
export const checkoutPatience = Duration.seconds(2)

/** Filled-in forms that one payment link takes in a minute from one address, so that nobody tries out stolen cards at it. */
export const linkFormsPerMinute = 60

/** The identity provider's keys are kept this long; an unknown key id fetches them again, but not within the cool-down. */
export const jwksMaxAge = Duration.minutes(10)
export const jwksCoolDown = Duration.seconds(30)

/** Fetching the identity provider's keys may take this long. */
export const jwksFetchTimeout = Duration.seconds(5)

/** The rest of a body that is too large is read for this long, so that its sender reads the refusal. */
export const bodyDrainTimeout = Duration.seconds(2)

/** The embedded PostgreSQL is looked at every 15 ms until it is up, for half a minute: its start, or another's end. */
export const embeddedReadiness = Schedule.spaced("15 millis").pipe(Schedule.upTo("30 seconds"))

/** A lock file of it that names nobody is taken for a leftover after this long. */
export const embeddedLockPatience = Duration.seconds(2)

/** When it dies it is started again, after a failure to do so a second later, and later and later, up to eight times. */
export const embeddedRestarts = Schedule.exponential("1 second").pipe(
  Schedule.union(Schedule.spaced("15 seconds")),
  Schedule.intersect(Schedule.recurs(8))
)

/** After this long without a death it is trusted again. */
export const embeddedHealthyAfter = Duration.minutes(1)

/** Leaving it, which may mean stopping it, is the last step of a shutdown. */
export const embeddedLeavesWithin = Duration.millis(14_800)

/** A run of it that ended for a passing reason is followed by another after this pause. */
export const embeddedRestartPause = Duration.millis(100)

/** Connections to it that were just closed may take this long to leave its list. */
export const embeddedClosingConnections = Schedule.spaced("20 millis").pipe(Schedule.upTo("2 seconds"))

/** Its fast shutdown may take 15 seconds, then it is stopped at once, which may take 5. */
export const embeddedFastShutdown = Schedule.spaced("10 millis").pipe(Schedule.upTo("15 seconds"))
export const embeddedImmediateShutdown = Schedule.spaced("10 millis").pipe(Schedule.upTo("5 seconds"))

/** The body that follows a receiver's status is read for this long; then its connection is closed. */
export const webhookBodyPatience = Duration.millis(250)

/** A webhook delivery whose nth attempt failed is sent again after the nth delay and up to one percent more; then it is dead. */
export const webhookRetry = (delays: Delays) => Schedule.jitteredWith(inTurn(delays), { min: 1, max: 1.01 })

/** Deliveries that an instance has under way at a time, most of which only wait for their receivers. */
export const webhookConcurrency = 256

/** Of them, as many may go to one endpoint. */
export const webhookEndpointConcurrency = 8

/** An organisation gets another one only while this many times what it has is free, so that whoever comes next finds room. */
export const webhookShare = 3

/** Organisations whose receivers were slow lately have no more than this many of them together. */
export const webhookSlowConcurrency = 128

/** Those and the ones that the instance knows nothing of yet have no more than this many: the rest is for prompt ones. */
export const webhookUnknownConcurrency = 192

/** A receiver that has not answered after this long is slow. */
export const webhookSlow = Duration.seconds(2)

/** One that was slow makes its organisation slow for this long. */
export const webhookSlowMemory = Duration.minutes(1)

/** An instance remembers how the receivers of this many organisations answered. */
export const webhookMannersKept = 10_000

/** A claim takes this many deliveries at most. */
export const webhookClaimBatch = 64

/** Claims that follow each other within this time go by one look at who has something due. */
export const webhookDueFresh = Duration.millis(50)

/** A claim looks at this many organisations; the next one goes on behind them. */
export const webhookWalk = 500

/** It looks at this many endpoints of an organisation; the next one goes on behind them. */
export const webhookEndpointWalk = 64

/** Between two claims the worker rests this long, and so does a result before it is written, so that both gather into batches. */
export const webhookRest = Duration.millis(10)

/** As many results are written in one statement. */
export const webhookResultBatch = 64

/** What a killed instance had under way is sent again this long after the time that one attempt may take. */
export const webhookLeaseMargin = Duration.seconds(10)

/** At shutdown, deliveries that are under way get this long; the others are left to the next instance. */
export const webhookDrain = Duration.seconds(2)

/** A connection to a receiver is kept for the next delivery this long, less than any receiver's own patience. */
export const webhookKeepAlive = Duration.seconds(1)

/** An endpoint that fails after having failed for this long is disabled. */
export const webhookGivesUpAfter = Duration.days(5)

/** The counts of a day are kept for good this long after its end, when all of its payments are settled. */
export const dayClosingDelay = Duration.hours(1)

/** Days that can be closed are looked for this often. */
export const dayClosingPause = Duration.minutes(10)

/** They are closed in batches of this many. */
export const dayClosingBatch = 31

/** Messages to people are counted by the hour. */
export const messageWindow = Duration.hours(1)

/** An organisation sends as many in one. */
export const messagesOfOrganization = 300

/** A recipient gets as many in one, whoever sends them. */
export const messagesToRecipient = 60

/** And as many of one organisation, so that none uses up what others may send. */
export const messagesToRecipientOfOne = 20

/** A mail server that has not taken a message after this long has refused it. */
export const mailTimeout = Duration.seconds(10)

/** Looking up the name of a webhook endpoint may take this long. */
export const dnsTimeout = Duration.seconds(5)

/** Within it a name server that does not answer is asked again once, after this long. */
export const dnsTryTimeout = Duration.millis(1500)
export const dnsTries = 2

/** For this long after a rotation an endpoint's old signing secret is still used beside the new one. */
export const webhookSecretOverlap = Duration.hours(24)

/** An event, and what came of a delivery, can be read this long; an event stays as long as any of its deliveries does. */
export const webhookRetention = Duration.days(30)

/** A dead letter is kept this long, unless it is replayed; what still waits to be sent is never forgotten. */
export const deadLetterRetention = Duration.days(90)

/** Old events and deliveries are looked at, and forgotten, in batches of this many. */
export const webhookForgetBatch = 500

/** Dead letters go back into the queue in batches of this many. */
export const webhookReplayBatch = 500

/** An invitation into an organisation can be accepted this long. */
export const invitationTtl = Duration.days(7)

/** Second legs that an instance has under way at one provider. */
export const settlementsPerProvider = 8

/** How long the customer of a ramp may take to pay. */
export const rampLifetime = Duration.minutes(30)

/** `providers list` tells how providers have answered for this long. */
export const verdictsFor = Duration.hours(1)
