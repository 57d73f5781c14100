/** When a payment is sent, asked about, tried again and given up. */
import { Duration, Schedule } from "effect"
import { type Delays, inTurn } from "./Schedules.ts"

/** An attempt that is being asked about is left alone by other instances for this long. */
export const enquiryLease = Duration.seconds(60)

/** An attempt is sent only within this time after its commit. */
export const sendWindow = Duration.seconds(20)

/** A provider that can prove it never had a reference is believed only this long after it was last sent, well after that window. */
export const absenceGrace = Duration.seconds(60)

/** Maximum number of sends of a ramp payout; then an operator decides. */
export const rampPayoutSends = 3

/** Pause before a ramp payout is tried again while its provider is unreachable. */
export const rampPayoutPause = Duration.seconds(15)

/**
 * Time after which a ramp payout that could not be sent is given up: the ramp fails, and an operator decides about its
 * money.
 */
export const rampPayoutPatience = Duration.hours(1)

/**
 * Minimum time between enquiries caused by hints, for one attempt. A hint without an answer is polled again by the
 * delays of the status enquiries, until they are over or another hint comes.
 */
export const hintGap = Duration.seconds(15)

/** Ids of the provider's that hints may name for one attempt until it has its own; the oldest give way. */
export const mostHintedIds = 4

/** Customers who come back make the provider of their payment be asked at most this often a minute; after that it is a hint. */
export const returnsPerMinute = 10

/** Concurrent enquiries of one instance at one provider. A hanging provider blocks only its own. */
export const enquiriesPerProvider = 8

/** A callback that came before its payment was known by the provider's id is matched for this long. */
export const unmatchedCallbackWindow = Duration.days(3)

/** Early callbacks find their payment within this time. Older ones are about money not asked for here. */
export const unmatchedCallbackGrace = Duration.minutes(10)

/** Poll interval of unmatched callbacks, and how many a poll takes. */
export const unmatchedCallbackPoll = Duration.seconds(2)
export const unmatchedCallbackBatch = 32

/** An initiation answers within this time, whatever the providers do. */
export const initiationBudget = Duration.seconds(28)

/** With less than this left of it, no further provider is asked. */
export const leastAttemptTime = Duration.seconds(1)

/** An attempt without an answer after this long is taken for orphaned by a crash, and looked up. */
export const orphanedAfter = Duration.seconds(45)

/** In live mode a base rate older than this is not served, unless RATE_MAX_AGE says otherwise. */
export const liveRateMaxAge = Duration.hours(24)

/** Time between two fetches of a rate source, unless RATE_SOURCE_INTERVAL says otherwise. */
export const rateSourceIntervals = {
  ecb: Duration.minutes(30),
  coinbase: Duration.minutes(1),
  https: Duration.minutes(10),
  file: Duration.minutes(1)
} as const

/** A source is given this long to answer, and asked again at these distances before the fetch counts as failed. */
export const rateFetchTimeout = Duration.seconds(10)
export const rateFetchRetry = Schedule.exponential("1 second").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(2))
)

/** The operator is alerted when this many fetches in a row have failed. */
export const rateFailuresToAlert = 3

/**
 * Rates of a document that was published longer ago, or further in the future, are not taken. The ECB publishes on
 * working days at about 15:00 UTC: before Easter and Christmas that is five and a half days apart.
 */
export const rateDocumentMaxAge = Duration.days(6)
export const rateDocumentMaxLead = Duration.days(1)

/** An unused locked rate is kept this long after its end, so late requests are told that it expired. */
export const rateLockRetention = Duration.days(1)

/** Window over which an organisation's gains from locked rates are summed. */
export const rateGainWindow = Duration.hours(24)

/** A refund costs the rate of its payment for this long after the completion, and the live rate after that. */
export const refundRateTime = Duration.hours(24)

/** A rate moves by at most 10 percent in this time; a move beyond that is proposed to a person. */
export const rateMoveWindow = Duration.hours(24)

