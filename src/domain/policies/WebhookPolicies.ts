/** When deliveries are made, again and no more, and how they share the room. */
import { Duration, Schedule } from "effect"
import { type Delays, inTurn } from "./Schedules.ts"

/** The body that follows a receiver's status is read for this long; then its connection is closed. */
export const webhookBodyPatience = Duration.millis(250)

/** A webhook delivery whose nth attempt failed is sent again after the nth delay and up to one percent more; then it is dead. */
export const webhookRetry = (delays: Delays) => Schedule.jitteredWith(inTurn(delays), { min: 1, max: 1.01 })

/** Deliveries that an instance has under way at a time, most of which only wait for their receivers. */
export const webhookConcurrency = 512

/** Of them, as many may go to one endpoint. */
export const webhookEndpointConcurrency = 8

/** An organisation gets another delivery slot only while this multiple of its own slots is free. */
export const webhookShare = 3

/** Organisations whose receivers were slow lately have no more than this many of them together. */
export const webhookSlowConcurrency = 128

/** Slots of slow organisations and of those not called yet, together: the rest is for prompt ones. */
export const webhookUnknownConcurrency = 192

/** A receiver that has not answered after this long is slow. */
export const webhookSlow = Duration.seconds(2)

/** An organisation counts as slow for this long after a slow answer. */
export const webhookSlowMemory = Duration.minutes(1)

/** Organisations whose receivers' response times an instance remembers. */
export const receiverSpeedsKept = 10_000

/** Endpoints whose decrypted signing secrets an instance caches. */
export const webhookSecretsKept = 10_000

/** A claim takes this many deliveries at most. */
export const webhookClaimBatch = 64

/** Claims that follow each other within this time go by one look at who has something due. */
export const webhookDueFresh = Duration.millis(50)

/** A claim looks at this many organisations; the next one goes on behind them. */
export const webhookWalk = 500

/** Endpoints of an organisation per look; the next look continues after them. */
export const webhookEndpointWalk = 64

/** Between two claims the worker rests this long, and so does a result before it is written, so that both gather into batches. */
export const webhookRest = Duration.millis(10)

/** A worker that was called by an event comes again no sooner than this, however many are committed meanwhile. */
export const webhookQuiet = Duration.millis(20)

/** Results that are written in one statement. */
export const webhookResultBatch = 128

/** Deliveries of a killed instance are retried this long after the timeout of an attempt. */
export const webhookLeaseMargin = Duration.seconds(10)

/** At shutdown, deliveries that are under way get this long; the others are left to the next instance. */
export const webhookDrain = Duration.seconds(2)

/** A connection to a receiver is kept for the next delivery this long, less than any receiver's own patience. */
export const webhookKeepAlive = Duration.seconds(1)

/** An endpoint that fails after having failed for this long is disabled. */
export const webhookGivesUpAfter = Duration.days(5)

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

/** Expired events and deliveries are scanned and deleted in batches of this size. */
export const webhookRetentionBatch = 500

/** The dead letters of an endpoint are counted up to here where they are one thing to look at: hundreds of thousands take a while. */
export const deadLettersCounted = 1000

/** Dead letters go back into the queue in batches of this many. */
export const webhookReplayBatch = 500
