/** Limits of the clients for other programs. Plain numbers, since one of the clients has no dependencies. */

/** An initiation is answered within 30 seconds. */
export const clientTimeoutMillis = 35_000

/** Retries of requests that are safe to repeat, unless the caller sets another number. */
export const clientRetries = 4

/** Wait before the first retry; doubled for each further one, with a jitter of 20 percent. */
export const clientBackoffMillis = 200

/** A longer Retry-After is not waited for: its answer goes to the caller. */
export const clientLongestWaitSeconds = 60

/** Maximum distance of a webhook's time from the current time. */
export const webhookToleranceSeconds = 300