/** A rate that one person has proposed is confirmed by another within this time, or proposed again. */
export const rateProposalTime = Duration.hours(24)

/** A provider that left an outcome open is asked for it after each delay in turn; then a person decides. */
export const statusEnquiry = (delays: Delays) => inTurn(delays)

/**
 * Retries of a change after a version conflict: from 4 ms up to 250 ms apart, with jitter, for 8 s. Then the service is
 * busy.
 */
export const overtakenRetry = Schedule.exponential("4 millis").pipe(
  Schedule.union(Schedule.spaced("250 millis")),
  Schedule.jitteredWith({ min: 0.5, max: 1.5 }),
  Schedule.upTo("8 seconds")
)

/** Longest wait for other actions on the same payment; then 503. */
export const turnPatience = Duration.seconds(8)

/** Retries of recording a report while the database is busy: every 250 ms for up to 8 s. */
export const busyRetry = Schedule.spaced("250 millis").pipe(Schedule.upTo("8 seconds"))

/** Wrong one-time passwords after which a payment fails. */
export const passwordAttempts = 5

/** The provider of a payment is asked to send its customer another one so many times in an hour. */
export const passwordsResent = 5

/** Payouts to escrow parties that an instance sends at a time: of all organisations, and of one. */
export const escrowPayoutConcurrency = 128
export const escrowPayoutsOfOne = 8

/** An escrow payout that a worker has taken up is left alone by other workers for this long. */
export const escrowPayoutLease = Duration.seconds(60)

/** Longest time that the answer to a disbursement waits for the first try of its payouts. */
export const escrowPayoutWait = Duration.seconds(28)

/** Payments created for one escrow payout, while providers prove that they never received the one before. */
export const escrowPayoutSends = 3

/** Pause before an escrow payout's payment is checked, or a failed try repeated: 1 min, doubled up to 1 h. */
export const escrowPayoutPause = (tries: number): Duration.Duration =>
  Duration.minutes(Math.min(60, 2 ** Math.max(0, tries - 1)))

/** A virtual account whose details a worker asks for is left alone by other workers for this long. */
export const accountDetailsLease = Duration.seconds(90)

/** Details and lists of incoming transfers that are due are looked for this often. */
export const accountDetailsPoll = Duration.seconds(1)

/** Details that an instance asks a provider for at a time. */
export const accountDetailsConcurrency = 4

/** Time until details are asked for again, if it is unknown whether they exist: 30 s, doubled up to 1 h. */
export const accountDetailsPause = (tries: number): Duration.Duration =>
  Duration.seconds(Math.min(3600, 30 * 2 ** Math.max(0, tries - 1)))

/** Transfers to virtual accounts are listed this often at each provider, and this long after a list that failed. */
export const incomingTransferPoll = Duration.minutes(5)
export const incomingTransferRetry = Duration.seconds(30)

/** A list begins this long before the end of the last one: providers may show transfers late. */
export const incomingTransferOverlap = Duration.hours(2)

/** A list that is too long is read in slices of time, at least this long. */
export const incomingTransferSlice = Duration.minutes(1)

/** Refunds of transfers are looked for this far back: a provider lists them by when they were made, not processed. */
export const refundProcessing = Duration.days(30)

/** Transfers from a chain are looked for this far back: they are listed from when they were seen, before they count. */
export const transferConfirmation = Duration.days(3)

/** A list that a worker reads is left alone by other workers for this long. */
export const incomingTransferLease = Duration.minutes(2)

/** Proved callbacks about no payment that are kept for one account of a provider; the oldest give way. */
export const unmatchedCallbacksPerAccount = 10_000

/** A callback that belongs to no payment of ours is kept this long. */
export const unmatchedCallbackRetention = Duration.days(90)

/** A hosted page that waits for an outcome renews itself this often. */
export const checkoutRefresh = Duration.seconds(2)

/** Refresh interval of a page with instructions to read and copy. */
export const transferRefresh = Duration.seconds(5)

/** A customer who gave a card at the hosted checkout waits this long for its answer before the page says to wait. */
export const checkoutPatience = Duration.seconds(2)

