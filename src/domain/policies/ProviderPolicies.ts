/** Timeouts and limits of calls to providers. */
import { Duration, Schedule } from "effect"

/** A provider that no connection was made to after this long was certainly not sent anything. */
export const providerConnectTimeout = Duration.seconds(5)

/** Once a call is on its way, its provider begins to answer within this time, or the outcome is not known. */
export const providerFirstByteTimeout = Duration.seconds(20)

/** Timeout of a whole answer. Leaves an initiation time to write the outcome. */
export const providerAnswerTimeout = Duration.seconds(25)

/** An answer of a provider that is larger than this many bytes is not read. */
export const providerAnswerBytes = 1024 * 1024

/** Concurrent calls of one instance through one provider account. A hanging account blocks only its own. */
export const providerConcurrency = 64

/** Of them orders, questions and proofs of callbacks have so many each, whatever the others do. */
export const providerCallsReserved = 8

/** An organisation gets another one only while more than this many times what it has is free: the next finds room. */
export const providerCallsShare = 0.5

/** Queue length of each kind, and queue timeout. Further calls fail at once, never sent. */
export const providerCallsWaiting = 256
export const providerQueuePatience = Duration.seconds(1)

/** Concurrent calls that verify callbacks. Anyone can send a callback, and payments need the connections. */
export const callbackCheckConcurrency = 16

/** A connection to a provider is kept for the next call this long, less than any provider's own patience. */
export const providerKeepAlive = Duration.seconds(4)

/** Credentials that were changed by another instance are in use here after this long at the latest. */
export const credentialsKnownFor = Duration.seconds(1)

/** Calls with replaced credentials have this long to end. */
export const credentialsRetireAfter = Duration.minutes(5)

/** Instances tell each other this often which accounts of the platform their settings name. */
export const platformAccountsLook = Duration.seconds(10)

/** After this long without news from the other instances (half of the grace) an instance vouches for no send. */
export const platformAccountsTrusted = Duration.seconds(30)

/** Signatures with replaced credentials are accepted this long: providers may switch later. */
export const replacedCredentialsGrace = Duration.hours(24)

/** Replaced credentials kept per account. An unsigned callback is checked against each. */
export const replacedCredentialsKept = 8

/** A provider that is asked whether it takes credentials answers within this time, or it does not. */
export const credentialsTestTimeout = Duration.seconds(10)

/** The longest value of a credential: a private key with room to spare. */
export const longestCredential = 8 * 1024

/** A provider's access token is replaced this long before its end, or when a tenth of its life is left, if that is shorter. */
export const tokenMargin = Duration.minutes(1)

/** A lost answer is asked for again, with the same reference, up to twice, where the provider honours it. */
export const providerRetry = Schedule.exponential("200 millis").pipe(Schedule.intersect(Schedule.recurs(2)))

/** Dispatches in a row without a definite answer after which an organisation's circuit opens. */
export const circuitOpensAfter = 10

/** Failures in a row that open the circuit for all organisations, and how many of them one may contribute. */
export const circuitShare = 4

/** Time that a circuit stays open; then one dispatch tries the provider. */
export const circuitOpenTime = Duration.seconds(30)

/** A dispatch that tries an open circuit and never reports back is forgotten after this long, and another may try. */
export const circuitProbePatience = Duration.seconds(30)

/** `providers list` tells how providers have answered for this long. */
export const providerAnswersFor = Duration.hours(1)

/** A simulator completes what it accepted this long after its answer, unless SANDBOX_RAIL_PACE says otherwise. */
export const simulatorCompletion = Duration.seconds(1)

/** A simulator that plays a slow provider takes so many times as long for its answer. */
export const simulatorSlowness = 2

/** Callbacks that a simulator sends once too often, or too late, follow each other at this part of it. */
export const simulatorDuplicateGap = 0.5

/** An account that a simulator names for a bank transfer takes the payer's money for this long. */
export const simulatorFundingTime = Duration.minutes(30)

/** A simulator fails a payment at this wrong one-time password. */
export const simulatorOtpAttempts = 5

/** Callbacks of the simulators are claimed in batches of this many, and those of a batch delivered at once. */
export const simulatorCallbackBatch = 64

/** A callback that a killed worker had claimed is claimed again after this long. */
export const simulatorCallbackLease = Duration.seconds(10)

/** The callbacks of a batch may take this long; it is well within the lease. */
export const simulatorCallbackTimeout = Duration.seconds(5)

/** So many batches are under way at most. */
export const simulatorBatches = 32

/** A batch is slow if it takes this long beyond its look-ahead. What stood behind it is claimed once it is done. */
export const simulatorSlowBatch = Duration.millis(250)

/** A callback that was not taken is delivered again after this long. */
export const simulatorCallbackBackOff = Duration.seconds(5)

/**
 * Callbacks are claimed so far before they are due, and each is sent when it is due: one claim for all that follow each
 * other closely. A part of the pace, within these limits.
 */
export const simulatorLookAhead = (pace: Duration.Duration): Duration.Duration =>
  Duration.clamp(Duration.times(pace, 0.25), { minimum: Duration.millis(25), maximum: Duration.millis(250) })
