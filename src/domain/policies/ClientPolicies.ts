/** How patient the client is with the service. */
import { Duration, Schedule } from "effect"

/** An answer is waited for this long: an initiation is answered within 30 seconds, whatever its providers do. */
export const clientTimeout = Duration.seconds(35)

/** Retries of requests that are safe to repeat, unless the caller sets another number. */
export const clientRetries = 4

/** The first repetition waits about this long, each further one twice as long as the one before. */
export const clientBackoff = Schedule.jittered(Schedule.exponential("200 millis"))

/** A service that asks for more time than this is not waited for: its answer goes to the caller. */
export const clientLongestWait = Duration.seconds(60)

/** A webhook whose time is further away than this, in the past or ahead, is taken for a replay. */
export const webhookReplayWindow = Duration.minutes(5)