/** Forms per minute from one address to one payment link, against testing of stolen cards. */
export const linkFormsPerMinute = 60

/** Window of the limit of mobile money prompts to one phone number. */
export const promptWindow = Duration.hours(24)

/** Shorter window, in which a quarter of that limit, rounded up, is allowed. */
export const promptBurstWindow = Duration.minutes(10)
export const promptBurstShare = 0.25

/** Prompts a day that payers of links may cause, unless PHONE_PROMPTS_LINKS says otherwise; */
export const linkPromptsPerDay = 20

/** API callers in live mode, unless PHONE_PROMPTS_API says otherwise. The sandbox does not limit them. */
export const apiPromptsPerDay = 200

/** Receipts that are mailed for one payment in a minute. */
export const receiptsPerMinute = 2

/** Life of the cookie that recognises the browser of a payment through a link. */
export const payerCookieLife = Duration.days(7)

/** Refresh interval of a link's page while another payer pays. */
export const takenRefresh = Duration.seconds(15)

/** Cache time of a link's picture, which never changes. */
export const logoKept = Duration.days(1)

/**
 * Payments are counted ahead of reports this long after they were created, and after every transaction that still writes
 * began: clocks of instances differ.
 */
export const countingDelay = Duration.minutes(15)

/** Days that can be closed are looked for this often. */
export const dayClosingPause = Duration.minutes(10)

/** Concurrent ramp payouts of an instance at one provider. */
export const rampPayoutsPerProvider = 8

/** Time that the customer of a payin has to pay, unless PAYIN_EXPIRY says otherwise. */
export const payinExpiry = Duration.hours(24)

/** The same for a payin through a payment link, unless LINK_PAYIN_EXPIRY says otherwise: a fixed link takes one at a time. */
export const linkPayinExpiry = Duration.hours(1)

/** Delays after the end of a payin at which its provider is asked whether money came late. */
export const lateEnquiries = [Duration.hours(1), Duration.hours(24), Duration.hours(72)] as const

/**
 * First delay before a provider is asked again whose answer at the end of a payin left its page open or unknown.
 * Doubles each time.
 */
export const endRetryDelay = Duration.minutes(1)

/** Time after the end of a payin at which a provider that still gives no answer is left to an operator. */
export const endRetryLimit = Duration.hours(24)

/** A page that closes so long before the end of its payin has closed because of it. */
export const pageEndLead = Duration.minutes(1)

/** Expired payins without a provider that one poll ends. */
export const cardWaitBatch = 32

/** Pause between looks for reserves that are due, and how many are released at once. */
export const releasePoll = Duration.minutes(1)
export const releaseBatch = 64
export const releaseConcurrency = 4

/** Until a release is looked at again that a dispute or the reserve's minimum holds back. */
export const releaseRetry = Duration.hours(1)

/** Upcoming releases that are shown, one for each day and currency. */
export const releaseDaysShown = 31

/** Time that the customer of a ramp has to pay. */
export const rampLifetime = Duration.minutes(30)

/** A day is summed up this long after its end; a posting that comes a minute after its time says so itself. */
export const booksClosingDelay = Duration.hours(1)

/** Wait of a daily close for postings under way, and its poll interval. */
export const postingPatience = Duration.seconds(10)
export const postingPause = Duration.millis(100)

/** Longest window of a risk rule, and how far back rules are tried. */
export const ruleWindowMax = Duration.days(30)

/** Counted payments are kept for this long. */
export const ruleHistory = Duration.days(31)

/** Rules of one owner. */
export const mostRules = 50

/** Payments that a rule is tried on, the newest first, and how many of those that it would stop are shown. */
export const triedPayments = 50_000
export const triedShown = 20

/** Payments of the same payer wait for each other within one instance for this long; then the answer is 503. */
export const ruleLockPatience = Duration.seconds(5)

/** Time for all names of a payment to be screened. */
export const screeningTimeout = Duration.seconds(3)
